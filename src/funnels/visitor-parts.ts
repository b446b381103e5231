import type { Ctx, System } from '../db/context.ts'
import { insertParts, partsOfState, takeBackParts } from '../db/figure-parts.ts'
import { type Sql, sql } from '../db/sql.ts'
import { inSnapshot, inSystemTransaction, ofAccount, type SystemTx } from '../db/transaction.ts'

/** Name of the visitors of funnels among the sources that are counted after an upgrade. */
export const visitorSource = 'step_visitor'

const figure = 'FUNNEL_VISITORS'

/** Parts are a state and not changes at a time. */
const anyTime = sql`timestamptz 'epoch'`

/**
 * Maximum number of visited steps of a funnel whose visitors are counted by parts. A part names the steps of a visitor, and must fit
 * into an index. The work for a visitor grows with the square of its steps. The visits of other funnels are read.
 */
const maxSteps = 40

/** Number of visits that one statement counts. */
const batchSize = 5_000

/** Time that counting all visits of an account may take, in milliseconds. */
const timeoutMs = 60 * 60_000

/** Returns the statement that adds visits to those that a job counts. `visits` selects account_id, funnel_id, step_id, visitor_id and created_at. */
export function insertUncounted(visits: Sql): Sql {
  return sql`INSERT INTO uncounted_visit (account_id, funnel_id, step_id, visitor, at)
    SELECT i.account_id, i.funnel_id, i.step_id, ${visitorOf(sql`i`)}, i.created_at FROM (${visits}) i`
}

/**
 * Returns a hash of 64 bits of the visitor of a visit, which is sorted several times as fast as its text. Of a million visitors, two
 * have the same hash in one of 30 million funnels.
 */
export function visitorOf(visit: Sql): Sql {
  return sql`hashtextextended(${visit}.visitor_id, 0)`
}

const keys = sql`account_id, funnel_id, visitor, step_id`

/** Selects the first and the last visit of visitors of steps. `rows` selects the columns of `step_visitor`. */
const merged = (rows: Sql) =>
  sql`SELECT ${keys}, min(first_at) AS first_at, max(last_at) AS last_at FROM (${rows}) r GROUP BY 1, 2, 3, 4`

/**
 * Selects what visitors count: `f`, and the steps that a visitor visited; for each step `s`, and the other steps that the visitor
 * visited after the first visit of it. Both are exact for every order of steps, and after steps are deleted. Visitors of more than
 * `maxSteps` steps count nothing.
 */
function visitorParts(all: Sql, value: Sql): Sql {
  const visitors = sql`(SELECT v.* FROM (SELECT *, count(*) OVER (PARTITION BY account_id, funnel_id, visitor) AS steps FROM ${all}) v WHERE v.steps <= ${maxSteps}::int)`
  return sql`
    SELECT account_id, ${figure}::text, 'Funnel:' || funnel_id, 'f::' || string_agg(step_id::text, ',' ORDER BY step_id), ${anyTime}, ${value}
    FROM ${visitors} v GROUP BY account_id, funnel_id, visitor
    UNION ALL
    SELECT a.account_id, ${figure}, 'Funnel:' || a.funnel_id, 's:' || a.step_id || ':' || coalesce(string_agg(b.step_id::text, ',' ORDER BY b.step_id)
      FILTER (WHERE b.last_at >= a.first_at AND b.step_id <> a.step_id), ''), ${anyTime}, ${value}
    FROM ${visitors} a JOIN ${visitors} b USING (account_id, funnel_id, visitor) GROUP BY a.account_id, a.funnel_id, a.visitor, a.step_id`
}

/** Selects what visits count: `v` and the step. `visits` selects account_id, funnel_id and step_id. */
const viewParts = (visits: Sql) =>
  sql`SELECT account_id, ${figure}::text, 'Funnel:' || funnel_id, 'v:' || step_id || ':', ${anyTime}, count(*) FROM ${visits} GROUP BY 1, funnel_id, step_id`

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
 * Counts the visits of all accounts that are not counted yet. One process at a time does it, so that it sees all visits of a visitor.
 * A killed process leaves its batch as it was. A reader finds each visit once: among those that are not counted, or in what is counted.
 */
export async function countVisitors(system: System): Promise<void> {
  for (let moved = batchSize; moved === batchSize; ) {
    moved = await inSystemTransaction(
      system,
      async (tx) => {
        await lockVisitors(tx)
        const [row] = await tx.db.$queryRaw<{ n: number }[]>(
          sql`WITH moved AS (
            DELETE FROM uncounted_visit WHERE ctid = ANY (ARRAY(
              SELECT ctid FROM uncounted_visit ORDER BY account_id, funnel_id, id LIMIT ${batchSize}::int))
            RETURNING ${keys}, at
          ), ${changesOfMoved}, kept AS (
            INSERT INTO step_visitor AS v (${keys}, first_at, last_at) SELECT * FROM seen ORDER BY 1, 2, 3, 4
            ON CONFLICT (account_id, funnel_id, visitor, step_id)
            DO UPDATE SET first_at = least(v.first_at, excluded.first_at), last_at = greatest(v.last_at, excluded.last_at)
          ), counted AS (${insertParts(sql`SELECT * FROM changes`)}
          ) SELECT count(*)::int AS n FROM moved`,
        )
        return row?.n ?? 0
      },
      60_000,
    )
  }
}

