import { type Ctx, many, one } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import type { QuestionContent } from './question-rules.ts'

/** A question in its current version. */
export interface Question extends QuestionContent {
  readonly accountId: number
  readonly id: number
  readonly formId: number
  readonly position: number
  readonly version: number
  readonly createdAt: Date
  /** Time of removal from the form; null if the question was not removed. */
  readonly removedAt: Date | null
}

const columns = sql`q.account_id AS "accountId", q.id, q.form_id AS "formId", q.position, q.version,
  q.created_at AS "createdAt", q.removed_at AS "removedAt", v.label, v.type::text AS type, v.required, v.options, v.points,
  v.contact_field AS "contactField", v.custom_field_id AS "customFieldId"`

const currentVersion = sql`JOIN question_version v ON v.account_id = q.account_id AND v.question_id = q.id AND v.version = q.version`

/** Loads the questions of forms in order, without removed ones. */
export const ofForm = many<number, Question>(async (ctx, formIds) => {
  const rows = await ctx.sql<Question>`
    SELECT ${columns} FROM question q ${currentVersion}
    WHERE q.account_id = ${ctx.sql.account} AND q.form_id = ANY(${formIds}::int[]) AND q.removed_at IS NULL
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

export function notFound() {
  return refuse('NOT_FOUND', 'There is no such question.')
}
