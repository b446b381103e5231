import type { Ctx } from '../../db/context.ts'
import { partsOfState } from '../../db/figures/figure-parts.ts'
import { sql } from '../../db/sql.ts'
import { expiryIndexOf } from '../../db/upkeep/expired-rows.ts'
import { figure, isOf, keys, merged, visitorParts, visitsOf } from './visitor-parts.ts'

/** Counts differences of a funnel in one statement. */
type CountDifferences = (ctx: Ctx, funnelId: number) => Promise<number>

/**
 * Start of the oldest month of visits that is not being deleted. What is counted before it may be the first visit of a visitor
 * whose old visits were deleted.
 */
const oldestMonth = sql`(SELECT coalesce(min(to_date(right(relname, 6), 'YYYYMM')::timestamp AT TIME ZONE 'UTC'), 'infinity')
  FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'visit'::regclass AND relname ~ '_[0-9]{6}$'
    AND to_regclass(${expiryIndexOf(sql`relname`)}) IS NULL)`

/** Counts visitors of steps whose first or last visit is another one than what is counted. */
const countVisitorDifferences: CountDifferences = async (ctx, funnelId) => {
  const isPresent = sql`step_id IN (SELECT id FROM funnel_step WHERE account_id = ${ctx.sql.account} AND funnel_id = ${funnelId})`
  return number(
    await ctx.sql`
    SELECT count(*)::int AS n
    FROM (SELECT * FROM (${merged(sql`SELECT ${keys}, created_at AS first_at, created_at AS last_at FROM ${visitsOf(ctx, funnelId)} s`)}) m WHERE ${isPresent}) r
    FULL JOIN (SELECT * FROM (${merged(sql`SELECT ${keys}, first_at, last_at FROM step_visitor WHERE ${isOf(ctx, funnelId)}
      UNION ALL SELECT ${keys}, at, at FROM uncounted_visit WHERE ${isOf(ctx, funnelId)}`)}) m WHERE ${isPresent}) l
    USING (account_id, funnel_id, visitor, step_id)
    WHERE r.last_at IS DISTINCT FROM l.last_at OR r.first_at < l.first_at
      OR (r.first_at > l.first_at AND l.first_at >= ${oldestMonth})`,
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
