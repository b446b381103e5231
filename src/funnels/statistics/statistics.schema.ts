import { AttributionInput } from '../../contacts/record/attribution.schema.ts'
import { FormStatsType } from '../../forms/statistics/form-stats.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { MoneyType } from '../../graphql/schema/money.ts'
import { periodArgs } from '../../graphql/schema/period.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { stats } from '../../mail/index.ts'
import { FunnelType } from '../funnel/funnel.schema.ts'
import { StepType } from '../funnel/step.schema.ts'
import * as stepList from '../funnel/step-list.ts'
import { viewsIn } from './form-views.ts'
import * as statistics from './statistics.ts'

/** Cost of counting people, which reads the submissions and the orders once for all rates of a funnel. */
const costOfPeople = 2

const limits = 'Never above 1, also if visits were not counted. 0 if there are no visitors.'

/** People can be more than the visitors: visits are lost, expire, or are before the period. */
function shareOf(people: number, visitors: number): number {
  return stats.ratio(Math.min(people, visitors), visitors)
}

const FunnelTotals = builder.objectRef<statistics.RatedFigures>('FunnelTotals').implement({
  description: 'Numbers of visits, opt-ins and orders of a group of visitors.',
  fields: (t) => ({
    visitors: t.exposeInt('visitors', { description: 'Number of different visitors.' }),
    views: t.exposeInt('views', { description: 'Number of page views.' }),
    optIns: t.exposeInt('optIns', {
      description: 'Number of completed submissions. Those of an order form are orders, and do not count.',
    }),
    ordersPlaced: t.exposeInt('ordersPlaced', {
      description:
        'Number of orders that were placed, whatever became of them: also waiting, cancelled and refunded ones.',
    }),
    orders: t.exposeInt('orders', { description: 'Number of completed orders.' }),
    revenue: t.field({
      type: [MoneyType],
      description: 'Total amount of the completed orders per currency, largest amount first.',
      complexity: listCost('currencies'),
      resolve: ({ revenue }) => revenue,
    }),
    optInRate: t.float({
      description: `Share of the visitors who opted in, from 0 to 1. A contact with several submissions counts once. Submissions of an order form do not count. ${limits}`,
      complexity: costOfPeople,
      resolve: async ({ visitors, people }) => shareOf((await people()).optedIn, visitors),
    }),
    orderRate: t.float({
      description: `Share of the visitors who bought, from 0 to 1. A customer with several completed orders counts once. ${limits}`,
      complexity: costOfPeople,
      resolve: async ({ visitors, people }) => shareOf((await people()).bought, visitors),
    }),
  }),
})

const StepConversion = builder.objectRef<statistics.Conversion>('StepConversion').implement({
  description:
    'Where the visitors of a step went. Only visits in the period count, and only those that are kept (`TRACKING_RETENTION_DAYS`).',
  fields: (t) => ({
    visitors: t.exposeInt('visitors', { description: 'Number of different visitors of the step.' }),
    reachedNext: t.exposeInt('reachedNext', {
      description:
        'Number of these visitors who visited the next step after their first visit of this one. 0 for the last step.',
    }),
    reachedAnyLater: t.exposeInt('reachedAnyLater', {
      description: 'Number of these visitors who visited any later step after their first visit of this one.',
    }),
    nextRate: t.float({
      description: '`reachedNext` divided by `visitors`, from 0 to 1. 0 if there are no visitors.',
      resolve: ({ reachedNext, visitors }) => stats.ratio(reachedNext, visitors),
    }),
    laterRate: t.float({
      description: '`reachedAnyLater` divided by `visitors`, from 0 to 1. 0 if there are no visitors.',
      resolve: ({ reachedAnyLater, visitors }) => stats.ratio(reachedAnyLater, visitors),
    }),
  }),
})

const FunnelStepStats = builder.objectRef<statistics.StepStatistics>('FunnelStepStats').implement({
  description: 'Statistics of one step.',
  fields: (t) => ({
    step: t.expose('step', { type: StepType, description: 'The step.' }),
    figures: t.field({ type: FunnelTotals, description: 'Figures of the step.', resolve: (stats) => stats.figures }),
    conversion: t.field({
      type: StepConversion,
      description:
        'How many visitors of the step reached the next one. Counted only if requested. A visit must match the attribution filter of the statistics.',
      complexity: 20,
      resolve: (stats) => stats.conversion(),
    }),
  }),
})

readableWith('FunnelStepStats', 'funnels:read')

