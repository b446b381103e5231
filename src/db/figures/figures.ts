import type { Scope } from '../../kernel/scopes.ts'
import type { Span } from '../../kernel/values/period.ts'
import type { Ctx } from '../context.ts'
import { join, type Sql, sql } from '../sql.ts'

/** A number that is counted over time. */
export interface Figure {
  /** Scope that a key needs to read it. */
  readonly needs: Scope
  /** Whether values have a currency. Amounts do, and so do the numbers of orders and subscriptions. */
  readonly isByCurrency: boolean
  /** Whether values are amounts of money. */
  readonly isMoney: boolean
  /** Whether a value is a state at the end of an interval, and not the sum of the changes in it. */
  readonly isState: boolean
  /** Names of the types that have the figure. */
  readonly objects: readonly string[]
  /** The table whose rows are counted. Null if a job measures the figure, so that it cannot be compared with rows. */
  readonly source: string | null
  readonly description: string
}

/** What figures have in common that count things: no currency, and the sum of the changes in an interval. */
export const counted = { isByCurrency: false, isMoney: false, isState: false } as const

/** A change of a figure at a time. Without `object`, it is a change of the whole account. */
export interface FigureChange {
  readonly figure: string
  /** Type and integer ID of an object, from `figureObject`. */
  readonly object?: string
  readonly currency?: string
  readonly at: Date
  readonly value: string | number
}

/** Returns the key of an object in the roll-ups. */
export function figureObject(type: string, id: number): string {
  return type === 'Account' ? '' : `${type}:${id}`
}

/**
 * Returns the statement that adds changes of figures to the roll-ups, to be run in the transaction of the change. `changes`
 * selects account_id, figure, object, currency, at and value. It adds one row for each quarter of an hour and never updates
 * one, so concurrent transactions do not wait for each other.
 */
export function insertFigures(changes: Sql): Sql {
  return sql`INSERT INTO figure_delta (account_id, figure, object, currency, at, value)
    SELECT account_id, figure, object, currency, ${quarterOf(sql`c.at`)}, sum(value)
    FROM (${changes}) AS c (account_id, figure, object, currency, at, value) GROUP BY 1, 2, 3, 4, 5 HAVING sum(value) <> 0`
}

/** Returns the start of the quarter of an hour in UTC that contains a time. */
export function quarterOf(at: Sql): Sql {
  return sql`date_bin('15 minutes', ${at}, timestamptz 'epoch')`
}

/** Returns the changes as rows for `insertFigures`. */
export function changeRows(tx: Ctx, changes: readonly FigureChange[]): Sql {
  return sql`SELECT ${tx.sql.account}::int, x.figure, coalesce(x.object, ''), coalesce(x.currency, ''), x.at, x.value
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      AS x(figure text, object text, currency text, at timestamptz, value numeric)`
}

/**
 * Up to this number of changes, each is a row of parameters: a quarter of the time of the JSON. More would be too many different
 * statements.
 */
const maxPlain = 4

/** Adds changes of figures in an open transaction. */
export async function addFigures(tx: Ctx, changes: readonly FigureChange[]): Promise<void> {
  const isDistinct = () =>
    new Set(changes.map(({ figure, object, currency, at }) => [figure, object, currency, +at].join())).size ===
    changes.length
  if (changes.length <= maxPlain && isDistinct())
    await addPlain(
      tx,
      changes.filter(({ value }) => Number(value) !== 0),
    )
  else await tx.sql.later`${insertFigures(changeRows(tx, changes))}`
}

async function addPlain(tx: Ctx, changes: readonly FigureChange[]): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(
    ({
      figure,
      object = '',
      currency = '',
      at,
      value,
    }) => sql`(${tx.sql.account}::int, ${figure}, ${object}, ${currency},
      ${quarterOf(sql`${at}::timestamptz`)}, ${value}::numeric)`,
  )
  await tx.sql.later`INSERT INTO figure_delta (account_id, figure, object, currency, at, value) VALUES ${join(rows)}`
}

