import { type Ctx, newCtx, type System } from '../db/context.ts'
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

/** Time that counting all visits of a funnel may take, in milliseconds. */
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
 * Counts the visits of the funnels of accounts again whose visitors are not counted since `before`: after an upgrade, and after old visits
 * were deleted. One funnel after another is replaced in the snapshot that reads its visits, so it is exact beside writers. A killed
 * process begins again.
 */
export async function recountVisitors(system: System, before: Date): Promise<void> {
  const accounts = await system.db.$unscoped<{ id: number; mark: string }>(
    'the visitors of all accounts are counted after an upgrade',
    sql`SELECT account_id AS id, xmin::text AS mark FROM figure_fill
      WHERE complete_since < ${before}::timestamptz AND source = ${visitorSource} ORDER BY 1`,
  )
  for (const { id, mark } of accounts) {
    const ctx = newCtx(system, { accountId: id })
    const work = ctx.pacing.start()
    try {
      for (const funnelId of await listFunnels(ctx)) await work.part(() => recountFunnel(ctx, funnelId))
    } finally {
      work.end()
    }
    // If visits were deleted meanwhile, the row is another version, and the next run counts again.
    await ctx.sql`DELETE FROM figure_fill
      WHERE account_id = ${ctx.sql.account} AND source = ${visitorSource} AND xmin::text = ${mark}`
  }
}

/** Returns the ids of the funnels of the account. */
export async function listFunnels(ctx: Ctx): Promise<number[]> {
  const rows = await ctx.sql<{ id: number }>`SELECT id FROM funnel WHERE account_id = ${ctx.sql.account} ORDER BY id`
  return rows.map(({ id }) => id)
}

async function recountFunnel(ctx: Ctx, funnelId: number): Promise<void> {
  await inSnapshot(
    ctx,
    async (system) => {
      await lockVisitors(system)
      const tx = ofAccount(system, ctx.accountId)
      await tx.sql`DELETE FROM uncounted_visit WHERE ${isOf(tx, funnelId)}`
      await tx.sql`DELETE FROM step_visitor WHERE ${isOf(tx, funnelId)}`
      await takeBackParts(tx, figure, `Funnel:${funnelId}`)
      await tx.sql`INSERT INTO step_visitor (${keys}, first_at, last_at)
        ${merged(sql`SELECT ${keys}, created_at AS first_at, created_at AS last_at FROM ${visitsOf(tx, funnelId)} s`)}`
      await tx.sql`WITH visitors AS (SELECT * FROM step_visitor WHERE ${isOf(tx, funnelId)})
        ${insertParts(sql`${visitorParts(sql`visitors`, sql`1`)} UNION ALL ${viewParts(sql`${visitsOf(tx, funnelId)} v`)}`)}`
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

/** Counts differences of a funnel in one statement. */
type CountDifferences = (ctx: Ctx, funnelId: number) => Promise<number>

/** Counts visitors of steps whose first or last visit is another one than what is counted. */
const countVisitorDifferences: CountDifferences = async (ctx, funnelId) => {
  const isPresent = sql`step_id IN (SELECT id FROM funnel_step WHERE account_id = ${ctx.sql.account} AND funnel_id = ${funnelId})`
  return number(
    await ctx.sql`
    SELECT count(*)::int AS n
    FROM (SELECT * FROM (${merged(sql`SELECT ${keys}, created_at AS first_at, created_at AS last_at FROM ${visitsOf(ctx, funnelId)} s`)}) m WHERE ${isPresent}) r
    FULL JOIN (SELECT * FROM (${merged(sql`SELECT ${keys}, first_at, last_at FROM step_visitor WHERE ${isOf(ctx, funnelId)}
      UNION ALL SELECT ${keys}, at, at FROM uncounted_visit WHERE ${isOf(ctx, funnelId)}`)}) m WHERE ${isPresent}) l
    USING (account_id, funnel_id, visitor, step_id) WHERE (r.first_at, r.last_at) IS DISTINCT FROM (l.first_at, l.last_at)`,
  )
}

/** Counts parts whose value is not that of the counted visitors. */
const countPartDifferences: CountDifferences = async (ctx, funnelId) =>
  number(
    await ctx.sql`
    WITH visitors AS (SELECT * FROM step_visitor WHERE ${isOf(ctx, funnelId)}
    ), counted AS (
      SELECT part, sum(value) AS value FROM (${partsOfState(ctx, figure, [`Funnel:${funnelId}`])}) p
      WHERE part NOT LIKE 'v:%' GROUP BY 1 HAVING sum(value) <> 0
    ), stored AS (
      SELECT part, sum(value) AS value FROM (${visitorParts(sql`visitors`, sql`1`)}) p (account_id, figure, object, part, at, value) GROUP BY 1
    )
    SELECT count(*)::int AS n FROM stored s FULL JOIN counted c USING (part) WHERE s.value IS DISTINCT FROM c.value`,
  )

/** Counts steps that have more or fewer visits than counted ones. */
const countViewDifferences: CountDifferences = async (ctx, funnelId) =>
  number(
    await ctx.sql`
    WITH counted AS (
      SELECT part, sum(value) AS value FROM (${partsOfState(ctx, figure, [`Funnel:${funnelId}`])}) p GROUP BY 1
    ), viewed AS (
      SELECT 'v:' || step_id || ':' AS part, count(*) AS value FROM ${visitsOf(ctx, funnelId)} v
      WHERE step_id IN (SELECT id FROM funnel_step WHERE account_id = ${ctx.sql.account} AND funnel_id = ${funnelId}) GROUP BY 1
    ), waiting AS (
      SELECT 'v:' || step_id || ':' AS part, count(*) AS value FROM uncounted_visit WHERE ${isOf(ctx, funnelId)} GROUP BY 1
    )
    SELECT count(*)::int AS n FROM viewed v LEFT JOIN counted c ON c.part = v.part LEFT JOIN waiting w ON w.part = v.part
    WHERE v.value <> coalesce(c.value, 0) + coalesce(w.value, 0)`,
  )

/** Count the differences between the visits of a funnel and what is counted of them: times of visitors, parts, and views. */
export const countDifferences: readonly CountDifferences[] = [
  countVisitorDifferences,
  countPartDifferences,
  countViewDifferences,
]

function number([row]: readonly unknown[]): number {
  return (row as { n: number } | undefined)?.n ?? 0
}

function isOf(ctx: Ctx, funnelId: number): Sql {
  return sql`account_id = ${ctx.sql.account} AND funnel_id = ${funnelId}::int`
}

/** Selects the visits of a funnel that count. */
function visitsOf(ctx: Ctx, funnelId: number): Sql {
  return sql`(SELECT v.account_id, v.funnel_id, ${visitorOf(sql`v`)} AS visitor, v.step_id, v.created_at FROM visit v
    WHERE v.account_id = ${ctx.sql.account} AND v.funnel_id = ${funnelId}::int AND NOT v.is_bot)`
}
