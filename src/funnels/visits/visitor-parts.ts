import type { Ctx, System } from '../../db/context.ts'
import { insertParts, partsOfState } from '../../db/figures/figure-parts.ts'
import { empty, type Sql, sql } from '../../db/sql.ts'
import { inSystemTransaction } from '../../db/transaction.ts'

/** Figure of the visitors of funnels. Its objects are `Funnel:` and the id. */
export const figure = 'FUNNEL_VISITORS'

/** Parts are a state and not changes at a time. */
const anyTime = sql`timestamptz 'epoch'`

/**
 * Maximum number of visited steps of a funnel whose visitors are counted by parts. A part names the steps of a visitor, and must
 * fit into an index. The work for a visitor grows with the square of its steps. The visits of other funnels are read.
 */
const maxSteps = 40

/** Number of visits or visitors that one transaction counts or removes. */
export const batchSize = 5_000

/**
 * Returns the statement that adds visits to those that a job counts. `visits` selects account_id, funnel_id, step_id, visitor_id
 * and created_at.
 */
export function insertUncounted(visits: Sql): Sql {
  return sql`INSERT INTO uncounted_visit (account_id, funnel_id, step_id, visitor, at)
    SELECT i.account_id, i.funnel_id, i.step_id, ${visitorOf(sql`i`)}, i.created_at FROM (${visits}) i`
}

/**
 * Returns a hash of 64 bits of the visitor of a visit, which is sorted several times as fast as its text. Of a million visitors,
 * two have the same hash in one of 30 million funnels.
 */
export function visitorOf(visit: Sql): Sql {
  return sql`hashtextextended(${visit}.visitor_id, 0)`
}

/** Columns of the key of `step_visitor`. */
export const keys = sql`account_id, funnel_id, visitor, step_id`

/** Selects the first and the last visit of visitors of steps. `rows` selects the columns of `step_visitor`. */
export const merged = (rows: Sql) =>
  sql`SELECT ${keys}, min(first_at) AS first_at, max(last_at) AS last_at FROM (${rows}) r GROUP BY 1, 2, 3, 4`

/**
 * Selects what visitors count: `f`, and the steps that a visitor visited; for each step `s`, and the other steps that the visitor
 * visited after the first visit of it. Both are exact for every order of steps, and after steps are deleted. Visitors of more
 * than `maxSteps` steps count nothing.
 */
export function visitorParts(all: Sql, value: Sql): Sql {
  // One row for each visitor instead of a join, because plans for new accounts expect few rows, and would compare all with all.
  const visitors = sql`(SELECT account_id, funnel_id, array_agg(step_id ORDER BY step_id) AS steps,
      array_agg(first_at ORDER BY step_id) AS firsts, array_agg(last_at ORDER BY step_id) AS lasts
    FROM ${all} GROUP BY account_id, funnel_id, visitor HAVING count(*) <= ${maxSteps}::int)`
  return sql`
    SELECT account_id, ${figure}::text, 'Funnel:' || funnel_id, 'f::' || array_to_string(steps, ','), ${anyTime}, ${value} FROM ${visitors} v
    UNION ALL
    SELECT account_id, ${figure}, 'Funnel:' || funnel_id, 's:' || a.step_id || ':' || coalesce((
      SELECT string_agg(b.step_id::text, ',' ORDER BY b.step_id) FROM unnest(steps, lasts) b(step_id, last_at)
      WHERE b.last_at >= a.first_at AND b.step_id <> a.step_id), ''), ${anyTime}, ${value}
    FROM ${visitors} v CROSS JOIN LATERAL unnest(steps, firsts) a(step_id, first_at)`
}

/**
 * Selects what visits count: `v` and the step. `visits` selects account_id, funnel_id and step_id. A negative `sign` takes it
 * back.
 */
export const viewParts = (visits: Sql, sign = sql`1`) =>
  sql`SELECT account_id, ${figure}::text, 'Funnel:' || funnel_id, 'v:' || step_id || ':', ${anyTime}, ${sign} * count(*) FROM ${visits} GROUP BY 1, funnel_id, step_id`

/** Returns the common table expressions of the changes that the visits `moved` make to what is counted. */
const changesOfMoved = sql`seen AS (
    ${merged(sql`SELECT ${keys}, at AS first_at, at AS last_at FROM moved`)}
  ), known AS (
    SELECT ${keys}, first_at, last_at FROM step_visitor
    WHERE (account_id, funnel_id, visitor) IN (SELECT account_id, funnel_id, visitor FROM seen)
  ), updated AS (${merged(sql`SELECT * FROM known UNION ALL SELECT * FROM seen`)}
  ), changes (account_id, figure, object, part, at, value) AS (
    ${visitorParts(sql`updated`, sql`1`)} UNION ALL ${visitorParts(sql`known`, sql`-1`)} UNION ALL ${viewParts(sql`moved`)}
  )`

/**
 * Counts the visits of all accounts that are not counted yet. One process at a time does it, so that it sees all visits of a
 * visitor. A killed process leaves its batch as it was. A reader finds each visit once: among those that are not counted, or in
 * what is counted.
 */
export async function countVisitors(system: System): Promise<void> {
  for (let moved = batchSize; moved === batchSize; ) {
    moved = await inSystemTransaction(
      system,
      async (tx) => {
        await lockVisitors(tx)
        const [row] = await tx.db.$queryRaw<{ n: number }[]>(countingOf(takeUncounted(empty)))
        return row?.n ?? 0
      },
      60_000,
    )
  }
}

