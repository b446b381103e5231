import type { Contact, Enrolment, EnrolmentState } from '../../prisma/generated/client/client.ts'
import { type ContactListArgs, contactList } from '../contacts/index.ts'
import { type Ctx, one } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, type Within } from '../db/list.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { enrolmentColumns } from './progress.ts'

export interface EnrolmentFilter {
  states?: readonly EnrolmentState[] | null | undefined
}
type EnrolmentListArgs = ListArgs<EnrolmentFilter, 'ENROLLED_AT'>

/** All enrolments of an account. */
export const enrolments: List<Enrolment, EnrolmentFilter, 'ENROLLED_AT'> = {
  name: 'enrolments',
  columns: enrolmentColumns,
  from: (ctx) => sql`FROM enrolment e WHERE e.account_id = ${ctx.sql.account}`,
  id: sql`e.id`,
  orders: { ENROLLED_AT: { by: sql`e.enrolled_at`, kind: 'time' } },
  usual: { field: 'ENROLLED_AT', direction: 'DESC' },
  where: ({ states }) => (states ? [sql`e.state = ANY(${[...states]}::text[]::enrolment_state[])`] : []),
}

const inContact: Within = {
  name: 'contact',
  from: (ctx) => sql`FROM enrolment e WHERE e.account_id = ${ctx.sql.account} AND e.contact_id = parent.id`,
}

const inSequence: Within = {
  name: 'sequence',
  from: (ctx) => sql`FROM enrolment e WHERE e.account_id = ${ctx.sql.account} AND e.sequence_id = parent.id`,
}

const contactsInSequence: Within = {
  name: 'sequence',
  from: (ctx) => sql`FROM enrolment e JOIN contact c ON c.account_id = e.account_id AND c.id = e.contact_id
    WHERE e.account_id = ${ctx.sql.account} AND e.sequence_id = parent.id AND e.state = 'ACTIVE'`,
}

/** Loads enrolments by id. */
export const byId = one<number, Enrolment>(async (ctx, ids) => {
  const rows = await ctx.sql<Enrolment>`
    SELECT ${enrolmentColumns} FROM enrolment e WHERE e.account_id = ${ctx.sql.account} AND e.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Lists the enrolments of a contact, including past ones, by default the latest first. */
export async function listOfContact(ctx: Ctx, contactId: number, args: EnrolmentListArgs): Promise<Page<Enrolment>> {
  return nestedPageOf(ctx, enrolments, inContact, contactId, args)
}

/** Lists the enrolments of a sequence, including past ones, by default the latest first. */
export async function listOfSequence(ctx: Ctx, sequenceId: number, args: EnrolmentListArgs): Promise<Page<Enrolment>> {
  return nestedPageOf(ctx, enrolments, inSequence, sequenceId, args)
}

/** Lists the contacts that are currently enrolled in a sequence. */
export async function contactsOfSequence(ctx: Ctx, sequenceId: number, args: ContactListArgs): Promise<Page<Contact>> {
  return contactList.listWithin(ctx, contactsInSequence, sequenceId, args)
}

/**
 * Selects the ids of the contacts that are currently enrolled in any of the sequences, once for each enrolment. Without
 * `sequenceIds`, of those that are enrolled in any sequence.
 */
export function contactsIn(ctx: Ctx, sequenceIds: readonly number[] | undefined): Sql {
  const inSequences = sequenceIds ? sql`AND e.sequence_id = ANY(${sequenceIds}::int[])` : empty
  return sql`SELECT e.contact_id FROM enrolment e WHERE e.account_id = ${ctx.sql.account} ${inSequences}
    AND e.state = 'ACTIVE'`
}
