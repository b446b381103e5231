import { buffer } from 'node:stream/consumers'
import pLimit from 'p-limit'
import type { MediaContentType } from '../../../prisma/generated/client/client.ts'
import { accounts } from '../../account/index.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { refuse } from '../../kernel/errors.ts'
import { largestId } from '../../kernel/values/ids.ts'
import { servedName } from './media-name.ts'
import { type ObjectStore, ObjectStoreError } from './object-store.ts'

/** Bytes that one statement reads. PostgreSQL sends twice as many. */
const partBytes = 256 * 1024

/** Files of several parts that are read at a time. Those that are read and not sent yet are limited by the server. */
const readLarge = pLimit(4)

/** A file to serve. */
export interface ServedFile {
  readonly name: string
  readonly contentType: MediaContentType
  readonly bytes: number
  /** Reads the bytes. **Throws** `ObjectStoreError` if the object store does not have them. */
  readonly read: () => Promise<Buffer>
}

/** Finds the file of a URL by the token of its account and its hash. */
export async function findFile(
  system: System,
  store: ObjectStore | undefined,
  { account, hash }: { readonly account: string; readonly hash: string },
): Promise<ServedFile | undefined> {
  const [, number = '', token] = /^([0-9a-z]{1,6})-([0-9a-f]{32})$/.exec(account) ?? []
  const accountId = Number.parseInt(number, 36)
  if (!token || !/^[0-9a-f]{64}$/.test(hash) || !(accountId >= 1 && accountId <= largestId)) return undefined
  const ctx = newCtx(system, { accountId })
  const owner = await ctx.load(accounts.byId, accountId)
  if (owner?.mediaToken.replaceAll('-', '') !== token) return undefined
  const [found] = await ctx.sql<{
    mediaId: number
    name: string
    contentType: MediaContentType
    bytes: number
    objectKey: string | null
  }>`
    SELECT f.media_id AS "mediaId", m.name, m.content_type AS "contentType", f.bytes, f.object_key AS "objectKey"
    FROM media_file f JOIN media m ON m.account_id = f.account_id AND m.id = f.media_id
    WHERE f.account_id = ${ctx.sql.account} AND f.hash = ${hash} ORDER BY f.media_id LIMIT 1`
  if (!found) return undefined
  const { mediaId, contentType, bytes, objectKey } = found
  const readBytes = async () => {
    if (objectKey === null) return readStored(ctx, { mediaId, hash, bytes })
    const body = await store?.read(objectKey)
    if (!body) throw new ObjectStoreError('The media store does not have an object of a media file.')
    return buffer(body)
  }
  const read = () => (bytes > partBytes ? readLarge(readBytes) : readBytes())
  return { name: servedName(found), contentType, bytes, read }
}

interface StoredFile {
  readonly mediaId: number
  readonly hash: string
  readonly bytes: number
}

async function readStored(ctx: Ctx, { mediaId, hash, bytes }: StoredFile): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes; at += partBytes) {
    const [part] = await ctx.sql<{ body: Buffer | null }>`
      SELECT substring(body FROM ${at + 1}::int FOR ${partBytes}::int) AS body FROM media_file
      WHERE account_id = ${ctx.sql.account} AND media_id = ${mediaId} AND hash = ${hash}`
    if (!part?.body?.byteLength) throw refuse('NOT_FOUND', 'The media file was deleted while it was read.')
    parts.push(part.body)
  }
  return Buffer.concat(parts)
}
