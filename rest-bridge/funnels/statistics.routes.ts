import * as z from 'zod'
import { one, route } from '../envelope/route.ts'
import { type FunnelFigureSetFragment, FunnelStatsDocument } from '../generated/documents.ts'
import { attributionKeys } from '../generated/names.documents.ts'
import { queryId, text } from '../input/input.ts'
import { periodArguments, queryWithPeriod } from '../input/period.ts'
import { toGraphEnum, toRestEnum } from '../values/enums.ts'
import { amount, toAmount } from '../values/money.ts'
import { ratio } from '../values/rates.ts'
import { plainTime } from '../values/time.ts'

const grouping = z.enum(['day', 'week', 'month', 'utm_source', 'utm_campaign', 'ad_id'])

const attributionValue = text.max(255, 'must have at most 255 characters').optional()
/** The attribution of a visitor. Each is a filter: only visitors with exactly this value are counted. */
const attributionFilters = Object.fromEntries(attributionKeys.map((key) => [key, attributionValue])) as Record<
  (typeof attributionKeys)[number],
  typeof attributionValue
>

const count = z.int()
const figures = z.strictObject({
  visitors: count,
  views: count,
  optins: count,
  orders: count,
  revenue: z.array(z.strictObject({ currency: z.string(), amount })),
  optin_rate: z.number(),
  order_rate: z.number(),
})

function toFigures({ visitors, views, optIns, orders, revenue }: FunnelFigureSetFragment) {
  return {
    visitors,
    views,
    optins: optIns,
    orders,
    revenue: revenue.map((money) => ({ currency: money.currency, amount: toAmount(money) })),
    optin_rate: ratio(optIns, visitors),
    order_rate: ratio(orders, visitors),
  }
}

const nullableTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .nullable()

const readStatistics = route('GET /v1/funnel-stats', FunnelStatsDocument, {
  id: 'FUN-STATS',
  scopes: ['funnels:read'],
  group: 'Funnels',
  summary: 'Get statistics of a funnel and its steps',
  description:
    "`period` defaults to `last30days`; its days are in the account's time zone. `since` (inclusive) and `until` (exclusive) are in UTC, and null for `all`. Rates are ratios to `visitors`. Groups by time are in chronological order, other groups are sorted by visitors. At most 1,000 groups are returned: the newest, or those with the most visitors. The group with an empty `key` counts visitors without a value.",
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'funnel',
  query: queryWithPeriod({ funnel_id: queryId, group_by: grouping.optional(), ...attributionFilters }),
  variables: ({ query }) => ({
    id: query.funnel_id,
    ...periodArguments({ ...query, period: query.period ?? 'last30days' }),
    groupBy: query.group_by && toGraphEnum(query.group_by),
    filter: attributionKeys.flatMap((key) => {
      const value = query[key]
      return value === undefined || value === '' ? [] : [{ key: toGraphEnum(key), value }]
    }),
  }),
  reply: one(
    z.strictObject({
      funnel_id: z.int(),
      since: nullableTime,
      until: nullableTime,
      group_by: grouping.nullable(),
      totals: figures,
      steps: z.array(figures.extend({ id: z.int(), name: z.string(), path: z.string(), order: z.int() })),
      groups: z.array(figures.extend({ key: z.string() })),
    }),
    ({ funnel }) => {
      const { since, until, groupBy, totals, steps, groups } = funnel.stats
      return {
        funnel_id: funnel.databaseId,
        since: since === null ? null : plainTime(since),
        until: until === null ? null : plainTime(until),
        group_by: groupBy && toRestEnum(groupBy),
        totals: toFigures(totals),
        steps: steps.map(({ step, figures: own }) => ({
          id: step.databaseId,
          name: step.name,
          path: step.path,
          order: step.position,
          ...toFigures(own),
        })),
        groups: groups.map(({ date, value, figures: own }) => ({
          key: value ?? (groupBy === 'MONTH' ? date?.slice(0, 7) : date) ?? '',
          ...toFigures(own),
        })),
      }
    },
  ),
})

/** Statistics of a funnel, from the specification's table “Funnels”. */
export const funnelStatisticsRoutes = [readStatistics]