/** Selects the sums of figures of objects over all time: object, figure and value. `objects` are keys, or an array in SQL. */
export function sumsOver(ctx: Ctx, names: readonly string[], objects: readonly string[] | Sql): Sql {
  const of = sql`account_id = ${ctx.sql.account} AND figure = ANY(${names}::text[]) AND object = ANY(${objects}::text[]) AND currency = ''`
  return sql`SELECT object, figure, sum(value) AS value FROM (
      SELECT object, figure, value FROM figure_total WHERE ${of} AND minutes = 60
      UNION ALL SELECT object, figure, value FROM figure_delta WHERE ${of}) parts GROUP BY 1, 2`
}

/** An object in SQL: the columns with its account, and its key in the roll-ups. */
interface ObjectInSql {
  readonly accountId: Sql
  readonly object: Sql
}

/**
 * Returns the SQL ratio of two sums of figures of an object over all time, from 0 to 1, with 12 decimals. Null if `whole` is not
 * positive.
 */
export function ratioOf(
  { accountId, object }: ObjectInSql,
  { part, whole }: { readonly part: string; readonly whole: readonly string[] },
): Sql {
  const names = [part, ...whole]
  const of = sql`f.account_id = ${accountId} AND f.figure = ANY(${names}::text[]) AND f.object = ${object} AND f.currency = ''`
  const sumOf = (figures: readonly string[]) =>
    sql`coalesce(sum(s.value) FILTER (WHERE s.figure = ANY(${figures}::text[])), 0)`
  return sql`(SELECT round(least(sums.part, sums.whole) / nullif(greatest(sums.whole, 0), 0), 12)
    FROM (SELECT ${sumOf([part])} AS part, ${sumOf(whole)} AS whole FROM (
      SELECT f.figure, f.value FROM figure_total f WHERE ${of} AND f.minutes = 60
      UNION ALL SELECT f.figure, f.value FROM figure_delta f WHERE ${of}) s) sums)`
}

/**
 * Selects the sums of figures of the account in a period, by currency: figure, currency and value. The limits of the period are
 * whole quarters of an hour in UTC, as days in any time zone are. Hours are read if they are whole hours.
 */
export function sumsByCurrency(ctx: Ctx, names: readonly string[], { from, until }: Span): Sql {
  const isHours = [from, until].every((limit) => !limit || limit.getTime() % 3_600_000 === 0)
  const of = sql`account_id = ${ctx.sql.account} AND figure = ANY(${names}::text[]) AND object = ''
    ${from ? sql`AND at >= ${from}::timestamptz` : sql``} ${until ? sql`AND at < ${until}::timestamptz` : sql``}`
  return sql`SELECT figure, currency, sum(value) AS value FROM (
      SELECT figure, currency, value FROM figure_total WHERE ${of} AND minutes = ${isHours ? 60 : 15}::int
      UNION ALL SELECT figure, currency, value FROM figure_delta WHERE ${of}) parts GROUP BY 1, 2`
}

/**
 * Sets a figure of the account that is a state to a value, in an open transaction that has locked its object: adds the difference
 * to the sum of its changes so far.
 */
export async function setFigure(
  tx: Ctx,
  { figure, object, value }: Required<Pick<FigureChange, 'figure' | 'object' | 'value'>>,
): Promise<void> {
  const sumIn = (table: Sql, condition: Sql) => sql`(SELECT coalesce(sum(value), 0) FROM ${table}
    WHERE account_id = ${tx.sql.account} AND figure = ${figure} AND object = ${object} AND currency = '' ${condition})`
  await tx.sql
    .later`${insertFigures(sql`SELECT ${tx.sql.account}::int, ${figure}::text, ${object}::text, '', ${tx.clock.now()}::timestamptz,
    ${value}::numeric - ${sumIn(sql`figure_total`, sql`AND minutes = 60`)} - ${sumIn(sql`figure_delta`, sql``)}`)}`
}
