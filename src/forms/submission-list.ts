import { z } from 'zod'
import type { Bucket, SubmissionStatus } from '../../prisma/generated/client/client.ts'
import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { one } from '../db/load.ts'
import { containing, join, type Sql, sql } from '../db/sql.ts'
import type { Attribution, AttributionKey } from '../kernel/attribution.ts'
import { check, text } from '../kernel/check.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { DateRange, Period } from '../kernel/period.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'
import { separator } from './answer-value.ts'

/** One visitor's way through a form; its score is exact, as text. */
export interface Submission {
  readonly accountId: number
  readonly id: number
  readonly formId: number
  readonly contactId: number | null
  readonly clientSubmissionId: string | null
  readonly status: SubmissionStatus
  readonly score: string
  readonly bucket: Bucket
  readonly outcomeKey: string | null
  readonly outcomeTitle: string | null
  readonly aiSummary: string | null
  /** What led the visitor here the last time before it was saved, and what did at first. */
  readonly attribution: Attribution
  readonly firstAttribution: Attribution
  /** What a page asked of its visitor beside the questions, by the columns of a contact. */
  readonly typed: Readonly<Record<string, string>>
  readonly startedAt: Date
  readonly completedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Which submissions a list is about; conditions are joined by AND. */
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
export type SubmissionOrderField = 'CREATED_AT' | 'SCORE' | 'UPDATED_AT'
export type SubmissionListArgs = ListArgs<SubmissionFilter, SubmissionOrderField>

export const submissionColumns = sql`s.account_id AS "accountId", s.id, s.form_id AS "formId", s.contact_id AS "contactId",
  s.client_submission_id AS "clientSubmissionId", s.status::text AS status, s.score::text AS score, s.bucket::text AS bucket,
  s.outcome_key AS "outcomeKey", s.outcome_title AS "outcomeTitle", s.ai_summary AS "aiSummary", s.attribution,
  s.first_attribution AS "firstAttribution", s.typed, s.started_at AS "startedAt", s.completed_at AS "completedAt", s.created_at AS "createdAt", s.updated_at AS "updatedAt"`

/** All submissions of an account. */
export const submissions: List<Submission, SubmissionFilter, SubmissionOrderField> = {
  name: 'submissions',
  columns: submissionColumns,
  from: (ctx) => sql`FROM submission s WHERE s.account_id = ${ctx.sql.account}`,
  id: sql`s.id`,
  orders: {
    CREATED_AT: { by: sql`s.created_at`, kind: 'time' },
    SCORE: { by: sql`s.score`, kind: 'decimal' },
    UPDATED_AT: { by: sql`s.updated_at`, kind: 'time' },
  },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: conditions,
}

const ofForm: Within = {
  name: 'form',
  from: (ctx) => sql`FROM submission s WHERE s.account_id = ${ctx.sql.account} AND s.form_id = parent.id`,
}
const ofContact: Within = {
  name: 'contact',
  from: (ctx) => sql`FROM submission s WHERE s.account_id = ${ctx.sql.account} AND s.contact_id = parent.id`,
}

/** The account's submissions, the newest first unless ordered otherwise. Fails as its filter can: see `conditions`. */
export async function list(ctx: Ctx, args: SubmissionListArgs): Promise<Page<Submission>> {
  return pageOf(ctx, submissions, args)
}

/** The submissions of a form. */
export async function listOfForm(ctx: Ctx, formId: number, args: SubmissionListArgs): Promise<Page<Submission>> {
  return nestedPageOf(ctx, submissions, ofForm, formId, args)
}

/** The submissions that are linked to a contact. */
export async function listOfContact(ctx: Ctx, contactId: number, args: SubmissionListArgs): Promise<Page<Submission>> {
  return nestedPageOf(ctx, submissions, ofContact, contactId, args)
}

/** Reads submissions by id. */
export const byId = one<number, Submission>(async (ctx, ids) => {
  const rows = await ctx.sql<Submission>`
    SELECT ${submissionColumns} FROM submission s WHERE s.account_id = ${ctx.sql.account} AND s.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** The submission of a form that has this name of its visitor's. */
export async function ofClient(ctx: Ctx, formId: number, clientSubmissionId: string): Promise<Submission | undefined> {
  const [row] = await ctx.sql<Submission>`
    SELECT ${submissionColumns} FROM submission s
    WHERE s.account_id = ${ctx.sql.account} AND s.form_id = ${formId} AND s.client_submission_id = ${clientSubmissionId}`
  return row
}

/**
 * Fails with MISSING_QUESTION_ID for an answer without its question, with INVALID_PERIOD, with VALIDATION_ERROR for an id
 * of another type or a text that cannot be stored, and with FORBIDDEN where a contact is named by a key that may read none.
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
    filter.email == null ? undefined : isOf(ctx, storable('email', filter.email.trim())),
    from && sql`s.created_at >= ${from}::timestamptz`,
    until && sql`s.created_at < ${until}::timestamptz`,
    filter.updatedAfter == null ? undefined : sql`s.updated_at >= ${filter.updatedAfter}::timestamptz`,
    filter.attribution == null
      ? undefined
      : sql`s.attribution ->> ${filter.attribution.key} = ${storable('attribution.value', filter.attribution.value)}`,
    hasAnswer(ctx, filter),
  ]
  return all.filter((condition) => condition !== undefined)
}

/** One row by the contact's own index: the planner needs no join, and knows that there is one contact at most. */
function isOf(ctx: Ctx, email: string): Sql {
  return sql`s.contact_id = (SELECT c.id FROM contact c
    WHERE c.account_id = ${ctx.sql.account} AND lower(c.email) = lower(${email}))`
}

function hasAnswer(ctx: Ctx, { questionId, answer, answerContains }: SubmissionFilter): Sql | undefined {
  if (questionId == null) {
    if (answer != null || answerContains != null) throw refuse('MISSING_QUESTION_ID')
    return undefined
  }
  const wanted = [
    sql`a.account_id = ${ctx.sql.account} AND a.question_id = ${idOf('Question', questionId, 'filter.questionId')}`,
    ...(answer == null ? [] : [sql`a.values @> ARRAY[${storable('answer', answer)}]::text[]`]),
    ...(answerContains == null ? [] : [containsText(storable('answerContains', answerContains))]),
  ]
  return sql`EXISTS (SELECT FROM answer a WHERE a.submission_id = s.id AND ${join(wanted, ' AND ')})`
}

/** A text that would reach from one value of an answer into the next is in none of them. */
function containsText(part: string): Sql {
  return part.includes(separator) ? sql`false` : sql`a.search LIKE lower(${containing(part)})`
}

function storable(field: string, value: string): string {
  return check(z.object({ [`filter.${field}`]: text(10_000) }), { [`filter.${field}`]: value })[
    `filter.${field}`
  ] as string
}
