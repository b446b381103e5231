import type { Bucket, SubmissionStatus } from '../../prisma/generated/client/client.ts'
import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { newList, pagesOf, pagesWithin } from '../db/list.ts'
import { containing, join, type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import type { Attribution, AttributionKey } from '../kernel/attribution.ts'
import { checkAt, text } from '../kernel/check.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { DateRange, Period } from '../kernel/period.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'
import { valueSeparator } from './answer-value.ts'

export const submissionTable = table('Submission', 's', {
  as: {} as {
    /** Last-touch and first-touch attribution. */
    readonly attribution: Attribution
    readonly firstAttribution: Attribution
    /** Contact data that the visitor typed outside the questions, by contact column. */
    readonly typed: Readonly<Record<string, string>>
  },
})

/** A visitor's answers to a form. The score is an exact decimal, as text. */
export type Submission = RowOf<typeof submissionTable>

/** Filters of a list of submissions, joined by AND. */
export interface SubmissionFilter {
  formId?: string | number | null | undefined
  status?: SubmissionStatus | null | undefined
  bucket?: Bucket | null | undefined
  scoreMin?: string | null | undefined
  contactId?: string | number | null | undefined
  email?: string | null | undefined
  period?: Period | null | undefined
  range?: DateRange | null | undefined
  updatedAfter?: Date | null | undefined
  questionId?: string | number | null | undefined
  answer?: string | null | undefined
  answerContains?: string | null | undefined
  attribution?: { key: AttributionKey; value: string } | null | undefined
}

/** The list of the submissions of an account. */
export const submissions = newList(submissionTable, {
  name: 'submissions',
  orders: { CREATED_AT: 'createdAt', SCORE: 'score', UPDATED_AT: 'updatedAt' },
  where: conditions,
})

/** Returns a page of the submissions of the account, newest first by default. **Throws** as `conditions`. */
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
 * Builds the SQL conditions of a filter.
 *
 * **Throws** MISSING_QUESTION_ID for a filter on an answer without its question, INVALID_PERIOD, VALIDATION_ERROR for an ID of
 * another type or a text with invalid characters, and FORBIDDEN for a filter on a contact without the scope `contacts:read`.
 */
async function conditions(filter: SubmissionFilter, ctx: Ctx): Promise<Sql[]> {
  const { from, until } = filter.period ? await spanFor(ctx, filter.period, filter.range) : {}
  const { formId, contactId } = filter
  if (contactId != null || filter.email != null) mustBeAllowed(ctx, 'contacts:read')
  const all: (Sql | undefined)[] = [
    formId == null ? undefined : sql`s.form_id = ${idOf('Form', formId, 'filter.formId')}`,
    contactId == null ? undefined : sql`s.contact_id = ${idOf('Contact', contactId, 'filter.contactId')}`,
    filter.status == null ? undefined : sql`s.status = ${filter.status}::submission_status`,
    filter.bucket == null ? undefined : sql`s.bucket = ${filter.bucket}::bucket`,
    filter.scoreMin == null ? undefined : sql`s.score >= ${filter.scoreMin}::numeric`,
    filter.email == null ? undefined : hasContactEmail(ctx, checkText('email', filter.email.trim())),
    from && sql`s.created_at >= ${from}::timestamptz`,
    until && sql`s.created_at < ${until}::timestamptz`,
    filter.updatedAfter == null ? undefined : sql`s.updated_at >= ${filter.updatedAfter}::timestamptz`,
    filter.attribution == null
      ? undefined
      : sql`s.attribution ->> ${filter.attribution.key} = ${checkText('attribution.value', filter.attribution.value)}`,
    hasAnswer(ctx, filter),
  ]
  return all.filter((condition) => condition !== undefined)
}

/** A subquery instead of a join, so that the planner knows that there is at most one contact. */
function hasContactEmail(ctx: Ctx, email: string): Sql {
  return sql`s.contact_id = (SELECT c.id FROM contact c
    WHERE c.account_id = ${ctx.sql.account} AND lower(c.email) = lower(${email}))`
}

function hasAnswer(ctx: Ctx, { questionId, answer, answerContains }: SubmissionFilter): Sql | undefined {
  if (questionId == null) {
    if (answer != null || answerContains != null) throw refuse('MISSING_QUESTION_ID')
    return undefined
  }
  const answerConditions = [
    sql`a.account_id = ${ctx.sql.account} AND a.question_id = ${idOf('Question', questionId, 'filter.questionId')}`,
    ...(answer == null ? [] : [sql`a.values @> ARRAY[${checkText('answer', answer)}]::text[]`]),
    ...(answerContains == null ? [] : [containsText(checkText('answerContains', answerContains))]),
  ]
  return sql`EXISTS (SELECT FROM answer a WHERE a.submission_id = s.id AND ${join(answerConditions, ' AND ')})`
}

/** A text with the separator would match across two values. */
function containsText(part: string): Sql {
  return part.includes(valueSeparator) ? sql`false` : sql`a.search LIKE lower(${containing(part)})`
}

/** **Throws** VALIDATION_ERROR for a text that cannot be stored. */
function checkText(field: string, value: string): string {
  return checkAt(`filter.${field}`, text(10_000), value)
}

/**
 * Selects the ids of the contacts that completed any of the forms, once for each submission. Without `formIds`, of those that
 * completed any form.
 */
export function contactsWithForms(ctx: Ctx, formIds: readonly number[] | undefined): Sql {
  const ofForms = formIds ? sql`AND s.form_id = ANY(${formIds}::int[])` : sql`AND s.contact_id IS NOT NULL`
  return sql`SELECT s.contact_id FROM submission s WHERE s.account_id = ${ctx.sql.account} ${ofForms}
    AND s.status = 'COMPLETED'`
}
