import type { Ctx } from '../../db/context.ts'
import { insertParts } from '../../db/figures/figure-parts.ts'
import { figureObject } from '../../db/figures/figures.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { conflict } from '../../db/transaction.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { decimal } from '../../kernel/values/money.ts'
import { insertAnswers, type NewAnswer } from '../answers/answers.ts'
import type { Form } from '../form/form-list.ts'
import type { Question } from '../form/question-list.ts'
import { bucketOf } from '../form/scoring.ts'
import { type Submission, submissionTable } from './submission-list.ts'
import { partsOfNew } from './submission-parts.ts'

/** Finds the submission of a form that a save continues: the one with the id, or else with the `clientSubmissionId`. */
export async function findSubmission(
  tx: Ctx,
  formId: number,
  { id, clientSubmissionId }: { id?: string | number | null | undefined; clientSubmissionId: string | undefined },
  locking: Sql,
): Promise<Submission | undefined> {
  if (id == null && clientSubmissionId === undefined) return undefined
  const condition =
    id == null ? sql`s.client_submission_id = ${clientSubmissionId}` : sql`s.id = ${idOf('Submission', id)}`
  const [row] = await submissionTable.select(tx, sql`AND s.form_id = ${formId} AND ${condition} ${locking}`)
  return row
}

/** Returns a submission without answers, to be changed and inserted. It has no id yet. */
export function newSubmission(tx: Ctx, form: Form, clientSubmissionId: string | null): Submission {
  const now = tx.clock.now()
  return {
    ...{ accountId: tx.accountId, id: 0, formId: form.id, contactId: null, clientSubmissionId, status: 'IN_PROGRESS' },
    ...{ score: '0.00', bucket: bucketOf(decimal(0), form), outcomeKey: null, outcomeTitle: null, aiSummary: null },
    ...{ typed: {}, acceptedTerms: [], isOrder: false, attribution: {}, firstAttribution: {} },
    ...{ startedAt: now, completedAt: null, createdAt: now, updatedAt: now },
  }
}

/**
 * Inserts a new submission with its answers, and counts it. If a concurrent transaction has inserted one with its
 * `clientSubmissionId`, the transaction is repeated, and then continues that one.
 */
export async function insertSubmission(
  tx: Ctx,
  submission: Submission,
  questions: readonly Question[],
  answers: readonly NewAnswer[],
): Promise<Submission> {
  const given = answers.filter(({ values }) => values.length > 0)
  const parts = partsOfNew(submission.status, questions, given)
  const figures = parts.map(({ figure }) => figure)
  // The planner does not see the length of the array, so that it does not plan the statement again for each submission.
  const unseen = (texts: readonly string[]) => sql`(SELECT ${texts}::text[])`
  const [row] = await tx.sql<Submission>`
    WITH saved AS (
      INSERT INTO submission (account_id, form_id, client_submission_id, contact_id, status, score, bucket, outcome_key, outcome_title,
        attribution, first_attribution, typed, accepted_terms, is_order, started_at, completed_at, created_at, updated_at)
      VALUES (${tx.sql.account}::int, ${submission.formId}::int, ${submission.clientSubmissionId}, ${submission.contactId}::int,
        ${submission.status}::submission_status, ${submission.score}::numeric, ${submission.bucket}::bucket, ${submission.outcomeKey},
        ${submission.outcomeTitle}, ${JSON.stringify(submission.attribution)}::jsonb, ${JSON.stringify(submission.firstAttribution)}::jsonb,
        ${JSON.stringify(submission.typed)}::jsonb, ${JSON.stringify(submission.acceptedTerms)}::jsonb, ${submission.isOrder}::boolean,
        ${submission.startedAt}::timestamptz, ${submission.completedAt}::timestamptz,
        ${submission.createdAt}::timestamptz, ${submission.updatedAt}::timestamptz)
      ON CONFLICT (account_id, form_id, client_submission_id) DO NOTHING RETURNING *
    ), answered AS (${insertAnswers(sql`SELECT account_id, id, updated_at FROM saved`, given)}
    ), counted AS (${insertParts(sql`
      SELECT s.account_id, p.figure, ${figureObject('Form', submission.formId)}::text, p.part, s.created_at, 1 FROM saved s
      CROSS JOIN unnest(${unseen(figures)}, ${unseen(parts.map(({ part }) => part))}) p(figure, part)`)}
    )
    SELECT ${submissionTable.columns} FROM saved s`
  if (!row) throw conflict()
  return row
}

/** Writes a changed submission, whose row is locked. */
export async function updateSubmission(tx: Ctx, after: Submission): Promise<Submission> {
  const [row] = await tx.sql<Submission>`
    UPDATE submission s SET contact_id = ${after.contactId}::int, status = ${after.status}::submission_status,
      score = ${after.score}::numeric, bucket = ${after.bucket}::bucket, outcome_key = ${after.outcomeKey},
      outcome_title = ${after.outcomeTitle}, attribution = ${JSON.stringify(after.attribution)}::jsonb,
      first_attribution = ${JSON.stringify(after.firstAttribution)}::jsonb, typed = ${JSON.stringify(after.typed)}::jsonb,
      accepted_terms = ${JSON.stringify(after.acceptedTerms)}::jsonb, is_order = ${after.isOrder}::boolean,
      completed_at = ${after.completedAt}::timestamptz, updated_at = ${after.updatedAt}::timestamptz
    WHERE s.account_id = ${tx.sql.account} AND s.id = ${after.id} RETURNING ${submissionTable.columns}`
  return row as Submission
}
