import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'

const outcomeTable = table('Outcome', 'o')

/** A possible result of a form. */
export type Outcome = RowOf<typeof outcomeTable>

/** Loads the outcomes of forms, in order of precedence. */
export const ofForm = outcomeTable.manyBy('formId', sql`o.position, o.id`)

/** Loads outcomes by ID; builds NOT_FOUND. */
export const { byId, notFound } = outcomeTable
