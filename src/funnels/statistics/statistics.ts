import { z } from 'zod'
import type { FunnelStep } from '../../../prisma/generated/client/client.ts'
import { GivenAttribution } from '../../contacts/index.ts'
import { type Ctx, type Loader, many } from '../../db/context.ts'
import { sumsOver } from '../../db/figures/figures.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { periodOfFigure, type ZonedSpan } from '../../db/zone.ts'
import { check } from '../../kernel/values/check.ts'
import { firstDaysOf } from '../../kernel/values/intervals.ts'
import { decimal, type Money } from '../../kernel/values/money.ts'
import { identityOf } from '../../kernel/values/page.ts'
import { dayOf, type PeriodArgs } from '../../kernel/values/period.ts'
import { ofFunnel } from '../funnel/step-list.ts'
import { partsOfFunnels, visitorOf } from '../visits/visitor-parts.ts'
import { type Conversion, conditionsOf, conversionOf, isCounted } from './conversion.ts'
import {
  type Grouping,
  isTime,
  keyOf,
  type Level,
  type StatisticsQuery,
  setsOf,
  type TimeGrouping,
} from './grouping.ts'
import { countPeople, type PeopleCounts } from './people-counts.ts'

export type { Conversion } from './conversion.ts'
export { type Grouping, groupings } from './grouping.ts'

/** Maximum number of groups in a result. */
export const maxGroups = 1_000

interface StatisticsArgs extends PeriodArgs {
  groupBy?: Grouping | null | undefined
  filter?: readonly { key: string; value: string }[] | null | undefined
}

/** Visits, opt-ins and orders of a group of visitors. */
export interface Figures {
  visitors: number
  views: number
  optIns: number
  ordersPlaced: number
  orders: number
  /** Total amount of the orders per currency, largest amount first. */
  revenue: Money[]
}

/** Figures with the number of people behind them, which is read only for rates. */
export interface RatedFigures extends Figures {
  people(): Promise<PeopleCounts>
}

/** Statistics of a step. */
export interface StepStatistics {
  readonly step: FunnelStep
  readonly figures: RatedFigures
  /** Reads where the visitors of the step went. */
  conversion(): Promise<Conversion>
}

/** Statistics of a group by time, which has a date, or of a group by attribution, which has a value. */
interface GroupStatistics {
  readonly date: string | null
  readonly value: string | null
  readonly figures: RatedFigures
}

export interface Statistics {
  since: Date | null
  until: Date | null
  groupBy: Grouping | null
  totals: RatedFigures
  steps: StepStatistics[]
  /** The groups that are not empty. */
  groups: GroupStatistics[]
  /** Returns the groups with those of days, weeks and months that are empty. */
  allGroups(): GroupStatistics[]
  /** Number of all groups that are not empty, including those over the maximum of `groups`. */
  groupsCount: number
}

const noFigures: Figures = { visitors: 0, views: 0, optIns: 0, ordersPlaced: 0, orders: 0, revenue: [] }

/** Row of the statement: figures of the whole funnel, of a step, or of a group. */
interface FigureRow extends Omit<Figures, 'revenue'> {
  funnelId: number
  level: Level
  stepId: number | null
  key: string | null
  revenue: Record<string, string> | null
  groups: number
}

/**
 * Loads the statistics of a funnel in a period: totals, per step, and per group if a grouping is requested. The period
 * defaults to the last 30 days. Visits of bots are not counted. Opt-ins are completed submissions of the forms of the steps,
 * without those of order forms, by time of completion. Orders are counted by time of creation: all that were placed, and those
 * that are completed. Visits older than the retention are counted only
 * in the totals and steps of all time without a filter.
 *
 * **Throws** INVALID_PERIOD and VALIDATION_ERROR.
 */
export async function load(ctx: Ctx, funnelId: number, args: StatisticsArgs): Promise<Statistics> {
  const { filter } = check(z.object({ filter: GivenAttribution }), { filter: args.filter ?? [] })
  const { span, zone } = await periodOfFigure(ctx, args)
  const groupBy = args.groupBy ?? null
  const query = { span, filter, groupBy, zone }
  const [rows, steps] = await Promise.all([ctx.load(rowsLoader(query), funnelId), ctx.load(ofFunnel, funnelId)])
  const figuresBy = new Map(rows.map((row) => [row.level === 'step' ? row.stepId : row.level, figuresOf(row)]))
  const rated = (figures: Figures | undefined, group: Parameters<typeof countPeople>[3]): RatedFigures => ({
    ...(figures ?? noFigures),
    people: () => countPeople(ctx, funnelId, query, group),
  })
  const groupRows = rows.filter(({ level }) => level === 'group')
  const groupOf = (key: string, row?: FigureRow): GroupStatistics => ({
    ...(isTime(groupBy) ? { date: key, value: null } : { date: null, value: key }),
    figures: rated(row && figuresOf(row), { level: 'group', key }),
  })
  const groups = sortGroups(groupRows, groupBy).map((row) => groupOf(row.key ?? '', row))
  return {
    since: span.from ?? null,
    until: span.until ?? null,
    groupBy,
    totals: rated(figuresBy.get('funnel'), { level: 'funnel' }),
    steps: steps.map((step) => ({
      step,
      figures: rated(figuresBy.get(step.id), { level: 'step', stepId: step.id }),
      conversion: () => conversionOf(ctx, step, { span, filter }),
    })),
    groups,
    allGroups: () =>
      isTime(groupBy) ? withEmptyDates(groups, { span, zone, groupBy, now: ctx.clock.now(), groupOf }) : groups,
    groupsCount: groupRows[0]?.groups ?? 0,
  }
}

