import * as z from 'zod'
import type { AttributionKey, FiguresOfFunnelFragment } from '../generated/documents.ts'
import { FunnelStatsDocument } from '../generated/documents.ts'
import { queryId, text } from '../input.ts'
import { amount, toAmount } from '../money.ts'
import { requiredPeriod, withPeriod } from '../period.ts'
import { ratio } from '../rates.ts'
import { one, route } from '../route.ts'
import { plainTime } from '../time.ts'

const groupings = {
  day: 'DAY',
  week: 'WEEK',
  month: 'MONTH',
  utm_source: 'UTM_SOURCE',
  utm_campaign: 'UTM_CAMPAIGN',
  ad_id: 'AD_ID',
} as const
const grouping = z.enum(Object.keys(groupings) as [keyof typeof groupings, ...(keyof typeof groupings)[]])

/** What is kept of where a visitor came from; each narrows the figures to who came with exactly this value. */
const attributionKeys = {
  utm_source: 'UTM_SOURCE',
  utm_medium: 'UTM_MEDIUM',
  utm_campaign: 'UTM_CAMPAIGN',
  utm_term: 'UTM_TERM',
  utm_content: 'UTM_CONTENT',
  utm_id: 'UTM_ID',
  gclid: 'GCLID',
  gbraid: 'GBRAID',
  wbraid: 'WBRAID',
  fbclid: 'FBCLID',
  msclkid: 'MSCLKID',
  ttclid: 'TTCLID',
  li_fat_id: 'LI_FAT_ID',
  ad_id: 'AD_ID',
  ad_name: 'AD_NAME',
  adset_id: 'ADSET_ID',
  adset_name: 'ADSET_NAME',
  campaign_id: 'CAMPAIGN_ID',
  campaign_name: 'CAMPAIGN_NAME',
  placement: 'PLACEMENT',
  site_source_name: 'SITE_SOURCE_NAME',
  referrer: 'REFERRER',
  landing_page: 'LANDING_PAGE',
} as const satisfies Record<Lowercase<AttributionKey>, AttributionKey>

const attributionValue = text.max(255, 'must have at most 255 characters').optional()
const attributionFilters = Object.fromEntries(
  Object.keys(attributionKeys).map((key) => [key, attributionValue]),
) as Record<keyof typeof attributionKeys, typeof attributionValue>

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

function toFigures({ visitors, views, optIns, orders, revenue }: FiguresOfFunnelFragment) {
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

const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .nullable()

const readStatistics = route(FunnelStatsDocument, {
  id: 'FUN-STATS',
  method: 'GET',
  path: '/v1/funnel-stats',
  needs: ['funnels:read'],
  group: 'Funnels',
  summary: 'Read what became of the visitors of a funnel, step by step',
  description:
    'Days are those of the account; `since` and `until` are in UTC, the latter the moment after the end, and both null for `all`. Rates are ratios to `visitors`. Groups by time come in their order, others by visitors; at most 1,000, the newest or the largest. An empty `key` stands for who came without it.',
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'funnel',
  query: withPeriod({ funnel_id: queryId, group_by: grouping.optional(), ...attributionFilters }),
  variables: ({ query }) => ({
    id: query.funnel_id,
    ...requiredPeriod({ ...query, period: query.period ?? 'last30days' }),
    groupBy: query.group_by && groupings[query.group_by],
    filter: Object.entries(attributionKeys).flatMap(([name, key]) => {
      const value = query[name as keyof typeof attributionKeys]
      return value === undefined || value === '' ? [] : [{ key, value }]
    }),
  }),
  reply: one(
    z.strictObject({
      funnel_id: z.int(),
      since: time,
      until: time,
      group_by: grouping.nullable(),
      totals: figures,
      steps: z.array(figures.extend({ id: z.int(), name: z.string(), path: z.string(), order: z.int() })),
      groups: z.array(figures.extend({ key: z.string() })),
    }),
    ({ funnel }) => {
      if (!funnel) return null
      const { since, until, groupBy, totals, steps, groups } = funnel.stats
      return {
        funnel_id: funnel.databaseId,
        since: since === null ? null : plainTime(since),
        until: until === null ? null : plainTime(until),
        group_by: groupBy === null ? null : (groupBy.toLowerCase() as Lowercase<typeof groupBy>),
        totals: toFigures(totals),
        steps: steps.map(({ step, figures: own }) => ({
          id: step.databaseId,
          name: step.name,
          path: step.path,
          order: step.position,
          ...toFigures(own),
        })),
        groups: groups.map(({ key, figures: own }) => ({ key, ...toFigures(own) })),
      }
    },
  ),
})

/** The figures of a funnel, of the specification's table “Funnels”. */
export const funnelStatisticsRoutes = [readStatistics]
