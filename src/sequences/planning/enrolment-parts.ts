import { insertParts } from '../../db/figures/figure-parts.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Parts are a state and not changes at a time, so all have the same time, and a sequence has one total for each part. */
const anyTime = sql`timestamptz 'epoch'`

const figure = 'ENROLMENTS'

/** The figure of enrolments by state, and the rows that it is counted from. */
export const enrolmentFigures = { [figure]: 'enrolment_parts' } as const

/** Returns the part in which an enrolment counts: its state, with the reason of its end or its next stage. */
export function partOf(enrolment: Sql): Sql {
  return sql`(${enrolment}.state::text || ':' || coalesce(${enrolment}.end_reason::text, ${enrolment}.next_stage_id::text, ''))`
}

/** Selects what enrolments count. `condition` restricts the enrolments `e`. */
export function enrolmentParts(condition: Sql): Sql {
  return sql`SELECT g.account_id, ${figure}::text AS figure, 'Sequence:' || g.sequence_id AS object, ${partOf(sql`g`)} AS part,
      ${anyTime} AS at, g.n AS value
    FROM (SELECT e.account_id, e.sequence_id, e.state, e.end_reason, e.next_stage_id, count(*) AS n FROM enrolment e
      WHERE ${condition} GROUP BY 1, 2, 3, 4, 5) g`
}

/**
 * Returns a statement that changes enrolments, and moves them to the parts of their new state: `change` returns account_id,
 * sequence_id, state, end_reason, next_stage_id, and as `part_before` the part in which the enrolment counted, null for a new
 * one. `result` selects from its rows, which are `changed`.
 */
export function countingParts(change: Sql, result: Sql): Sql {
  const moved =
    insertParts(sql`SELECT c.account_id, ${figure}::text, 'Sequence:' || c.sequence_id, m.part, ${anyTime}, m.value
    FROM changed c CROSS JOIN LATERAL (VALUES (c.part_before, -1), (${partOf(sql`c`)}, 1)) m(part, value) WHERE m.part IS NOT NULL`)
  return sql`WITH changed AS (${change}), counted AS (${moved}) ${result}`
}

/** The columns that `countingParts` needs of an enrolment `e`. The one before the change is `old`. */
export const countedColumns = sql`e.account_id, e.sequence_id, e.state, e.end_reason, e.next_stage_id, old.part AS part_before`
