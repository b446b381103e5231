import type { Span } from '../../kernel/values/period.ts'
import type { Ctx } from '../context.ts'
import { join, type Sql, sql } from '../sql.ts'
import { quarterOf } from './figures.ts'

/**
 * Returns the statement that adds changes of figures by parts to the roll-ups, to be run in the transaction of the change.
 * `changes` selects account_id, figure, object, part, at and value. Like `insertFigures`, it never updates a row.
 */
export function insertParts(changes: Sql): Sql {
  return sql`INSERT INTO figure_part_delta (account_id, figure, object, part, at, value)
    SELECT account_id, figure, object, part, ${quarterOf(sql`c.at`)}, sum(value)
    FROM (${changes}) AS c (account_id, figure, object, part, at, value) GROUP BY 1, 2, 3, 4, 5 HAVING sum(value) <> 0`
}

/** What rows count: a value of a part of a figure at a time. */
interface PartChange {
  readonly figure: string
  readonly object: string
  readonly part: string
  readonly at: Date
  readonly value: number
}

/** Returns what rows count before they change. `facts` selects it, and `replaceParts` takes it back. The rows must be locked. */
export async function readParts(tx: Ctx, facts: Sql): Promise<PartChange[]> {
  return tx.sql<PartChange>`
    SELECT figure, object, part, ${quarterOf(sql`c.at`)} AS at, sum(value)::int AS value
    FROM (${facts}) AS c (account_id, figure, object, part, at, value) GROUP BY 1, 2, 3, 4`
}

/** Adds what rows count after they changed, less what they counted before. Unchanged parts add no row. */
export async function replaceParts(tx: Ctx, before: readonly PartChange[], facts: Sql): Promise<void> {
  await tx.sql.later`${insertParts(sql`${facts} UNION ALL
    SELECT ${tx.sql.account}::int, x.figure, x.object, x.part, x.at, -x.value
    FROM jsonb_to_recordset(${JSON.stringify(before)}::jsonb) AS x(figure text, object text, part text, at timestamptz, value int)`)}`
}

/**
 * Selects the sums of figures of objects in a period: figure, object, part and value. Adds up whole days in UTC, and quarters of
 * an hour before the first and after the last one.
 */
export function partsIn(ctx: Ctx, names: readonly string[], objects: readonly string[], span: Span): Sql {
  return sql`SELECT figure, object, part, sum(value) AS value FROM (${rollUps(ctx, span)}) p
    WHERE figure = ANY(${[...names]}::text[]) AND object = ANY(${[...objects]}::text[]) GROUP BY 1, 2, 3 HAVING sum(value) > 0`
}

const dayMs = 24 * 60 * 60_000

/** Selects the totals and the changes that are not added yet, from one snapshot. */
function rollUps(ctx: Ctx, { from, until }: Span): Sql {
  const firstDay = from && new Date(Math.ceil(from.getTime() / dayMs) * dayMs)
  const lastDay = until && new Date(Math.floor(until.getTime() / dayMs) * dayMs)
  const hasDays = !firstDay || !lastDay || firstDay < lastDay
  const totals = (minutes: 15 | 1440, range: Span) =>
    sql`SELECT figure, object, part, value FROM figure_part_total
      WHERE account_id = ${ctx.sql.account} AND minutes = ${minutes}::smallint ${within(range)}`
  const parts = hasDays
    ? [
        totals(1440, { ...(firstDay && { from: firstDay }), ...(lastDay && { until: lastDay }) }),
        ...(from && firstDay && from < firstDay ? [totals(15, { from, until: firstDay })] : []),
        ...(until && lastDay && lastDay < until ? [totals(15, { from: lastDay, until })] : []),
      ]
    : [totals(15, { from: from as Date, until: until as Date })]
  const changes = sql`SELECT figure, object, part, value FROM figure_part_delta
    WHERE account_id = ${ctx.sql.account} ${within({ ...(from && { from }), ...(until && { until }) })}`
  return join([...parts, changes], ' UNION ALL ')
}

function within({ from, until }: Span): Sql {
  return sql`${from ? sql`AND at >= ${from}::timestamptz` : sql``} ${until ? sql`AND at < ${until}::timestamptz` : sql``}`
}

/**
 * Selects the parts of a figure that is a state, of objects or of all: object, part and value, several times for the same part.
 */
export function partsOfState(ctx: Ctx, figure: string, objects?: readonly string[]): Sql {
  const of = sql`account_id = ${ctx.sql.account} AND figure = ${figure} ${objects ? sql`AND object = ANY(${[...objects]}::text[])` : sql``}`
  return sql`SELECT object, part, value FROM figure_part_total WHERE ${of} AND minutes = 1440
    UNION ALL SELECT object, part, value FROM figure_part_delta WHERE ${of}`
}
