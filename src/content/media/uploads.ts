import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { MediaContentType } from '../../../prisma/generated/client/client.ts'
import { findHolder, quotas } from '../../account/index.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { recorderOf } from '../../db/requests/audit.ts'
import { rowsOf, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { holderOf } from '../../kernel/scopes.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import { globalId, largestId } from '../../kernel/values/ids.ts'
import { type FileContent, readFile, type StoredBytes } from './file-content.ts'
import { kilobytesOf, maxAlternativeText } from './media.ts'
import { type Media, mediaTable } from './media-list.ts'
import { contentTypes, MediaName } from './media-name.ts'
import type { ObjectStore } from './object-store.ts'

/** Maximum size of a file. */
export const maxFileBytes = 10 * 1024 * 1024

/** Maximum media files of an account, and expected uploads. */
export const maxMedia = 10_000
export const maxOpenUploads = 50

/** Validity of an upload link. */
const uploadTtlMs = 15 * 60 * 1000

/** Time after which an object without a row is removed: an upload has ended by then. */
const orphanAfterMs = 60 * 60 * 1000

const NewUpload = z.object({
  name: MediaName,
  alternativeText: text(maxAlternativeText).default(''),
  contentType: z.enum(Object.keys(contentTypes) as [MediaContentType, ...MediaContentType[]]).optional(),
})

interface UploadInput {
  name: string
  alternativeText?: string | null | undefined
  contentType?: MediaContentType | null | undefined
}

/** An upload that is expected. */
interface Upload {
  readonly id: number
  readonly name: string
  readonly alternativeText: string
  readonly contentType: MediaContentType | null
}

/**
 * Creates the link to which a file is uploaded. The media file is created when its bytes have arrived.
 *
 * **Throws** VALIDATION_ERROR, and QUOTA_EXCEEDED if the account expects 50 uploads, or has 10,000 media files.
 */
export async function create(ctx: Ctx, input: UploadInput): Promise<{ uploadUrl: string; expiresAt: Date }> {
  return inTransaction(ctx, async (tx) => {
    const { uploadId, expiresAt } = await open(tx, input)
    return { uploadUrl: linkTo(tx, uploadId, expiresAt), expiresAt }
  })
}

/** Opens an upload. **Throws** the same as `create`. */
export async function open(ctx: Ctx, input: UploadInput): Promise<{ uploadId: number; expiresAt: Date }> {
  const { name, alternativeText, contentType } = check(NewUpload, sent(input))
  return inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const [counted] = await tx.sql<{ n: number }>`
      SELECT count(*)::int AS n FROM media_upload
      WHERE account_id = ${tx.sql.account} AND expires_at > ${now}::timestamptz`
    if ((counted?.n ?? 0) >= maxOpenUploads)
      throw refuse('QUOTA_EXCEEDED', `An account can have at most ${maxOpenUploads} unfinished uploads.`)
    await mustHaveRoom(tx)
    const expiresAt = new Date(now.getTime() + uploadTtlMs)
    const [upload] = await tx.sql<{ id: number }>`
      INSERT INTO media_upload (account_id, name, alternative_text, content_type, expires_at)
      VALUES (${tx.sql.account}::int, ${name}, ${alternativeText}, ${contentType ?? null}::text::media_content_type,
        ${expiresAt}::timestamptz) RETURNING id`
    return { uploadId: (upload as { id: number }).id, expiresAt }
  })
}

/**
 * Stores the file of an upload, and ends the upload. Nothing is stored unless all is. If the account has a file of the same
 * bytes, that file is returned, and keeps its name.
 *
 * **Emits** `media.created`. **Throws** NOT_FOUND if the upload has ended, VALIDATION_ERROR for `file` if it is not accepted, and
 * QUOTA_EXCEEDED.
 */
export async function receive(
  ctx: Ctx,
  uploadId: number,
  body: Uint8Array,
  store: ObjectStore | undefined,
): Promise<Media> {
  const upload = await mustBeOpen(ctx, uploadId)
  const content = await readFile(ctx, body, upload.contentType)
  const all = [content.original, ...content.variants]
  const keys = store && (await putAll(ctx, store, content.contentType, all))
  return inTransaction(ctx, async (tx) => {
    const [ended] = await tx.sql<{ id: number }>`
      DELETE FROM media_upload WHERE account_id = ${tx.sql.account} AND id = ${uploadId} RETURNING id`
    if (!ended) throw uploadHasEnded()
    const created = await insert(tx, upload, content)
    if (!created) return findByHash(tx, content.original.hash)
    await insertFiles(tx, created.id, all, keys)
    await mustHaveRoom(tx, 1)
    await emit(tx, 'media.created', { mediaId: created.id })
    await quotas.use(tx, 'media', kilobytesOf(all.reduce((sum, { body }) => sum + body.byteLength, 0)))
    return created
  })
}

const uploadHasEnded = () => refuse('NOT_FOUND', 'The upload link was used already, or has expired.')

/** **Throws** QUOTA_EXCEEDED if the account has 10,000 media files, without those that were `added` last. */
async function mustHaveRoom(tx: Ctx, added = 0): Promise<void> {
  const [counted] = await tx.sql<{ n: number }>`
    SELECT count(*)::int AS n FROM media WHERE account_id = ${tx.sql.account}`
  if ((counted?.n ?? 0) - added >= maxMedia)
    throw refuse('QUOTA_EXCEEDED', `An account can have at most ${maxMedia} media files.`)
}

