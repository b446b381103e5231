import type { FunnelStep } from '../../../prisma/generated/client/client.ts'
import type { Attribution } from '../../contacts/index.ts'
import { type Ctx, type Loader, one } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { identityOf } from '../../kernel/values/page.ts'
import type { Span } from '../../kernel/values/period.ts'
import { areComplete, partsOfFunnels, visitorOf } from '../visits/visitor-parts.ts'

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
        SELECT p.id, p.funnel_id, row_number() OVER (PARTITION BY p.funnel_id ORDER BY p.position DESC, p.id DESC) AS place
        FROM funnel_step p WHERE p.account_id = ${ctx.sql.account} AND p.funnel_id = ANY(${funnelIds}::int[])
      ), ${(await isCounted(ctx, query, funnelIds)) ? fromParts(ctx, funnelIds) : fromVisits(ctx, funnelIds, query)}`
    const byFunnel = Map.groupBy(rows, (row) => row.funnelId)
    return new Map([...byFunnel].map(([id, steps]) => [id, new Map(steps.map((row) => [row.stepId, row]))]))
  }
  return { ...one<number, ReadonlyMap<number, Conversion>>(batch), name: `conversion ${identityOf(query)}` }
}

/** Returns whether figures answer a query of funnels: all time, without a filter, and no funnel has too many steps. */
export async function isCounted(
  ctx: Ctx,
  { span, filter }: VisitQuery,
  funnelIds: readonly number[],
): Promise<boolean> {
  if (span.from || span.until || Object.keys(filter).length > 0) return false
  return areComplete(ctx, funnelIds)
}

function fromParts(ctx: Ctx, funnelIds: readonly number[]): Sql {
  return sql`${partsOfFunnels(ctx, funnelIds)}
      SELECT s.funnel_id AS "funnelId", s.id AS "stepId", sum(p.value)::int AS visitors,
        coalesce(sum(p.value) FILTER (WHERE n.id = ANY(p.visited)), 0)::int AS "reachedNext",
        coalesce(sum(p.value) FILTER (WHERE p.visited && l.ids), 0)::int AS "reachedAnyLater"
      FROM part p JOIN step s ON s.id = p.step_id AND s.funnel_id = p.funnel_id
      LEFT JOIN step n ON n.funnel_id = s.funnel_id AND n.place = s.place - 1
      CROSS JOIN LATERAL (SELECT array_agg(l.id) AS ids FROM step l WHERE l.funnel_id = s.funnel_id AND l.place < s.place) l
      WHERE p.kind = 's' GROUP BY s.funnel_id, s.id HAVING sum(p.value) > 0`
}

/**
 * Each row sees the later steps of its visitor before it, because steps are numbered from the last one. One sort serves all
 * groups.
 */
function fromVisits(ctx: Ctx, funnelIds: readonly number[], query: VisitQuery): Sql {
  return sql`visited AS (
        SELECT s.funnel_id, ${visitorOf(sql`v`)} AS visitor, s.place, min(v.created_at) AS first, max(v.created_at) AS last
        FROM visit v JOIN step s ON s.id = v.step_id AND s.funnel_id = v.funnel_id
        WHERE v.account_id = ${ctx.sql.account} AND v.funnel_id = ANY(${funnelIds}::int[]) AND NOT v.is_bot
          ${conditionsOf(query, sql`v.created_at`, sql`v.attribution`)}
        GROUP BY s.funnel_id, visitor, s.place
      ), path AS (
        SELECT funnel_id, place, first, lag(place) OVER later AS "nextPlace", lag(last) OVER later AS "nextLast",
          max(last) OVER later AS "laterLast"
        FROM visited WINDOW later AS (PARTITION BY funnel_id, visitor ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
      ), counted AS (
        SELECT funnel_id, place, count(*)::int AS visitors,
          count(*) FILTER (WHERE "nextPlace" = place - 1 AND "nextLast" >= first)::int AS "reachedNext",
          count(*) FILTER (WHERE "laterLast" >= first)::int AS "reachedAnyLater"
        FROM path GROUP BY funnel_id, place
      )
      SELECT c.funnel_id AS "funnelId", s.id AS "stepId", c.visitors, c."reachedNext", c."reachedAnyLater"
      FROM counted c JOIN step s ON s.funnel_id = c.funnel_id AND s.place = c.place`
}

/** Returns the conditions that a row counts, by its time and its attribution. */
export function conditionsOf({ span, filter }: VisitQuery, at: Sql, attribution: Sql): Sql {
  const from = span.from ? sql`AND ${at} >= ${span.from}::timestamptz` : sql``
  const until = span.until ? sql`AND ${at} < ${span.until}::timestamptz` : sql``
  const matching = Object.keys(filter).length > 0 ? sql`AND ${attribution} @> ${JSON.stringify(filter)}::jsonb` : sql``
  return sql`${from} ${until} ${matching}`
}
