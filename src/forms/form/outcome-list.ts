import type { Ctx } from '../../db/context.ts'
import { isOneOf, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'

const outcomeTable = table('Outcome', 'o')

/** A possible result of a form. */
export type Outcome = RowOf<typeof outcomeTable>

/** Loads the outcomes of forms, in order of precedence. */
export const ofForm = outcomeTable.manyBy('formId', sql`o.position, o.id`)

/** Loads outcomes by ID; builds NOT_FOUND. */
export const { byId, notFound } = outcomeTable

/** Selects the ids of the forms of outcomes, each with the key of the outcome in its form. */
export function keysOf(ctx: Ctx, ids: readonly number[]): Sql {
  return sql`SELECT o.form_id, o.key ${outcomeTable.from(ctx)} AND ${isOneOf(sql`o.id`, ids)}`
}
