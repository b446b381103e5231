import { z } from 'zod'
import { quotas } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import { lock, type Media, mediaTable } from './media-list.ts'
import { MediaName } from './media-name.ts'
import { mustBeUnused, replaceAll } from './media-uses.ts'

/** Maximum characters of an alternative text. */
export const maxAlternativeText = 1_000

const Change = z.object({ name: MediaName, alternativeText: text(maxAlternativeText) }).partial()

interface ChangeInput {
  id: string | number
  name?: string | null | undefined
  alternativeText?: string | null | undefined
}

/**
 * Updates the name or the alternative text of a media file. Earlier URLs stay valid.
 *
 * **Emits** `media.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(ctx: Ctx, { id, ...input }: ChangeInput): Promise<{ media: Media }> {
  const data = check(Change, sent(input))
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id)
    const { name, alternativeText } = { ...before, ...data }
    const [media] = await tx.sql<Media>`
      UPDATE ${mediaTable.source} SET name = ${name}, alternative_text = ${alternativeText},
        updated_at = ${tx.clock.now()}::timestamptz
      WHERE m.account_id = ${tx.sql.account} AND m.id = ${before.id} RETURNING ${mediaTable.columns}`
    await emit(tx, 'media.updated', { mediaId: before.id })
    return { media: media as Media }
  })
}

/**
 * Deletes a media file and its variants with their bytes. Their URLs return 404 from then on. Objects in an object store are
 * removed by a job. With `replaceWithId`, the places that use the file use the other one before.
 *
 * **Emits** `media.deleted`, and the events of the places. **Throws** NOT_FOUND, VALIDATION_ERROR for a replacement that cannot
 * be shown in its place, INVALID_STATE with the places if the file is used, and as `replaceAll`.
 */
export async function remove(
  ctx: Ctx,
  input: { id: string | number; replaceWithId?: string | number | null | undefined },
): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const file = await lock(tx, input.id)
    const { id } = file
    if (input.replaceWithId == null) await mustBeUnused(tx, id)
    else await replaceAll(tx, id, await replacementOf(tx, file, input.replaceWithId))
    await tx.sql`
      INSERT INTO media_removal (account_id, object_key, due_at)
      SELECT f.account_id, f.object_key, ${tx.clock.now()}::timestamptz FROM media_file f
      WHERE f.account_id = ${tx.sql.account} AND f.media_id = ${id} AND f.object_key IS NOT NULL`
    const [size] = await tx.sql<{ bytes: number }>`
      SELECT sum(f.bytes)::int AS bytes FROM media_file f WHERE f.account_id = ${tx.sql.account} AND f.media_id = ${id}`
    await tx.sql`DELETE FROM media WHERE account_id = ${tx.sql.account} AND id = ${id}`
    await emit(tx, 'media.deleted', { mediaId: id })
    await quotas.use(tx, 'media', -kilobytesOf(size?.bytes ?? 0))
    return { databaseId: id }
  })
}

/** Returns what a media file of a size takes of the quota of the account. */
export function kilobytesOf(bytes: number): number {
  return Math.ceil(bytes / 1_024)
}

/** Returns the id of a file that can be shown in the place of another one, and locks it against deletion. */
async function replacementOf(tx: Ctx, file: Media, ref: string | number): Promise<number> {
  const { id, contentType } = await mediaTable.lock(tx, ref, 'replaceWithId', 'FOR KEY SHARE')
  if (id === file.id) throw invalid({ replaceWithId: ['must be another media file'] })
  if ((contentType === 'PDF') !== (file.contentType === 'PDF')) {
    throw invalid({ replaceWithId: [`must be ${file.contentType === 'PDF' ? 'a PDF file' : 'a picture'}`] })
  }
  return id
}