/** Returns a loader of the rows of funnels. Funnels with the same query share one statement. */
function rowsLoader(query: StatisticsQuery): Loader<number, FigureRow[], FigureRow[]> {
  const { groupBy } = query
  const { sets, place } = setsOf(groupBy)
  const batch = async (ctx: Ctx, funnelIds: readonly number[]) => {
    const within = (at: Sql, attribution: Sql) => conditionsOf(query, at, attribution)
    const key = (at: Sql, attribution: Sql) => keyOf(query, at, attribution)
    const isOfParts = groupBy === null && (await isCounted(ctx, query, funnelIds))
    const visited = isOfParts
      ? partsOfFunnels(ctx, funnelIds)
      : sql`visited AS (
        SELECT s.funnel_id, v.step_id, ${visitorOf(sql`v`)} AS visitor, ${key(sql`v.created_at`, sql`v.attribution`)} AS key
        FROM visit v JOIN step s ON s.id = v.step_id
        WHERE v.account_id = ${ctx.sql.account} AND v.funnel_id = ANY(${funnelIds}::int[]) AND NOT v.is_bot
          ${within(sql`v.created_at`, sql`v.attribution`)}
      )`
    const visits = isOfParts
      ? countedVisits
      : sql`SELECT ${place}, count(DISTINCT visitor) AS visitors, count(*) AS views, 0 AS "optIns", 0 AS placed, 0 AS orders,
          NULL::bpchar AS currency, NULL::numeric AS amount FROM visited GROUP BY ${sets}`
    const optIns = isOfParts
      ? countedOptIns(ctx)
      : sql`SELECT ${place}, 0, 0, count(*), 0, 0, NULL, NULL FROM opted GROUP BY ${sets}`
    const rows = await ctx.sql<FigureRow>`
      WITH step AS (
        SELECT p.id, p.funnel_id, p.form_id FROM funnel_step p
        WHERE p.account_id = ${ctx.sql.account} AND p.funnel_id = ANY(${funnelIds}::int[])
      ), ${visited}, opted AS (
        SELECT s.funnel_id, s.id AS step_id, ${key(sql`b.completed_at`, sql`b.attribution`)} AS key
        FROM step s JOIN submission b ON b.form_id = s.form_id
        WHERE b.account_id = ${ctx.sql.account} AND b.completed_at IS NOT NULL AND NOT b.is_order
          ${within(sql`b.completed_at`, sql`b.attribution`)}
      ), bought AS (
        SELECT s.funnel_id, s.id AS step_id, ${key(sql`o.created_at`, sql`o.attribution`)} AS key, o.currency, o.amount - o.refunded_amount AS amount,
          o.status = 'COMPLETED' AS is_completed
        FROM step s JOIN "order" o ON o.step_id = s.id
        WHERE o.account_id = ${ctx.sql.account}
          ${within(sql`o.created_at`, sql`o.attribution`)}
      ), fact AS (
        ${visits}
        ${droppedVisits(ctx, query, funnelIds)}
        UNION ALL ${optIns}
        UNION ALL SELECT ${place}, 0, 0, 0, count(*), count(*) FILTER (WHERE is_completed), currency,
          sum(amount) FILTER (WHERE is_completed) FROM bought GROUP BY currency, ${sets}
      ), figure AS (
        SELECT funnel_id, level, step_id, key, sum(visitors)::int AS visitors, sum(views)::int AS views,
          sum("optIns")::int AS "optIns", sum(placed)::int AS placed, sum(orders)::int AS orders,
          jsonb_object_agg(currency, amount::text) FILTER (WHERE amount IS NOT NULL) AS revenue
        FROM fact GROUP BY funnel_id, level, step_id, key
      ), ranked AS (
        SELECT figure.*, row_number() OVER (PARTITION BY funnel_id, level ORDER BY ${rankOf(groupBy)}) AS rank,
          count(*) OVER (PARTITION BY funnel_id, level)::int AS groups FROM figure
      )
      SELECT funnel_id AS "funnelId", level, step_id AS "stepId", key, visitors, views, "optIns", placed AS "ordersPlaced", orders, revenue,
        groups
      FROM ranked WHERE level <> 'group' OR rank <= ${maxGroups}::int`
    const byFunnel = new Map<number, FigureRow[]>(funnelIds.map((id) => [id, []]))
    for (const row of rows) byFunnel.get(row.funnelId)?.push(row)
    return byFunnel
  }
  return { ...many<number, FigureRow>(batch), name: `funnel statistics ${identityOf(query)}` }
}

