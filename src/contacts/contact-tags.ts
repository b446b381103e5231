import { z } from 'zod'
import type { Contact, Tag } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { enqueue } from '../db/jobs.ts'
import { many } from '../db/load.ts'
import { type Sql, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit, emitAll } from '../events/index.ts'
import { check } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { type ContactRef, lock } from './contact-list.ts'
import { mustExist, tagColumns } from './tags.ts'

/** How many tags a contact can have; lists of them are not paged. */
export const mostTags = 1_000

/** How many contacts one bulk job takes (REST specification, Limits). */
const mostInBulk = 500

export const bulkTagJob = 'contacts:bulk_tag'

export interface BulkTag {
  accountId: number
  tagId: number
  contactIds: number[]
}

/** The tags of contacts, by name. Each tag is read once, with the contacts that have it: many share few. */
export const ofContact = many<number, Tag>(async (ctx, contactIds) => {
  const rows = await ctx.sql<Tag & { contactIds: number[] }>`
    SELECT ${tagColumns}, json_agg(ct.contact_id) AS "contactIds"
    FROM contact_tag ct JOIN tag t ON t.account_id = ct.account_id AND t.id = ct.tag_id
    WHERE ct.account_id = ${ctx.sql.account} AND ct.contact_id = ANY(${contactIds}::int[])
    GROUP BY t.account_id, t.id ORDER BY t.name, t.id`
  const tags = new Map<number, Tag[]>(contactIds.map((id) => [id, []]))
  for (const { contactIds: having, ...tag } of rows) for (const id of having) tags.get(id)?.push(tag)
  return tags
})

/** The ids of the contacts that have any of the tags, once for each that they have, to be selected from. */
export function contactsWith(ctx: Ctx, tagIds: readonly number[]): Sql {
  return sql`SELECT h.contact_id FROM contact_tag h WHERE h.account_id = ${ctx.sql.account} AND h.tag_id = ANY(${tagIds}::int[])`
}

export interface ContactTagInput {
  contact: ContactRef
  tagId: string | number
}

/**
 * Gives a contact a tag. Safe to repeat: the second call changes nothing and announces nothing.
 *
 * Announces `contact.tag_added`. Fails with NOT_FOUND when either is not the account's.
 */
export async function add(ctx: Ctx, input: ContactTagInput): Promise<{ contact: Contact; tag: Tag }> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const tag = await mustExist(tx, input.tagId)
    await addAll(tx, [contact.id], [tag.id])
    return { contact, tag }
  })
}

/** Takes a tag from a contact; one that it does not have is no failure. Announces `contact.tag_removed`. Fails with NOT_FOUND. */
export async function remove(ctx: Ctx, input: ContactTagInput): Promise<{ contact: Contact; tag: Tag }> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const tag = await mustExist(tx, input.tagId)
    const pair = { contactId: contact.id, tagId: tag.id }
    const { count } = await tx.db.contactTag.deleteMany({ where: { accountId: tx.accountId, ...pair } })
    if (count > 0) await emit(tx, 'contact.tag_removed', pair)
    return { contact, tag }
  })
}

/**
 * Gives contacts tags; ids that are not the account's are skipped, links that stand already are kept. Announces
 * `contact.tag_added` for each link that is new. Fails with VALIDATION_ERROR where a contact would have too many.
 */
export async function addAll(tx: Ctx, contactIds: readonly number[], tagIds: readonly number[]): Promise<void> {
  if (tagIds.length === 0) return
  const added = await tx.sql<{ contactId: number; tagId: number }>`
    INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at)
    SELECT c.account_id, c.id, t.id, ${tx.clock.now()}::timestamptz
    FROM contact c JOIN tag t ON t.account_id = c.account_id AND t.id = ANY(${tagIds}::int[])
    WHERE c.account_id = ${tx.sql.account} AND c.id = ANY(${contactIds}::int[]) ORDER BY c.id, t.id
    ON CONFLICT DO NOTHING RETURNING contact_id AS "contactId", tag_id AS "tagId"`
  if (added.length === 0) return
  const [fullest] = await tx.sql<{ tags: number }>`
    SELECT count(*)::int AS tags FROM contact_tag WHERE account_id = ${tx.sql.account} AND contact_id = ANY(${contactIds}::int[])
    GROUP BY contact_id ORDER BY tags DESC LIMIT 1`
  if ((fullest?.tags ?? 0) > mostTags) throw invalid({ tagIds: [`would give a contact more than ${mostTags} tags`] })
  await emitAll(tx, 'contact.tag_added', added)
}

/**
 * Asks for a tag on many contacts; a background job gives it. Ids that are not the account's are skipped. Fails with
 * NOT_FOUND where the tag, or every contact, is unknown, and with VALIDATION_ERROR for more than 500 ids.
 */
export async function bulkAdd(
  ctx: Ctx,
  input: { tagId: string | number; contactIds: readonly (string | number)[] },
): Promise<{ tag: Tag; queued: number; skipped: number }> {
  const bounded = z
    .array(z.unknown())
    .min(1, 'must name at least one contact')
    .max(mostInBulk, `must have ${mostInBulk} ids at most`)
  check(z.object({ contactIds: bounded }), { contactIds: input.contactIds })
  // Integers that no row can have are all one id here, and count each for itself.
  const asked = new Set(input.contactIds.map((id) => idOf('Contact', id, 'contactIds') || String(id)))
  return inTransaction(ctx, async (tx) => {
    const tag = await mustExist(tx, input.tagId)
    const found = await tx.db.contact.findMany({
      where: { accountId: tx.accountId, id: { in: [...asked].filter((id) => typeof id === 'number') } },
      select: { id: true },
    })
    if (found.length === 0) throw refuse('NOT_FOUND', 'None of the contacts exists.')
    const job: BulkTag = { accountId: tx.accountId, tagId: tag.id, contactIds: found.map((contact) => contact.id) }
    await enqueue(tx, bulkTagJob, job)
    return { tag, queued: found.length, skipped: asked.size - found.length }
  })
}

/** Those of the contacts that can take one more tag. Their rows are locked, so that two jobs do not fill one room twice. */
export async function withRoomForTag(tx: Ctx, contactIds: readonly number[]): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT c.id FROM contact c WHERE c.account_id = ${tx.sql.account} AND c.id = ANY(${contactIds}::int[])
      AND (SELECT count(*) FROM contact_tag ct WHERE ct.account_id = c.account_id AND ct.contact_id = c.id) < ${mostTags}::int
    ORDER BY c.id FOR UPDATE OF c`
  return rows.map((row) => row.id)
}
