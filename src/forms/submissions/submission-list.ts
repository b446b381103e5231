import type { Bucket, SubmissionStatus } from '../../../prisma/generated/client/client.ts'
import type { AcceptedTerms, Attribution } from '../../contacts/index.ts'
import { contactFields } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, number, oneOf, reference, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf, pagesWithin } from '../../db/lists/pages.ts'
import { isOneOf, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { answerValues } from '../answers/answer-filter.ts'
import { keysOf } from '../form/outcome-list.ts'
import { submissionFacets } from './submission-facets.ts'
import { attributionPairs, contactEmail } from './submission-filter.ts'

export const submissionTable = table('Submission', 's', {
  as: {} as {
    /** Last-touch and first-touch attribution. */
    readonly attribution: Attribution
    readonly firstAttribution: Attribution
    /** Contact data that the visitor typed outside the questions, by contact column. */
    readonly typed: Readonly<Record<string, string>>
    readonly acceptedTerms: readonly AcceptedTerms[]
  },
})

/** A visitor's answers to a form. The score is an exact decimal, as text. */
export type Submission = RowOf<typeof submissionTable>

/** The filter of submissions. A contact that was deleted stays linked by its id. */
export const submissionFilter = filterOn(submissionTable, {
  id: identity('Submission'),
  status: oneOf<SubmissionStatus>('SubmissionStatus', sql`s.status`, 'submission_status'),
  bucket: oneOf<Bucket>('Bucket', sql`s.bucket`, 'bucket'),
  ...onColumns(number, submissionTable, 'score'),
  ...onColumns(text, submissionTable, 'outcomeKey'),
  ...onColumns(time, submissionTable, 'startedAt', 'completedAt', 'createdAt', 'updatedAt'),
  forms: reference('Form', sql`s.form_id`),
  ...contactFields(submissionTable),
  email: contactEmail,
  answers: answerValues,
  attribution: attributionPairs(sql`s.attribution`),
  firstAttribution: attributionPairs(sql`s.first_attribution`),
})

/** The list of the submissions of an account. */
export const submissions = newList(submissionTable, {
  name: 'submissions',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    COMPLETED_AT: { by: sql`coalesce(s.completed_at, 'epoch'::timestamptz)`, kind: 'time' },
    SCORE: 'score',
    // Unlike the name of a value, the comparison can be indexed.
    STATUS: { by: sql`(s.status = 'COMPLETED')::int`, kind: 'number' },
  },
  filter: submissionFilter,
  facets: submissionFacets,
})

/** Returns a page of the submissions of the account, newest first by default. **Throws** INVALID_PERIOD. */
export const list = pagesOf(submissions)

/** Returns a page of the submissions of a form. */
export const listOfForm = pagesWithin(submissions, submissionTable.within('formId'))

/** Returns a page of the submissions that are linked to a contact. */
export const listOfContact = pagesWithin(submissions, submissionTable.within('contactId'))

/** Loads submissions by ID. */
export const { byId } = submissionTable

/** Returns the submission of a form with this `clientSubmissionId`; undefined if there is none. */
export async function findByClientId(
  ctx: Ctx,
  formId: number,
  clientSubmissionId: string,
): Promise<Submission | undefined> {
  const [row] = await submissionTable.select(
    ctx,
    sql`AND s.form_id = ${formId} AND s.client_submission_id = ${clientSubmissionId}`,
  )
  return row
}

/**
 * Selects the ids of the contacts that completed any of the forms, once for each submission. Without `formIds`, of those that
 * completed any form.
 */
export function contactsWithForms(ctx: Ctx, formIds: readonly number[] | undefined): Sql {
  const ofForms = formIds ? sql`AND ${isOneOf(sql`s.form_id`, formIds)}` : sql`AND s.contact_id IS NOT NULL`
  return sql`SELECT s.contact_id FROM submission s WHERE s.account_id = ${ctx.sql.account} ${ofForms}
    AND s.status = 'COMPLETED'`
}

/**
 * Selects the ids of the contacts that completed a form with any of the outcomes, once for each submission. Without
 * `outcomeIds`, with any outcome.
 */
export function contactsWithOutcomes(ctx: Ctx, outcomeIds: readonly number[] | undefined): Sql {
  const ofOutcomes = outcomeIds
    ? sql`AND (s.form_id, s.outcome_key) IN (${keysOf(ctx, outcomeIds)})`
    : sql`AND s.outcome_key IS NOT NULL`
  return sql`SELECT s.contact_id ${submissionTable.from(ctx)} ${ofOutcomes} AND s.status = 'COMPLETED'
    AND s.contact_id IS NOT NULL`
}

/** Selects the contact (`id`) of each submission (`via`), if it is linked to one. */
export function contactsOfSubmissions(ctx: Ctx, ids: readonly number[]): Sql {
  return sql`SELECT s.contact_id AS id, s.id AS via ${submissionTable.from(ctx)} AND s.id = ANY(${ids}::int[])
    AND s.contact_id IS NOT NULL`
}