/** Lets one process at a time change what is counted of visitors. Must be first in its transaction, so that a snapshot begins after it. */
async function lockVisitors(tx: SystemTx): Promise<void> {
  await tx.db.$executeRawUnsafe('LOCK TABLE step_visitor IN SHARE UPDATE EXCLUSIVE MODE')
}

/**
 * Counts all visits of accounts again whose visitors are not counted since `before`: after an upgrade, and after old visits were deleted.
 * Replaces what was counted in the snapshot that reads the visits, so it is exact beside writers.
 */
export async function recountVisitors(system: System, before: Date): Promise<void> {
  const accounts = await system.db.$unscoped<{ id: number }>(
    'the visitors of all accounts are counted after an upgrade',
    sql`SELECT account_id AS id FROM figure_fill WHERE complete_since < ${before}::timestamptz AND source = ${visitorSource} ORDER BY 1`,
  )
  for (const { id } of accounts)
    await inSnapshot(
      system,
      async (tx) => {
        await lockVisitors(tx)
        const ctx = ofAccount(tx, id)
        await ctx.sql`DELETE FROM uncounted_visit WHERE account_id = ${ctx.sql.account}`
        await ctx.sql`DELETE FROM step_visitor WHERE account_id = ${ctx.sql.account}`
        await takeBackParts(ctx, figure)
        const visits = sql`(SELECT v.account_id, v.funnel_id, ${visitorOf(sql`v`)} AS visitor, v.step_id, v.created_at FROM visit v
          WHERE v.account_id = ${ctx.sql.account} AND NOT v.is_bot)`
        await ctx.sql`INSERT INTO step_visitor (${keys}, first_at, last_at)
          ${merged(sql`SELECT ${keys}, created_at AS first_at, created_at AS last_at FROM ${visits} s`)}`
        await ctx.sql`WITH visitors AS (SELECT * FROM step_visitor WHERE account_id = ${ctx.sql.account})
          ${insertParts(sql`${visitorParts(sql`visitors`, sql`1`)} UNION ALL ${viewParts(sql`${visits} v`)}`)}`
        await ctx.sql`DELETE FROM figure_fill WHERE account_id = ${ctx.sql.account} AND source = ${visitorSource}`
      },
      timeoutMs,
    )
}

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
 * Returns the common table expressions of what is counted of funnels, visits included that are not counted yet: `part` with funnel_id,
 * kind, step_id, visited and value. `visited` are steps, see `visitorParts`.
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

/** Counts the differences between visits and what is counted of them: times of visitors, views, and parts. */
export async function countDifferences(tx: Ctx): Promise<number> {
  const visits = sql`(SELECT v.account_id, v.funnel_id, ${visitorOf(sql`v`)} AS visitor, v.step_id, v.created_at FROM visit v
    WHERE v.account_id = ${tx.sql.account} AND NOT v.is_bot)`
  const isPresent = sql`step_id IN (SELECT id FROM funnel_step WHERE account_id = ${tx.sql.account})`
  const [row] = await tx.sql<{ n: number }>`
    WITH visitors AS (SELECT * FROM step_visitor WHERE account_id = ${tx.sql.account}
    ), counted AS (
      SELECT object, part, sum(value) AS value FROM (${partsOfState(tx, figure)}) p GROUP BY 1, 2 HAVING sum(value) <> 0
    ), stored (account_id, object, part, value) AS (
      SELECT account_id, object, part, sum(value) FROM (${visitorParts(sql`visitors`, sql`1`)}) p (account_id, figure, object, part, at, value)
      WHERE object IN (SELECT 'Funnel:' || id FROM funnel WHERE account_id = ${tx.sql.account}) GROUP BY 1, 2, 3
    ), viewed AS (
      SELECT 'v:' || step_id || ':' AS part, count(*) AS value FROM ${visits} v WHERE ${isPresent} GROUP BY 1
    ), waiting AS (
      SELECT 'v:' || step_id || ':' AS part, count(*) AS value FROM uncounted_visit WHERE account_id = ${tx.sql.account} GROUP BY 1
    )
    SELECT ((SELECT count(*) FROM (SELECT * FROM (${merged(sql`SELECT ${keys}, created_at AS first_at, created_at AS last_at FROM ${visits} s`)}) m WHERE ${isPresent}) r
        FULL JOIN (SELECT * FROM (${merged(sql`SELECT * FROM visitors
          UNION ALL SELECT ${keys}, at, at FROM uncounted_visit WHERE account_id = ${tx.sql.account}`)}) m WHERE ${isPresent}) l
        USING (account_id, funnel_id, visitor, step_id) WHERE (r.first_at, r.last_at) IS DISTINCT FROM (l.first_at, l.last_at))
      + (SELECT count(*) FROM stored s FULL JOIN (SELECT * FROM counted c WHERE c.part NOT LIKE 'v:%'
          AND c.object IN (SELECT 'Funnel:' || id FROM funnel WHERE account_id = ${tx.sql.account})) c USING (object, part)
        WHERE s.value IS DISTINCT FROM c.value)
      + (SELECT count(*) FROM viewed v LEFT JOIN counted c ON c.part = v.part LEFT JOIN waiting w ON w.part = v.part
        WHERE v.value <> coalesce(c.value, 0) + coalesce(w.value, 0)))::int AS n`
  return row?.n ?? 0
}
