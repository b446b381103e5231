import type { Contact, EnrolmentState } from '../../prisma/generated/client/client.ts'
import { type ContactListArgs, contactList } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { newList, type Page, pagesWithin, type Within } from '../db/list.ts'
import { empty, isOneOf, type Sql, sql } from '../db/sql.ts'
import { enrolmentTable } from './progress.ts'

export interface EnrolmentFilter {
  states?: readonly EnrolmentState[] | null | undefined
}

/** All enrolments of an account. */
export const enrolments = newList(enrolmentTable, {
  name: 'enrolments',
  orders: { ENROLLED_AT: 'enrolledAt' },
  where: ({ states }: EnrolmentFilter) =>
    states ? [sql`e.state = ANY(${[...states]}::text[]::enrolment_state[])`] : [],
})

const contactsInSequence: Within = {
  name: 'sequence',
  from: (ctx) => sql`FROM enrolment e JOIN contact c ON c.account_id = e.account_id AND c.id = e.contact_id
    WHERE e.account_id = ${ctx.sql.account} AND e.sequence_id = parent.id AND e.state = 'ACTIVE'`,
}

/** Loads enrolments by id. */
export const { byId } = enrolmentTable

/** Lists the enrolments of a contact, including past ones, by default the latest first. */
export const listOfContact = pagesWithin(enrolments, enrolmentTable.within('contactId'))

/** Lists the enrolments of a sequence, including past ones, by default the latest first. */
export const listOfSequence = pagesWithin(enrolments, enrolmentTable.within('sequenceId'))

/** Lists the contacts that are currently enrolled in a sequence. */
export async function contactsOfSequence(ctx: Ctx, sequenceId: number, args: ContactListArgs): Promise<Page<Contact>> {
  return contactList.listWithin(ctx, contactsInSequence, sequenceId, args)
}

/**
 * Selects the ids of the contacts that are currently enrolled in any of the sequences, once for each enrolment. Without
 * `sequenceIds`, of those that are enrolled in any sequence.
 */
export function contactsIn(ctx: Ctx, sequenceIds: readonly number[] | undefined): Sql {
  const inSequences = sequenceIds ? sql`AND ${isOneOf(sql`e.sequence_id`, sequenceIds)}` : empty
  return sql`SELECT e.contact_id FROM enrolment e WHERE e.account_id = ${ctx.sql.account} ${inSequences}
    AND e.state = 'ACTIVE'`
}
