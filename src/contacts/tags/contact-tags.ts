import { z } from 'zod'
import type { Contact } from '../../../prisma/generated/client/client.ts'
import { type Ctx, many } from '../../db/context.ts'
import { enqueue } from '../../db/jobs/jobs.ts'
import { inDictionary, isOneOf, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import type { SignedInUser } from '../../kernel/scopes.ts'
import { check } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { announceTagsAdded, announceTagsRemoved } from '../record/change-log.ts'
import { type ContactRef, lock } from '../record/contact-lookup.ts'
import { mustExist, type Tag, tagTable } from './tags.ts'

/** Maximum tags of a contact. Lists of a contact's tags are not paginated. */
export const maxTagsPerContact = 1_000

/** Maximum contacts of one bulk request (REST specification, Limits). */
const maxBulkContacts = 500

export const bulkTagJob = 'contacts:bulk_tag'

/** Payload of the job that adds a tag to many contacts. */
export interface BulkTagPayload {
  accountId: number
  tagId: number
  contactIds: number[]
  /** API key or user that started the job. */
  keyId?: number | undefined
  user?: SignedInUser | undefined
}

/** Loads the tags of contacts, ordered by name. Reads each tag once, because many contacts share few tags. */
export const ofContact = many<number, Tag>(async (ctx, contactIds) => {
  const rows = await ctx.sql.brief<Tag & { contactIds: number[] }>`
    SELECT ${tagTable.columns}, h."contactIds"
    FROM (
      SELECT ct.tag_id, json_agg(ct.contact_id) AS "contactIds" FROM contact_tag ct
      WHERE ct.account_id = ${ctx.sql.account} AND ct.contact_id = ANY(${contactIds}::int[]) GROUP BY ct.tag_id
    ) h JOIN tag t ON t.account_id = ${ctx.sql.account} AND t.id = h.tag_id ORDER BY ${inDictionary(sql`t.name`)}, t.id`
  const tags = new Map<number, Tag[]>(contactIds.map((id) => [id, []]))
  for (const { contactIds: taggedIds, ...tag } of rows) for (const id of taggedIds) tags.get(id)?.push(tag)
  return tags
})

interface ContactTagInput {
  contact: ContactRef
  tagId: string | number
}

/**
 * Adds a tag to a contact. Idempotent: a second call changes nothing and emits nothing.
 *
 * **Emits** `contact.tag_added`. **Throws** NOT_FOUND if the account does not have the contact or the tag.
 */
export async function add(ctx: Ctx, input: ContactTagInput): Promise<{ contact: Contact; tag: Tag }> {
  return inTransaction(ctx, async (tx) => {
    const locked = lock(tx, input.contact)
    // Sent with the statement before it. An error of the contact comes first.
    const existing = mustExist(tx, input.tagId)
    existing.catch(() => undefined)
    const [contact, tag] = [await locked, await existing]
    await addAll(tx, [contact.id], [tag.id], 'tagId')
    return { contact, tag }
  })
}

/**
 * Removes a tag from a contact. Idempotent: changes nothing if the contact does not have the tag.
 *
 * **Emits** `contact.tag_removed`. **Throws** NOT_FOUND if the account does not have the contact or the tag.
 */
export async function remove(ctx: Ctx, input: ContactTagInput): Promise<{ contact: Contact; tag: Tag }> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const tag = await mustExist(tx, input.tagId)
    await removeAll(tx, [contact.id], [tag.id])
    return { contact, tag }
  })
}

/** A tag of a contact. */
interface TagLink {
  readonly contactId: number
  readonly tagId: number
}

/**
 * Adds tags to contacts. Locks the tags against deletion. Skips unknown ids and tags that a contact already has.
 *
 * **Emits** `contact.tag_added` for each tag that is added to a contact. **Throws** VALIDATION_ERROR if a contact would
 * have more than 1,000 tags. `field` is the input field that the error names. Returns the tags that were added.
 */
