import { createHash, randomBytes } from 'node:crypto'
import type { Document } from '../../prisma/generated/client/client.ts'
import type { Ctx, System } from '../kernel/context.ts'
import { largestId } from '../kernel/ids.ts'
import { one } from '../kernel/load.ts'

/** What is stored: bytes with a name and a type. */
export interface DocumentContent {
  readonly name: string
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** A stored document as it is served; `tag` changes whenever the bytes do. */
export interface Served extends DocumentContent {
  readonly tag: string
}

/** Stores a document under an address that nobody can guess. To be called in the transaction of what it belongs to. */
export async function store(tx: Ctx, content: DocumentContent): Promise<Document> {
  // The account's number leads, so that a document is found within its account, like everything else.
  const token = `${tx.accountId.toString(36)}-${randomBytes(18).toString('base64url')}`
  return tx.db.document.create({
    data: { ...content, accountId: tx.accountId, token, createdAt: tx.clock.now() },
  })
}

/** Puts other bytes in a document's place; its address stays. */
export async function replace(tx: Ctx, id: number, body: DocumentContent['body']): Promise<void> {
  await tx.db.document.update({ where: { accountId_id: { accountId: tx.accountId, id } }, data: { body } })
}

/** Deletes documents; their addresses lead nowhere from then on. */
export async function remove(tx: Ctx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.db.document.deleteMany({ where: { accountId: tx.accountId, id: { in: [...ids] } } })
}

/** The bytes of documents, by id. */
export const bodyOf = one<number, Uint8Array>(async (ctx, ids) => {
  const rows = await ctx.db.document.findMany({
    where: { accountId: ctx.accountId, id: { in: [...ids] } },
    select: { id: true, body: true },
  })
  return new Map(rows.map((row) => [row.id, row.body]))
})

/** Where documents are served, by id: an absolute URL. */
export const urlOf = one<number, string>(async (ctx, ids) => {
  const rows = await ctx.db.document.findMany({
    where: { accountId: ctx.accountId, id: { in: [...ids] } },
    select: { id: true, token: true },
  })
  return new Map(rows.map((row) => [row.id, `${ctx.baseUrl?.() ?? ''}/d/${row.token}`]))
})

/** The document of a token, for whoever holds the token; undefined where there is none. */
export async function read(system: System, token: string): Promise<Served | undefined> {
  const [, number] = /^([0-9a-z]{1,6})-[\w-]{24}$/.exec(token) ?? []
  const accountId = Number.parseInt(number ?? '', 36)
  if (!(accountId >= 1 && accountId <= largestId)) return undefined
  const found = await system.db.document.findUnique({ where: { accountId_token: { accountId, token } } })
  if (!found) return undefined
  const { name, contentType, body } = found
  return { name, contentType, body, tag: createHash('sha256').update(body).digest('base64url').slice(0, 22) }
}