/**
 * Selects the visitors and views of the steps that exist, and of their funnels. A visitor of a funnel visited any of its steps.
 */
const countedVisits = sql`
  SELECT s.funnel_id, s.id AS step_id, NULL::text AS key, 'step' AS level, coalesce(sum(p.value) FILTER (WHERE p.kind = 's'), 0) AS visitors,
    coalesce(sum(p.value) FILTER (WHERE p.kind = 'v'), 0) AS views, 0 AS "optIns", 0 AS placed, 0 AS orders,
    NULL::bpchar AS currency, NULL::numeric AS amount
  FROM part p JOIN step s ON s.id = p.step_id AND s.funnel_id = p.funnel_id GROUP BY 1, 2
  UNION ALL
  SELECT s.funnel_id, NULL, NULL, 'funnel', coalesce(sum(p.value) FILTER (WHERE p.kind = 'f' AND p.visited && s.ids), 0),
    coalesce(sum(p.value) FILTER (WHERE p.kind = 'v' AND p.step_id = ANY(s.ids)), 0), 0, 0, 0, NULL, NULL
  FROM part p JOIN (SELECT funnel_id, array_agg(id) AS ids FROM step GROUP BY 1) s USING (funnel_id) GROUP BY 1`

/** Selects the opt-ins of the steps and of their funnels. */
function countedOptIns(ctx: Ctx): Sql {
  const forms = sql`SELECT 'Form:' || form_id FROM step`
  return sql`SELECT s.funnel_id, s.id, NULL, CASE GROUPING(s.id) WHEN 1 THEN 'funnel' ELSE 'step' END, 0, 0, sum(c.value)::bigint, 0, 0, NULL, NULL
    FROM step s JOIN (${sumsOver(ctx, ['OPT_INS'], sql`ARRAY(${forms})`)}) c ON c.object = 'Form:' || s.form_id
    GROUP BY GROUPING SETS ((s.funnel_id), (s.funnel_id, s.id))`
}

/**
 * Selects the totals of deleted visits. They have no times and no attribution, so they count only for all time without a
 * filter.
 */
function droppedVisits(ctx: Ctx, { span, filter }: StatisticsQuery, funnelIds: readonly number[]): Sql {
  if (span.from || span.until || Object.keys(filter).length > 0) return sql``
  return sql`UNION ALL SELECT t.funnel_id, nullif(t.step_id, 0), NULL, CASE t.step_id WHEN 0 THEN 'funnel' ELSE 'step' END,
      t.visitors, t.views, 0, 0, 0, NULL, NULL FROM visit_total t
    WHERE t.account_id = ${ctx.sql.account} AND t.funnel_id = ANY(${funnelIds}::int[])`
}

/** Returns the order in which groups are kept up to the maximum: newest first, or most visitors first. */
function rankOf(groupBy: Grouping | null): Sql {
  return isTime(groupBy) ? sql`key DESC` : sql`visitors DESC, "optIns" DESC, orders DESC, placed DESC, key`
}

function sortGroups(groups: readonly FigureRow[], groupBy: Grouping | null): FigureRow[] {
  const byKey = (one: FigureRow, other: FigureRow) => ((one.key ?? '') < (other.key ?? '') ? -1 : 1)
  if (isTime(groupBy)) return groups.toSorted(byKey)
  return groups.toSorted((one, other) => other.visitors - one.visitors || byKey(one, other))
}

interface DatesOfGroups extends ZonedSpan {
  readonly groupBy: TimeGrouping
  readonly now: Date
  groupOf(date: string): GroupStatistics
}

/** Returns the groups of all dates of a period, the newest `maxGroups`. All time lasts from the first group until today. */
function withEmptyDates(
  groups: readonly GroupStatistics[],
  { span, zone, groupBy, now, groupOf }: DatesOfGroups,
): GroupStatistics[] {
  const byDate = new Map(groups.map((group) => [group.date ?? '', group]))
  const today = dayOf(now, zone)
  const first = span.from ? dayOf(span.from, zone) : ([...byDate.keys()][0] ?? today)
  const last = span.until ? dayOf(new Date(span.until.getTime() - 1), zone) : [...byDate.keys(), today].sort().at(-1)
  return firstDaysOf(groupBy, [first, last ?? today], maxGroups).map((date) => byDate.get(date) ?? groupOf(date))
}

function figuresOf({ visitors, views, optIns, ordersPlaced, orders, revenue }: FigureRow): Figures {
  const money = Object.entries(revenue ?? {}).map(([currency, amount]): Money => ({ currency, amount }))
  const largestFirst = (one: Money, other: Money) =>
    decimal(other.amount).cmp(one.amount) || (one.currency < other.currency ? -1 : 1)
  return { visitors, views, optIns, ordersPlaced, orders, revenue: money.toSorted(largestFirst) }
}