/** Returns an upload that has not ended. **Throws** NOT_FOUND. */
export async function mustBeOpen(ctx: Ctx, id: number): Promise<Upload> {
  const [upload] = await ctx.sql<Upload>`
    SELECT id, name, alternative_text AS "alternativeText", content_type AS "contentType" FROM media_upload
    WHERE account_id = ${ctx.sql.account} AND id = ${id} AND expires_at > ${ctx.clock.now()}::timestamptz`
  if (!upload) throw uploadHasEnded()
  return upload
}

/** Inserts the row of a file. Returns undefined if the account has a file of the same bytes. */
async function insert(tx: Ctx, upload: Upload, { contentType, isAnimated, original }: FileContent) {
  const now = tx.clock.now()
  const [media] = await tx.sql<Media>`
    INSERT INTO media AS m (account_id, name, alternative_text, content_type, hash, bytes, width, height, is_animated,
      created_at, updated_at)
    VALUES (${tx.sql.account}::int, ${upload.name}, ${upload.alternativeText}, ${contentType}::text::media_content_type,
      ${original.hash}, ${original.body.byteLength}::int, ${original.width}::int, ${original.height}::int, ${isAnimated},
      ${now}::timestamptz, ${now}::timestamptz)
    ON CONFLICT (account_id, hash) DO NOTHING RETURNING ${mediaTable.columns}`
  return media
}

async function findByHash(tx: Ctx, hash: string): Promise<Media> {
  const [media] = await mediaTable.select(tx, sql`AND m.hash = ${hash}`)
  if (!media) throw uploadHasEnded()
  return media
}

async function insertFiles(
  tx: Ctx,
  mediaId: number,
  files: readonly StoredBytes[],
  keys: readonly string[] | undefined,
): Promise<void> {
  for (const [index, { hash, body, width, height }] of files.entries()) {
    await tx.sql`
      INSERT INTO media_file (account_id, media_id, hash, bytes, width, height, body, object_key)
      VALUES (${tx.sql.account}::int, ${mediaId}, ${hash}, ${body.byteLength}::int, ${width}::int, ${height}::int,
        ${keys ? null : Buffer.from(body)}::bytea, ${keys?.[index] ?? null}::text)`
  }
  if (keys) {
    await tx.sql`
      DELETE FROM media_removal WHERE account_id = ${tx.sql.account} AND object_key = ANY(${keys}::text[])`
  }
}

/**
 * Stores files under new keys. They are to be removed, until their rows are committed: a process that is stopped before leaves no
 * object behind.
 */
async function putAll(
  ctx: Ctx,
  store: ObjectStore,
  contentType: MediaContentType,
  files: readonly StoredBytes[],
): Promise<readonly string[]> {
  const keys = files.map(({ hash }) => `${ctx.accountId}/${hash}-${randomBytes(9).toString('hex')}`)
  const dueAt = new Date(ctx.clock.now().getTime() + orphanAfterMs)
  await ctx.sql`
    INSERT INTO media_removal (account_id, object_key, due_at)
    SELECT ${ctx.sql.account}::int, given.key, ${dueAt}::timestamptz FROM ${rowsOf([keys, 'text'])} AS given(key)`
  for (const [index, { body }] of files.entries())
    await store.put(keys[index] as string, body, contentTypes[contentType].mediaType)
  return keys
}

/** Returns a signed URL for an upload. It is invalid once the API key is disabled or the session ends. */
function linkTo(ctx: Ctx, id: number, expiresAt: Date): string {
  const numbers = [ctx.accountId, id, expiresAt.getTime()].map((part) => part.toString(36)).join('.')
  const parts = `${numbers}.${holderOf(ctx)}`
  return `${ctx.baseUrl()}/m/${parts}.${ctx.signer.sign(`media ${parts}`)}`
}

/**
 * Returns the upload of a link, or undefined if the link is invalid or expired, or its API key or session is. The audit log
 * records the file that is stored with the context as `mediaUpload`, with the `address` of the client.
 */
export async function findByLink(
  system: System,
  link: string,
  address: string,
): Promise<{ ctx: Ctx; uploadId: number } | undefined> {
  const [, parts, signature] = /^((?:[0-9a-z]{1,9}\.){3}[\w:]{0,30})\.([\w-]{43})$/.exec(link) ?? []
  if (!parts || !signature || !system.signer.isSigned(`media ${parts}`, signature)) return undefined
  const [account = '', id = '', until = '', holder = ''] = parts.split('.')
  const [accountId = 0, uploadId = 0, expiresAtMs = 0] = [account, id, until].map((part) => Number.parseInt(part, 36))
  if (expiresAtMs <= system.clock.now().getTime() || Math.max(accountId, uploadId) > largestId) return undefined
  const caller = await findHolder(system, { accountId, holder })
  if (!caller) return undefined
  const { inTransaction: record } = recorderOf((media) => {
    return { action: 'mediaUpload', objects: [globalId('Media', (media as Media).id)], fields: [] }
  })
  return { ctx: { ...newCtx(system, { ...caller, address }), record }, uploadId }
}