type GroupFigures = statistics.Statistics['groups'][number]
const FunnelGroupStats = builder.objectRef<GroupFigures>('FunnelGroupStats').implement({
  description: 'Statistics of one group of visitors, over all steps.',
  fields: (t) => ({
    date: t.expose('date', {
      type: 'Date',
      nullable: true,
      description:
        'First day of a group by time, which can be before the period. A week begins on Monday. Null for a group by attribution.',
    }),
    value: t.exposeString('value', {
      nullable: true,
      description:
        'Value of the attribution parameter. Empty for visitors without that parameter. Null for a group by time.',
    }),
    figures: t.field({ type: FunnelTotals, description: 'Figures of the group.', resolve: (stats) => stats.figures }),
  }),
})

const groupingDescriptions: Record<statistics.Grouping, string> = {
  DAY: 'Calendar day.',
  WEEK: 'Week. Weeks begin on Monday.',
  MONTH: 'Calendar month.',
  UTM_SOURCE: 'Attribution parameter `utm_source`.',
  UTM_CAMPAIGN: 'Attribution parameter `utm_campaign`.',
  AD_ID: 'Attribution parameter `ad_id`.',
}
const Grouping = builder.enumType('FunnelStatsGrouping', {
  description: 'Grouping of the statistics of a funnel.',
  values: Object.fromEntries(
    statistics.groupings.map((value) => [value, { value, description: groupingDescriptions[value] }]),
  ) as Record<statistics.Grouping, { value: statistics.Grouping; description: string }>,
})

const FunnelStats = builder.objectRef<statistics.Statistics>('FunnelStats').implement({
  description: 'Statistics of a funnel in a period. Bots and deleted steps are not counted.',
  fields: (t) => ({
    since: t.exposeTime('since', { nullable: true, description: 'Start of the period, inclusive. Null for all time.' }),
    until: t.exposeTime('until', { nullable: true, description: 'End of the period, exclusive. Null for all time.' }),
    groupBy: t.expose('groupBy', {
      type: Grouping,
      nullable: true,
      description: 'Grouping of `groups`. Null if none was requested.',
    }),
    totals: t.expose('totals', {
      type: FunnelTotals,
      description: 'Figures of all steps. A visitor of several steps counts once.',
    }),
    steps: t.field({
      type: [FunnelStepStats],
      description: `Statistics per step, sorted by position. Maximum ${stepList.maxSteps}.`,
      complexity: listCost('steps'),
      resolve: ({ steps }) => steps,
    }),
    groups: t.field({
      type: [FunnelGroupStats],
      description: `Statistics per group. Maximum ${statistics.maxGroups}. Groups by time are sorted by time, and the newest are kept if there are more. Other groups are sorted by \`visitors\`, largest first. Empty if no grouping was requested.`,
      args: {
        includeEmpty: t.arg.boolean({
          required: true,
          defaultValue: true,
          description:
            'Whether days, weeks and months without visits, opt-ins and orders are included. All time begins with the first group that has some.',
        }),
      },
      complexity: listCost('groups'),
      resolve: (statistics, { includeEmpty }) => (includeEmpty ? statistics.allGroups() : statistics.groups),
    }),
    groupsCount: t.exposeInt('groupsCount', {
      description: 'Number of all groups that are not empty, including those over the maximum of `groups`.',
    }),
  }),
})

readableWith('FunnelStats', 'funnels:read')

builder.prismaObjectField(FunnelType, 'stats', (t) =>
  t.field({
    type: FunnelStats,
    description: 'Statistics of the funnel in a period. Throws INVALID_PERIOD if `range` is missing or invalid.',
    args: {
      ...periodArgs(t.arg),
      groupBy: t.arg({ type: Grouping, description: 'Grouping of `groups`. If absent, `groups` is empty.' }),
      filter: t.arg({
        type: [AttributionInput],
        required: { list: false, items: true },
        description:
          'Counts only visits, opt-ins and orders with all of these attribution values (exact match). Each key at most once.',
      }),
    },
    complexity: 100,
    resolve: ({ id }, args, ctx) => statistics.load(ctx, id, args),
  }),
)

builder.objectField(FormStatsType, 'views', (t) =>
  t.int({
    nullable: true,
    description:
      "Number of views of the page of the form's funnel step in the period, without bots. Null for a form without a step, whose own page (`/f/…`) stores no views.",
    resolve: ({ formId, span }, _args, ctx) => ctx.load(viewsIn(span), formId),
  }),
)
