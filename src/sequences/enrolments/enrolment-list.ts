import type { Contact, EnrolmentEndReason, EnrolmentState } from '../../../prisma/generated/client/client.ts'
import { type ContactListArgs, contactFields, contactList } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { identity, oneOf, reference, text, time } from '../../db/filters/filter-fields.ts'
import { type InnerList, newList, type Page } from '../../db/lists/list.ts'
import { pagesWithin } from '../../db/lists/pages.ts'
import { empty, isOneOf, type Sql, sql } from '../../db/sql.ts'
import { enrolmentTable, ofStages } from '../planning/progress.ts'

/** The filter of enrolments. */
export const enrolmentFilter = filterOn(enrolmentTable, {
  id: identity('Enrolment'),
  state: oneOf<EnrolmentState>('EnrolmentState', sql`e.state`, 'enrolment_state'),
  enrolledAt: time(sql`e.enrolled_at`),
  anchorDate: time(sql`e.anchor_date`),
  lastDoneAt: time(sql`e.last_done_at`),
  dueAt: time(sql`e.due_at`),
  endedAt: time(sql`e.ended_at`),
  endReason: oneOf<EnrolmentEndReason>('EnrolmentEndReason', sql`e.end_reason`, 'enrolment_end_reason'),
  failure: text(sql`e.failure`),
  sequences: reference('Sequence', sql`e.sequence_id`),
  lastStages: reference('SequenceStage', sql`e.last_stage_id`),
  nextStages: reference('SequenceStage', sql`e.next_stage_id`),
  ...contactFields(enrolmentTable),
})

/** All enrolments of an account. */
export const enrolments = newList(enrolmentTable, {
  name: 'enrolments',
  orders: { ENROLLED_AT: 'enrolledAt' },
  filter: enrolmentFilter,
})

const contactsInSequence: InnerList = {
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
  return sql`SELECT e.contact_id ${enrolmentTable.from(ctx)} ${inSequences} AND e.state = 'ACTIVE'`
}

/**
 * Selects the ids of the contacts that wait for any of the stages, once for each enrolment. Without `stageIds`, of those that
 * wait for any stage.
 */
export function contactsBefore(ctx: Ctx, stageIds: readonly number[] | undefined): Sql {
  const beforeStages = stageIds
    ? ofStages(ctx, stageIds, sql`e.sequence_id`, sql`e.next_stage_id`)
    : sql`e.next_stage_id IS NOT NULL`
  return sql`SELECT e.contact_id ${enrolmentTable.from(ctx)} AND ${beforeStages} AND e.state = 'ACTIVE'`
}
