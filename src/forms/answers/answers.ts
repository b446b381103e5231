import { type Ctx, many, one } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { valueSeparator } from '../form/answer-values.ts'
import type { QuestionContent } from '../form/question-rules.ts'

const answerTable = table('Answer', 'a', { without: ['search'] })
/**
 * A stored answer, with the label and the type of the question version that it answered. The score is an exact decimal,
 * as text.
 */
export type Answer = RowOf<typeof answerTable> & Pick<QuestionContent, 'label' | 'type'>

const select = (ctx: Ctx, condition: Sql) => ctx.sql<Answer>`
  SELECT ${answerTable.columns}, v.label, v.type FROM answer a
  JOIN question_version v ON v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
  JOIN question q ON q.account_id = a.account_id AND q.id = a.question_id
  WHERE a.account_id = ${ctx.sql.account} AND ${condition} ORDER BY q.position, q.id`

/** Loads answers by id. */
export const byId = one<bigint, Answer>(async (ctx, ids) => {
  const rows = await select(ctx, sql`a.id = ANY(${ids}::bigint[])`)
  return new Map(rows.map((row) => [row.id, row]))
})

/** Loads the answers of submissions, in the order of the questions. */
export const ofSubmission = many<number, Answer>(async (ctx, submissionIds) => {
  const rows = await select(ctx, sql`a.submission_id = ANY(${submissionIds}::int[])`)
  return Map.groupBy(rows, (row) => row.submissionId)
})

/** An answer to store. It replaces the earlier answer to the question; without values it removes that answer. */
export interface NewAnswer {
  readonly questionId: number
  readonly version: number
  readonly values: readonly string[]
  readonly score: string
}

/** Stores changed answers of a submission. The caller must have locked the row of the submission. */
export async function writeAnswers(tx: Ctx, submissionId: number, answers: readonly NewAnswer[]): Promise<void> {
  const removed = answers.filter(({ values }) => values.length === 0)
  const stored = answers.filter(({ values }) => values.length > 0)
  if (removed.length > 0) {
    await tx.sql.later`
      DELETE FROM answer WHERE account_id = ${tx.sql.account} AND submission_id = ${submissionId}
        AND question_id = ANY(${removed.map(({ questionId }) => questionId)}::int[])`
  }
  if (stored.length === 0) return
  const submission = sql`SELECT ${tx.sql.account}::int, ${submissionId}::int, ${tx.clock.now()}::timestamptz`
  await tx.sql.later`${insertAnswers(submission, stored)}
    ON CONFLICT (account_id, submission_id, question_id) DO UPDATE SET version = excluded.version,
      "values" = excluded."values", search = excluded.search, score = excluded.score, updated_at = excluded.updated_at`
}

/** Returns the statement that inserts answers. `submission` selects account_id, id and the time. */
export function insertAnswers(submission: Sql, answers: readonly NewAnswer[]): Sql {
  // PostgreSQL lowers the case here as in the filters, because JavaScript lowers some characters differently.
  return sql`
    INSERT INTO answer (account_id, submission_id, question_id, version, "values", search, score, created_at, updated_at)
    SELECT s.account_id, s.id, g."questionId", g.version, g."values", lower(array_to_string(g."values", ${valueSeparator})),
      g.score, s.now, s.now
    FROM (${submission}) s (account_id, id, now)
    CROSS JOIN jsonb_to_recordset(${JSON.stringify(answers)}::jsonb) AS g("questionId" int, version int, "values" text[], score numeric)
    ORDER BY g."questionId"`
}