export async function addAll(
  tx: Ctx,
  contactIds: readonly number[],
  tagIds: readonly number[],
  field = 'tagIds',
): Promise<readonly TagLink[]> {
  if (tagIds.length === 0) return []
  const adding = tx.sql<TagLink>`
    INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at)
    SELECT c.account_id, c.id, t.id, ${tx.clock.now()}::timestamptz
    FROM contact c JOIN tag t ON t.account_id = c.account_id AND ${isOneOf(sql`t.id`, tagIds)}
    WHERE c.account_id = ${tx.sql.account} AND ${isOneOf(sql`c.id`, contactIds)} ORDER BY c.id, t.id FOR KEY SHARE OF t
    ON CONFLICT DO NOTHING RETURNING contact_id AS "contactId", tag_id AS "tagId"`
  // Sent together: they count also what the statement before has added.
  const counting = tx.sql<{ tags: number }>`
    SELECT count(*)::int AS tags FROM contact_tag WHERE account_id = ${tx.sql.account} AND ${isOneOf(sql`contact_id`, contactIds)}
    GROUP BY contact_id ORDER BY tags DESC LIMIT 1`
  counting.catch(() => undefined)
  const [added, [largest]] = [await adding, await counting]
  if (added.length === 0) return added
  if ((largest?.tags ?? 0) > maxTagsPerContact)
    throw invalid({ [field]: [`would exceed the maximum of ${maxTagsPerContact} tags per contact`] }, 'LIMIT_REACHED')
  await announceTagsAdded(tx, added)
  return added
}

/** Removes tags from contacts. **Emits** `contact.tag_removed` for each tag that is removed. Returns the removed tags. */
export async function removeAll(
  tx: Ctx,
  contactIds: readonly number[],
  tagIds: readonly number[],
): Promise<readonly TagLink[]> {
  const removed = await tx.sql<TagLink>`
    DELETE FROM contact_tag WHERE account_id = ${tx.sql.account} AND contact_id = ANY(${contactIds}::int[])
      AND tag_id = ANY(${tagIds}::int[]) RETURNING contact_id AS "contactId", tag_id AS "tagId"`
  await announceTagsRemoved(tx, removed)
  return removed
}

/** Returns the contacts that would have more than 1,000 tags with these. Their rows must be locked. */
export async function findAboveLimit(
  tx: Ctx,
  contactIds: readonly number[],
  tagIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await tx.sql<{ id: number }>`
    SELECT h.contact_id AS id FROM contact_tag h
    WHERE h.account_id = ${tx.sql.account} AND h.contact_id = ANY(${contactIds}::int[]) GROUP BY h.contact_id
    HAVING count(*) FILTER (WHERE h.tag_id <> ALL(${tagIds}::int[])) + ${tagIds.length}::int > ${maxTagsPerContact}::int`
  return new Set(rows.map(({ id }) => id))
}

/**
 * Enqueues a job that adds a tag to up to 500 contacts. Skips unknown contact ids.
 *
 * **Throws** NOT_FOUND if the tag or all contacts are unknown, and VALIDATION_ERROR unless there are 1 to 500 ids.
 */
export async function bulkAdd(
  ctx: Ctx,
  input: { tagId: string | number; contactIds: readonly (string | number)[] },
): Promise<{ tag: Tag; queued: number; skipped: number }> {
  const contactIds = z
    .array(z.unknown())
    .min(1, 'must contain at least 1 id')
    .max(maxBulkContacts, `must contain at most ${maxBulkContacts} ids`)
  check(z.object({ contactIds }), { contactIds: input.contactIds })
  // `idOf` maps all integers that no row can have to 0; as text they are counted separately.
  const requested = new Set(input.contactIds.map((id) => idOf('Contact', id, 'contactIds') || String(id)))
  return inTransaction(ctx, async (tx) => {
    const tag = await mustExist(tx, input.tagId)
    const found = await tx.db.contact.findMany({
      where: { accountId: tx.accountId, id: { in: [...requested].filter((id) => typeof id === 'number') } },
      select: { id: true },
    })
    if (found.length === 0) throw refuseValue('contactIds', 'NOT_FOUND', 'None of the contacts exist.')
    const payload: BulkTagPayload = {
      accountId: tx.accountId,
      tagId: tag.id,
      contactIds: found.map((contact) => contact.id),
      keyId: tx.keyId,
      user: tx.user,
    }
    await enqueue(tx, bulkTagJob, payload)
    return { tag, queued: found.length, skipped: requested.size - found.length }
  })
}

/**
 * Returns the contacts that can have another tag. Locks their rows, so that concurrent jobs cannot exceed the maximum.
 */
export async function lockBelowTagLimit(tx: Ctx, contactIds: readonly number[]): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT c.id FROM contact c WHERE c.account_id = ${tx.sql.account} AND c.id = ANY(${contactIds}::int[])
      AND (SELECT count(*) FROM contact_tag ct WHERE ct.account_id = c.account_id AND ct.contact_id = c.id) < ${maxTagsPerContact}::int
    ORDER BY c.id FOR UPDATE OF c`
  return rows.map((row) => row.id)
}
