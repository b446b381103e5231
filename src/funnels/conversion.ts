import type { FunnelStep } from '../../prisma/generated/client/client.ts'
import { type Ctx, type Loader, one } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Attribution } from '../kernel/attribution.ts'
import { identityOf } from '../kernel/page.ts'
import type { Span } from '../kernel/period.ts'

/** Which visits, opt-ins and orders count. */
export interface VisitQuery {
  readonly span: Span
  readonly filter: Attribution
}

/** Visitors of a step, and how many of them visited later steps afterwards. */
export interface Conversion {
  readonly visitors: number
  readonly reachedNext: number
  readonly reachedAnyLater: number
}

const noVisitors: Conversion = { visitors: 0, reachedNext: 0, reachedAnyLater: 0 }

type ConversionRow = Conversion & { readonly funnelId: number; readonly stepId: number }

/** Returns the conversion of a step. All steps of all funnels with the same query share one statement. */
export async function conversionOf(ctx: Ctx, { id, funnelId }: FunnelStep, query: VisitQuery): Promise<Conversion> {
  const ofFunnel = await ctx.load(conversions(query), funnelId)
  return ofFunnel?.get(id) ?? noVisitors
}

/** Creates the loader of the conversion of the steps of funnels: by step, for each funnel. */
function conversions(query: VisitQuery): Loader<number, ReadonlyMap<number, Conversion>, null> {
  const batch = async (ctx: Ctx, funnelIds: readonly number[]) => {
    const rows = await ctx.sql<ConversionRow>`
      WITH step AS (
        SELECT p.id, p.funnel_id, row_number() OVER (PARTITION BY p.funnel_id ORDER BY p.position, p.id) AS place
        FROM funnel_step p WHERE p.account_id = ${ctx.sql.account} AND p.funnel_id = ANY(${funnelIds}::int[])
      ), visited AS (
        SELECT v.funnel_id, v.step_id, v.visitor_id, min(v.created_at) AS first, max(v.created_at) AS last FROM visit v
        WHERE v.account_id = ${ctx.sql.account} AND v.funnel_id = ANY(${funnelIds}::int[]) AND NOT v.is_bot
          ${conditionsOf(query, sql`v.created_at`, sql`v.attribution`)}
        GROUP BY v.funnel_id, v.step_id, v.visitor_id
      ), path AS (
        SELECT s.funnel_id, s.id AS step_id, v.first, s.place, lead(s.place) OVER visitor AS "nextPlace",
          lead(v.last) OVER visitor AS "nextLast",
          max(v.last) OVER (visitor ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS "laterLast"
        FROM visited v JOIN step s ON s.id = v.step_id AND s.funnel_id = v.funnel_id
        WINDOW visitor AS (PARTITION BY s.funnel_id, v.visitor_id ORDER BY s.place)
      )
      SELECT funnel_id AS "funnelId", step_id AS "stepId", count(*)::int AS visitors,
        count(*) FILTER (WHERE "nextPlace" = place + 1 AND "nextLast" >= first)::int AS "reachedNext",
        count(*) FILTER (WHERE "laterLast" >= first)::int AS "reachedAnyLater"
      FROM path GROUP BY funnel_id, step_id`
    const byFunnel = Map.groupBy(rows, (row) => row.funnelId)
    return new Map([...byFunnel].map(([id, steps]) => [id, new Map(steps.map((row) => [row.stepId, row]))]))
  }
  return { ...one<number, ReadonlyMap<number, Conversion>>(batch), name: `conversion ${identityOf(query)}` }
}

/** Returns the conditions that a row counts, by its time and its attribution. */
export function conditionsOf({ span, filter }: VisitQuery, at: Sql, attribution: Sql): Sql {
  const from = span.from ? sql`AND ${at} >= ${span.from}::timestamptz` : sql``
  const until = span.until ? sql`AND ${at} < ${span.until}::timestamptz` : sql``
  const matching = Object.keys(filter).length > 0 ? sql`AND ${attribution} @> ${JSON.stringify(filter)}::jsonb` : sql``
  return sql`${from} ${until} ${matching}`
}
