import { FunnelType } from '../funnels/funnel/funnel.schema.ts'
import { listCost } from '../graphql/cost/sizes.ts'
import { builder } from '../graphql/schema/builder.ts'
import { periodArgs } from '../graphql/schema/period.ts'
import { readableWith } from '../graphql/schema/scopes.ts'
import {
  maxRevenueGroups,
  maxRevenuePoints,
  type RevenueGroup,
  type RevenueGrouping,
  revenueSeries,
} from './revenue-series.ts'
import { IntervalType, SeriesType } from './series.schema.ts'

const RevenueGroupingEnum = builder.enumType('RevenueGrouping', {
  description: 'What revenue is grouped by.',
  values: {
    CURRENCY: { description: 'ISO 4217 code of the amount of the order.' },
    PRODUCT: { description: 'Name of the line of the order, in any case. The amount of a line includes its VAT.' },
    FUNNEL: { description: 'Funnel that the order came from.' },
  } satisfies Record<RevenueGrouping, object>,
})

const RevenueGroupType = builder.objectRef<RevenueGroup>('RevenueGroup').implement({
  description: 'Revenue of a currency, a product or a funnel.',
  fields: (t) => ({
    label: t.exposeString('label', {
      description:
        'Currency, or name of the product. Empty for orders without lines, for funnels, and for the sum of all other groups.',
    }),
    funnel: t.node('funnelId', {
      type: FunnelType,
      description: 'The funnel. Null for other groupings, and for orders that came from no funnel.',
    }),
    isOther: t.exposeBoolean('isOther', {
      description: `Whether this is the sum of all groups after the first ${maxRevenueGroups}.`,
    }),
    series: t.expose('series', { type: SeriesType, description: 'The figure `REVENUE` of the group.' }),
  }),
})

readableWith('RevenueGroup', 'finance:read')

builder.queryField('revenueSeries', (t) =>
  t.field({
    type: [RevenueGroupType],
    description: `Returns the revenue of a period over time for each currency, product or funnel: the ${maxRevenueGroups} groups with the largest total, and the sum of all others. Groups have all intervals, 0 if nothing was sold. Throws INVALID_PERIOD for a period without a start, and VALIDATION_ERROR for more than ${maxRevenuePoints} intervals or a period whose orders take longer than 2 seconds to add up: with the period before, about 1,000,000 orders, or half as many by product.`,
    args: {
      groupBy: t.arg({ type: RevenueGroupingEnum, required: true, description: 'What the revenue is grouped by.' }),
      interval: t.arg({ type: IntervalType, description: 'Interval of the points. Defaults to `DAY`.' }),
      ...periodArgs(t.arg, ' `ALL` is not possible.'),
      currency: t.arg({
        type: 'CurrencyCode',
        description:
          "Currency of the orders. Defaults to the account's currency. Cannot be combined with the grouping CURRENCY.",
      }),
    },
    complexity: { ...listCost('revenueGroups'), weight: 50 },
    resolve: (_root, args, ctx) => revenueSeries(ctx, args),
  }),
)
