import { AttributionInput } from '../graphql/attribution.ts'
import { builder } from '../graphql/builder.ts'
import { MoneyType } from '../graphql/money.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { stats } from '../mail/index.ts'
import { FunnelType } from './funnel.schema.ts'
import { statistics, stepList } from './index.ts'
import { StepType } from './step.schema.ts'

/** How many currencies a funnel usually sells in, for what its revenue costs. */

const FunnelFigures = builder.objectRef<statistics.Figures>('FunnelFigures').implement({
  description: 'What visitors did.',
  fields: (t) => ({
    visitors: t.exposeInt('visitors', { description: 'How many different visitors came.' }),
    views: t.exposeInt('views', { description: 'How often they looked at a page.' }),
    optins: t.exposeInt('optins', { description: 'How often a form was completed.' }),
    orders: t.exposeInt('orders', { description: 'How many orders were completed.' }),
    revenue: t.field({
      type: [MoneyType],
      description: 'What these orders came to, currency by currency, the largest first.',
      complexity: listCost('currencies'),
      resolve: ({ revenue }) => revenue,
    }),
    optinRate: t.float({
      description: 'Opt-ins per visitor: 0.25 means 25 %; 0 where nobody came.',
      resolve: ({ optins, visitors }) => stats.ratio(optins, visitors),
    }),
    orderRate: t.float({
      description: 'Orders per visitor, in the same form.',
      resolve: ({ orders, visitors }) => stats.ratio(orders, visitors),
    }),
  }),
})

type StepFigures = statistics.Statistics['steps'][number]
const FunnelStepStats = builder.objectRef<StepFigures>('FunnelStepStats').implement({
  description: 'What visitors did at one step.',
  fields: (t) => ({
    step: t.field({ type: StepType, description: 'The step.', resolve: ({ step }) => step }),
    figures: t.field({ type: FunnelFigures, description: 'What they did there.', resolve: (stats) => stats.figures }),
  }),
})

readableWith('FunnelStepStats', 'funnels:read')

type GroupFigures = statistics.Statistics['groups'][number]
const FunnelGroupStats = builder.objectRef<GroupFigures>('FunnelGroupStats').implement({
  description: 'What one group of visitors did, in all steps together.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description:
        'The day as `YYYY-MM-DD`, the week as its Monday, the month as `YYYY-MM`, or the value of the attribution: empty where it has none.',
    }),
    figures: t.field({ type: FunnelFigures, description: 'What they did.', resolve: (stats) => stats.figures }),
  }),
})

const words: Record<statistics.Grouping, string> = {
  DAY: "By day of the account's zone.",
  WEEK: 'By week, which begins on Monday.',
  MONTH: 'By calendar month.',
  UTM_SOURCE: 'By `utm_source`.',
  UTM_CAMPAIGN: 'By `utm_campaign`.',
  AD_ID: 'By `ad_id`.',
}
const Grouping = builder.enumType('FunnelStatsGrouping', {
  description: 'What the figures of a funnel can be grouped by.',
  values: Object.fromEntries(
    statistics.groupings.map((value) => [value, { value, description: words[value] }]),
  ) as Record<statistics.Grouping, { value: statistics.Grouping; description: string }>,
})

const FunnelStats = builder.objectRef<statistics.Statistics>('FunnelStats').implement({
  description:
    'What became of the visitors of a funnel. Machines are not counted, nor is what happened at steps that are gone.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description: 'When the period began; null where it has no beginning.',
    }),
    until: t.expose('until', {
      type: 'DateTime',
      nullable: true,
      description: 'The moment after its end; null where it has no end.',
    }),
    groupBy: t.expose('groupBy', {
      type: Grouping,
      nullable: true,
      description: 'What `groups` are made by; null where there are none.',
    }),
    totals: t.field({
      type: FunnelFigures,
      description: 'All steps together; who came to several is one visitor.',
      resolve: ({ totals }) => totals,
    }),
    steps: t.field({
      type: [FunnelStepStats],
      description: `Step by step, in their order: ${stepList.mostSteps} at most.`,
      complexity: listCost('steps'),
      resolve: ({ steps }) => steps,
    }),
    groups: t.field({
      type: [FunnelGroupStats],
      description: `Group by group: ${statistics.mostGroups} at most. Times in their order, of too many the newest; others by visitors, the most first. Empty without a grouping.`,
      complexity: listCost('groups'),
      resolve: ({ groups }) => groups,
    }),
    groupsCount: t.exposeInt('groupsCount', {
      description: 'How many groups there are; more than `groups` has where these are cut.',
    }),
  }),
})

readableWith('FunnelStats', 'funnels:read')

builder.prismaObjectField(FunnelType, 'stats', (t) =>
  t.field({
    type: FunnelStats,
    description: 'What became of its visitors in a period.',
    args: {
      period: t.arg({ type: PeriodType, description: "Which days of the account's zone: LAST_30_DAYS where absent." }),
      range: t.arg({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
      groupBy: t.arg({ type: Grouping, description: 'What to group by; no groups where absent.' }),
      filter: t.arg({
        type: [AttributionInput],
        required: { list: false, items: true },
        description: 'Only who came with each of these, exactly: each key once.',
      }),
    },
    complexity: 100,
    resolve: ({ id }, args, ctx) => statistics.ofFunnelIn(ctx, id, args),
  }),
)