/**
 * Lets one process at a time change what is counted of visitors. Must be first in its transaction, so that a snapshot begins
 * after it.
 */
export async function lockVisitors({ db }: Pick<Ctx, 'db'>): Promise<void> {
  await db.$executeRawUnsafe('LOCK TABLE step_visitor IN SHARE UPDATE EXCLUSIVE MODE')
}

/**
 * Counts visits of a funnel up to a time that are not counted yet, in an open transaction that has called `lockVisitors`. Returns
 * their number: with `batchSize`, more may be left.
 */
export async function countUncounted(tx: Ctx, funnelId: number, before: Date): Promise<number> {
  const which = sql`WHERE ${isOf(tx, funnelId)} AND at < ${before}::timestamptz`
  const [row] = await tx.sql<{ n: number }>`${countingOf(takeUncounted(which))}`
  return row?.n ?? 0
}

/** Deletes the next batch of the visits that are not counted yet, and returns them. */
const takeUncounted = (which: Sql) =>
  sql`DELETE FROM uncounted_visit WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM uncounted_visit ${which} ORDER BY account_id, funnel_id, id LIMIT ${batchSize}::int))
  RETURNING ${keys}, at`

/** Returns the statement that counts visits, and their number `n`. `visits` returns the keys and `at`. */
const countingOf = (visits: Sql) =>
  sql`WITH moved AS (${visits}), ${changesOfMoved}, kept AS (
    INSERT INTO step_visitor AS v (${keys}, first_at, last_at) SELECT * FROM seen ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, funnel_id, visitor, step_id)
    DO UPDATE SET first_at = least(v.first_at, excluded.first_at), last_at = greatest(v.last_at, excluded.last_at)
  ), counted AS (${insertParts(sql`SELECT * FROM changes`)}
  ) SELECT count(*)::int AS n FROM moved`

/**
 * Returns the common table expressions that stop counting visitors of steps: `removed`, `kept`, and `changes` of parts.
 * `known` are all rows of some visitors, and `isRemoved` is a condition on a row `k` of them.
 */
export const removalOf = (known: Sql, isRemoved: Sql) =>
  sql`known AS (${known}
  ), kept AS (SELECT * FROM known k WHERE NOT (${isRemoved})
  ), removed AS (SELECT * FROM known k WHERE ${isRemoved}
  ), deleted AS (DELETE FROM step_visitor WHERE (${keys}) IN (SELECT ${keys} FROM removed)
  ), changes (account_id, figure, object, part, at, value) AS (
    ${visitorParts(sql`kept`, sql`1`)} UNION ALL ${visitorParts(sql`known`, sql`-1`)}
  )`

/** Returns whether the parts of funnels contain all their visitors. */
export async function areComplete(ctx: Ctx, funnelIds: readonly number[]): Promise<boolean> {
  const objects = funnelIds.map((id) => `Funnel:${id}`)
  const large = await ctx.sql`
    SELECT FROM (
      SELECT object, part FROM (${partsOfState(ctx, figure, objects)}) p WHERE part LIKE 'v:%'
      UNION SELECT 'Funnel:' || funnel_id, 'v:' || step_id || ':' FROM uncounted_visit
        WHERE account_id = ${ctx.sql.account} AND funnel_id = ANY(${[...funnelIds]}::int[])
    ) visited GROUP BY object HAVING count(*) > ${maxSteps}::int LIMIT 1`
  return large.length === 0
}

/**
 * Returns the common table expressions of what is counted of funnels, visits included that are not counted yet: `part` with
 * funnel_id, kind, step_id, visited and value. `visited` are steps, see `visitorParts`.
 */
export function partsOfFunnels(ctx: Ctx, funnelIds: readonly number[]): Sql {
  const objects = funnelIds.map((id) => `Funnel:${id}`)
  return sql`moved AS (
      SELECT ${keys}, at FROM uncounted_visit WHERE account_id = ${ctx.sql.account} AND funnel_id = ANY(${funnelIds}::int[])
    ), ${changesOfMoved}, part AS (
      SELECT substr(object, ${'Funnel:'.length + 1}::int)::int AS funnel_id, split_part(part, ':', 1) AS kind,
        nullif(split_part(part, ':', 2), '')::int AS step_id, string_to_array(split_part(part, ':', 3), ',')::int[] AS visited, sum(value)::int AS value
      FROM (SELECT object, part, value FROM changes UNION ALL ${partsOfState(ctx, figure, objects)}) p
      GROUP BY object, part
    )`
}

/** A condition: a row is of a funnel of the account. */
export function isOf(ctx: Ctx, funnelId: number): Sql {
  return sql`account_id = ${ctx.sql.account} AND funnel_id = ${funnelId}::int`
}

/** Selects the visits of a funnel that count. */
export function visitsOf(ctx: Ctx, funnelId: number): Sql {
  return sql`(SELECT v.account_id, v.funnel_id, ${visitorOf(sql`v`)} AS visitor, v.step_id, v.created_at FROM visit v
    WHERE v.account_id = ${ctx.sql.account} AND v.funnel_id = ${funnelId}::int AND NOT v.is_bot)`
}
