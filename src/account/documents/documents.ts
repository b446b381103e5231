import { createHash, randomBytes } from 'node:crypto'
import type { Document } from '../../../prisma/generated/client/client.ts'
import { type Ctx, one, type System } from '../../db/context.ts'
import { mustBeCopyable } from '../../kernel/copies.ts'
import { largestId } from '../../kernel/values/ids.ts'

/** Bytes of a document, with a file name and a media type. */
interface DocumentContent {
  readonly name: string
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** A document to serve. `etag` changes if the bytes change. */
interface ServedDocument extends DocumentContent {
  readonly etag: string
  /** Whether the response is an attachment. */
  readonly isDownload: boolean
}

/** Validity of a signed link. */
const linkTtlMs = 60 * 60 * 1000

/** Stores a document under a random token. Call it in the transaction that writes the owner of the document. */
export async function store(tx: Ctx, content: DocumentContent): Promise<Document> {
  return tx.db.document.create({
    data: { ...content, accountId: tx.accountId, token: newToken(tx), createdAt: tx.clock.now() },
  })
}

/**
 * Copies documents under new names, inside the database. Returns the ids of the copies by the ids of the documents. **Throws**
 * VALIDATION_ERROR for the input field `id` if they are too large together.
 */
export async function copyAll(
  tx: Ctx,
  documents: readonly { readonly id: number; readonly name: string }[],
): Promise<ReadonlyMap<number, number>> {
  if (documents.length === 0) return new Map()
  const ids = documents.map(({ id }) => id)
  const [size] = await tx.sql<{ bytes: number }>`
    SELECT coalesce(sum(octet_length(body)), 0)::float8 AS bytes FROM document
    WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[])`
  mustBeCopyable(size?.bytes ?? 0)
  const idOfToken = new Map(documents.map(({ id }) => [newToken(tx), id]))
  const copies = await tx.sql<{ id: number; token: string }>`
    INSERT INTO document (account_id, token, name, content_type, body, created_at)
    SELECT d.account_id, given.token, given.name, d.content_type, d.body, ${tx.clock.now()}::timestamptz
    FROM unnest(${ids}::int[], ${[...idOfToken.keys()]}::text[], ${documents.map(({ name }) => name)}::text[])
      AS given(id, token, name)
    JOIN document d ON d.account_id = ${tx.sql.account} AND d.id = given.id RETURNING id, token`
  return new Map(copies.map(({ id, token }) => [idOfToken.get(token) as number, id]))
}

/** The token begins with the account id, so that the lookup names its account like every other query. */
function newToken({ accountId }: Ctx): string {
  return `${accountId.toString(36)}-${randomBytes(18).toString('base64url')}`
}

/** Replaces the bytes of a document. Its token stays the same. */
export async function replace(tx: Ctx, id: number, body: DocumentContent['body']): Promise<void> {
  await tx.db.document.update({ where: { accountId_id: { accountId: tx.accountId, id } }, data: { body } })
}

/** Deletes documents. Requests with their tokens return 404 from then on. */
export async function remove(tx: Ctx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.db.document.deleteMany({ where: { accountId: tx.accountId, id: { in: [...ids] } } })
}

/** Loads the bytes of documents by id. */
export const bodyOf = one<number, Uint8Array>(async (ctx, ids) => {
  const rows = await ctx.db.document.findMany({
    where: { accountId: ctx.accountId, id: { in: [...ids] } },
    select: { id: true, body: true },
  })
  return new Map(rows.map((row) => [row.id, row.body]))
})

/** Loads the absolute URLs of documents by id. */
export const urlOf = one<number, string>(async (ctx, ids) => {
  const rows = await ctx.db.document.findMany({
    where: { accountId: ctx.accountId, id: { in: [...ids] } },
    select: { id: true, token: true },
  })
  return new Map(rows.map((row) => [row.id, `${ctx.baseUrl()}/d/${row.token}`]))
})

/**
 * Creates a signed absolute URL of a document, valid for one hour. The URL does not contain the permanent token, so it gives
 * no access after it has expired.
 */
export function linkTo(ctx: Ctx, id: number): string {
  const until = ctx.clock.now().getTime() + linkTtlMs
  const parts = [ctx.accountId, id, until].map((part) => part.toString(36)).join('.')
  return `${ctx.baseUrl()}/d/${parts}.${ctx.signer.sign(`document ${parts}`)}`
}

/** Finds the document of a token or of a signed link. Returns undefined if the token is unknown or expired. */
export async function findByToken(system: System, token: string): Promise<ServedDocument | undefined> {
  const isDownload = token.includes('.')
  const document = isDownload ? await findBySignedLink(system, token) : await findByStoredToken(system, token)
  if (!document) return undefined
  const { name, contentType, body } = document
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { name, contentType, body, etag, isDownload }
}

async function findByStoredToken(system: System, token: string): Promise<DocumentContent | null> {
  const [, number] = /^([0-9a-z]{1,6})-[\w-]{24}$/.exec(token) ?? []
  const accountId = Number.parseInt(number ?? '', 36)
  if (!(accountId >= 1 && accountId <= largestId)) return null
  return system.db.document.findUnique({ where: { accountId_token: { accountId, token } } })
}

async function findBySignedLink({ db, clock, signer }: System, link: string): Promise<DocumentContent | null> {
  const [, parts, signature] = /^([0-9a-z]{1,6}\.[0-9a-z]{1,6}\.[0-9a-z]{1,9})\.([\w-]{43})$/.exec(link) ?? []
  if (!parts || !signature || !signer.isSigned(`document ${parts}`, signature)) return null
  const [accountId = 0, id = 0, until = 0] = parts.split('.').map((part) => Number.parseInt(part, 36))
  if (until <= clock.now().getTime() || accountId > largestId || id > largestId) return null
  return db.document.findUnique({ where: { accountId_id: { accountId, id } } })
}
