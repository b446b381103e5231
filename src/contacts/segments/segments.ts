import { z } from 'zod'
import type { Contact } from '../../../prisma/generated/client/client.ts'
import { lockKind } from '../../db/account-lock.ts'
import { type Ctx, many } from '../../db/context.ts'
import { compileFilter } from '../../db/filters/filter.ts'
import { scopesOf } from '../../db/filters/filter-check.ts'
import { enqueue } from '../../db/jobs/jobs.ts'
import type { KeyedList, Page } from '../../db/lists/list.ts'
import { inDictionary, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { may, mustBeAllowed } from '../../kernel/scopes.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { matchedFilters } from '../filters/contact-conditions.ts'
import { type ContactFilter, contactFilter } from '../filters/contact-filter.ts'
import { type Segment, segmentTable } from '../filters/segment-table.ts'
import { type ContactListArgs, listMatching } from '../people/contact-list.ts'
import { ports } from '../ports.ts'
import { checkSegmentFilter } from './segment-filter.ts'

/** Maximum segments of an account. All of them are evaluated to list the segments of a contact. */
export const maxSegments = 200

/** Locks a segment until the transaction ends. */
export const { lock } = segmentTable

const NewSegment = z.object({ name: name(255) })
const SegmentChange = NewSegment.partial()

/** Name of the job that counts the contacts of one segment. */
export const segmentSizeJob = 'segments:measure'

/** The payload of `segmentSizeJob`. */
export interface SegmentRef {
  readonly accountId: number
  readonly segmentId: number
}

/**
 * Creates a segment: a name for a filter of contacts. A filter without a condition matches all contacts.
 *
 * **Emits** `segment.created`. **Throws** VALIDATION_ERROR, also if another segment has the name, if the account has 200 segments
 * or if the filter contains `segments`, and FORBIDDEN for a condition whose scope the key lacks.
 */
export async function create(
  ctx: Ctx,
  { filter: given, ...rest }: { name: string; filter: ContactFilter },
): Promise<{ segment: Segment }> {
  const fields = check(NewSegment, rest)
  const filter = await checkSegmentFilter(ctx, given)
  return inTransaction(ctx, async (tx) => {
    await lockKind(tx, 'segments')
    const count = await tx.db.segment.count({ where: { accountId: tx.accountId } })
    if (count >= maxSegments)
      throw invalid({ name: [`would exceed the maximum of ${maxSegments} segments per account`] }, 'LIMIT_REACHED')
    const now = tx.clock.now()
    const data = { ...fields, filter, accountId: tx.accountId, createdAt: now, updatedAt: now }
    const segment = await rejectTakenName(() => tx.db.segment.create({ data }))
    await emit(tx, 'segment.created', { segmentId: segment.id })
    await enqueueMeasurement(tx, segment.id)
    return { segment }
  })
}

/**
 * Renames a segment or replaces its filter; absent fields stay. Campaigns that were not sent yet use the new filter.
 *
 * **Emits** `segment.updated`. **Throws** like `create`, and NOT_FOUND.
 */
export async function update(
  ctx: Ctx,
  {
    id: ref,
    filter: given,
    ...rest
  }: { id: string | number; name?: string | null | undefined; filter?: ContactFilter | null | undefined },
): Promise<{ segment: Segment }> {
  const fields = sent(check(SegmentChange, sent(rest)))
  const filter = given && (await checkSegmentFilter(ctx, given))
  return inTransaction(ctx, async (tx) => {
    const { id } = await segmentTable.lock(tx, ref)
    const data = { ...fields, ...(filter && { filter }), updatedAt: tx.clock.now() }
    const where = { accountId_id: { accountId: tx.accountId, id } }
    const segment = await rejectTakenName(() => tx.db.segment.update({ where, data }))
    await emit(tx, 'segment.updated', { segmentId: id })
    if (filter) await enqueueMeasurement(tx, id)
    return { segment }
  })
}

/**
 * Deletes a segment. Its contacts stay.
 *
 * **Emits** `segment.deleted`. **Throws** NOT_FOUND, and INVALID_STATE if the audience of a campaign that can still be sent uses
 * the segment.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id } = await segmentTable.lock(tx, input.id)
    const campaigns = await ports.campaignsWithSegment(tx, id)
    if (campaigns.total > 0) throw refuseValue('id', 'INVALID_STATE', `The segment is used by ${enumerate(campaigns)}.`)
    await tx.db.segment.delete({ where: { accountId_id: { accountId: tx.accountId, id } } })
    await emit(tx, 'segment.deleted', { segmentId: id })
    return { databaseId: id }
  })
}

/** Enqueues the count of the contacts of a segment for its figure. The segments of an account are counted one after another. */
export async function enqueueMeasurement(tx: Ctx, segmentId: number): Promise<void> {
  const payload: SegmentRef = { accountId: tx.accountId, segmentId }
  await enqueue(tx, segmentSizeJob, payload, { queue: `segments ${tx.accountId}`, priority: 10 })
}

/** Returns the contacts of a segment. **Throws** FORBIDDEN for a condition whose scope the key lacks. */
export async function contactsOf(ctx: Ctx, { filter }: Segment, args: ContactListArgs): Promise<Page<Contact>> {
  for (const scope of scopesOf(contactFilter.fields, filter as object)) mustBeAllowed(ctx, scope)
  return listMatching(ctx, inSegment, JSON.stringify(filter), args)
}

/** Contacts of a segment. The key is its filter. */
const inSegment: KeyedList = {
  name: 'segment',
  isStored: () => true,
  from: async (ctx, key) => {
    const { condition } = await compileFilter(ctx, contactFilter, JSON.parse(key), 'filter')
    return sql`${contactFilter.from(ctx)} AND ${asSql(condition)}`
  },
}

/**
 * Loads the segments that contacts are in, ordered by name, without those whose conditions need a scope that the key lacks.
 * One statement evaluates all segments of the account for all contacts, unless they have very many values.
 */
export const ofContact = many<number, Segment>(async (ctx, contactIds) => {
  const all = await segmentTable.select(ctx, sql`ORDER BY ${inDictionary(sql`s.name`)}, s.id LIMIT ${maxSegments}::int`)
  const visible = all.filter(({ filter }) =>
    scopesOf(contactFilter.fields, filter as object).every((scope) => may(ctx, scope)),
  )
  const filters = visible.map(({ id, filter }) => ({ key: id, filter: filter as ContactFilter }))
  const byId = new Map(visible.map((segment) => [segment.id, segment]))
  const matched = await matchedFilters(ctx, filters, contactIds)
  return new Map([...matched].map(([id, keys]) => [id, keys.flatMap((key) => byId.get(key) ?? [])]))
})

function asSql(condition: Sql | boolean): Sql {
  return typeof condition === 'boolean' ? sql`${condition}::boolean` : condition
}

/** Names campaigns in a sentence. */
function enumerate({ names, total }: { readonly names: readonly string[]; readonly total: number }): string {
  const others = total - names.length
  const shown = names.map((each) => `“${each}”`).join(', ')
  return `the campaign${total > 1 ? 's' : ''} ${shown}${others > 0 ? ` and ${others} more` : ''}`
}

async function rejectTakenName(write: () => Promise<Segment>): Promise<Segment> {
  try {
    return await write()
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002')
      throw invalid({ name: ['is already used by another segment'] }, 'TAKEN')
    throw error
  }
}
