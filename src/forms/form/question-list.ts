import { type Ctx, many, one } from '../../db/context.ts'
import { isOneOf, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import type { QuestionContent } from './question-rules.ts'

const questionTable = table('Question', 'q')
const versionTable = table('QuestionVersion', 'v', {
  without: ['accountId', 'questionId', 'version', 'createdAt'],
  as: {} as QuestionContent,
})

/** A question in its current version. It has `removedAt` after its removal from a form that was ever published. */
export type Question = RowOf<typeof questionTable> & RowOf<typeof versionTable>

const columns = sql`${questionTable.columns}, ${versionTable.columns}`

const currentVersion = sql`JOIN question_version v ON v.account_id = q.account_id AND v.question_id = q.id AND v.version = q.version`

/** Loads the questions of forms in order, without removed ones. */
export const ofForm = many<number, Question>(async (ctx, formIds) => {
  const rows = await ctx.sql<Question>`
    SELECT ${columns} FROM question q ${currentVersion}
    WHERE q.account_id = ${ctx.sql.account} AND ${isOneOf(sql`q.form_id`, formIds)} AND q.removed_at IS NULL
    ORDER BY q.position, q.id`
  return Map.groupBy(rows, (row) => row.formId)
})

/** Loads questions by ID, including removed ones. */
export const byId = one<number, Question>(async (ctx, ids) => {
  const rows = await ctx.sql<Question>`
    SELECT ${columns} FROM question q ${currentVersion} WHERE q.account_id = ${ctx.sql.account} AND q.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Returns the questions of a form from the database, not from the cache of the loader. */
export async function readQuestions(tx: Ctx, formId: number): Promise<Question[]> {
  tx.load.clear()
  return tx.load(ofForm, formId)
}

/** Builds NOT_FOUND. */
export const { notFound } = questionTable
