import type { ObjectRef } from '@pothos/core'
import { AccountType } from '../account/accounts/account.schema.ts'
import { CampaignType } from '../campaigns/definition/campaign.schema.ts'
import { SegmentType } from '../contacts/segments/segment.schema.ts'
import { TagType } from '../contacts/tags/tag.schema.ts'
import { FormType } from '../forms/form/form.schema.ts'
import { FunnelType } from '../funnels/funnel/funnel.schema.ts'
import { StepType } from '../funnels/funnel/step.schema.ts'
import { listCost } from '../graphql/cost/sizes.ts'
import { builder, type Schema } from '../graphql/schema/builder.ts'
import { scopeText } from '../graphql/schema/descriptions.ts'
import { periodArgs } from '../graphql/schema/period.ts'
import { type Interval, maxPoints } from '../kernel/values/intervals.ts'
import { SequenceObject } from '../sequences/definition/sequence.schema.ts'
import { StageObject } from '../sequences/stages/stage.schema.ts'
import { type FigureName, type FigureObject, figures } from './catalogue.ts'
import { maxFirstDays } from './first-days.ts'
import { load, type Series, type SeriesPoint } from './series.ts'

const names = Object.keys(figures) as FigureName[]
const currencyNote = ' In one currency.'

function figureEnum(name: string, description: string, own: readonly FigureName[]) {
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(
      own.map((figure) => {
        const { description, needs, isByCurrency } = figures[figure]
        const text = `${description}${isByCurrency ? currencyNote : ''} ${scopeText(needs)}`
        return [figure, { value: figure, description: text }]
      }),
    ) as Record<FigureName, { value: FigureName; description: string }>,
  })
}

const Figure = figureEnum('Figure', 'A number that is counted over time.', names)

const intervalDescriptions: Record<Interval, string> = {
  HOUR: 'Hour of 60 minutes. A day on which the clocks change has 23 or 25.',
  DAY: 'Calendar day.',
  WEEK: 'Week. Weeks begin on Monday.',
  MONTH: 'Calendar month.',
}
export const IntervalType = builder.enumType('Interval', {
  description: 'Interval of the points of a series.',
  values: Object.fromEntries(
    Object.entries(intervalDescriptions).map(([value, description]) => [value, { value, description }]),
  ) as Record<Interval, { value: Interval; description: string }>,
})

const SeriesPointType = builder.objectRef<SeriesPoint>('SeriesPoint').implement({
  description: 'Value of a figure in one interval.',
  fields: (t) => ({
    start: t.exposeTime('start', { description: 'Start of the interval. It ends where the next point starts.' }),
    date: t.field({
      type: 'Date',
      description: 'Day of `start` in the time zone of the period.',
      resolve: (point) => point.date(),
    }),
    value: t.expose('value', { type: 'Decimal', description: 'Value in the interval. 0 if nothing was counted.' }),
    previous: t.expose('previous', {
      type: 'Decimal',
      description:
        'Value in the same interval of the period before, which is the interval moved back by all days of the period.',
    }),
  }),
})

export const SeriesType = builder.objectRef<Series>('Series').implement({
  description:
    'A figure over time. Deleted contacts stay counted. Values are whole numbers, or amounts in the main unit of `currency`.',
  fields: (t) => ({
    figure: t.expose('figure', { type: Figure, description: 'The figure.' }),
    interval: t.expose('interval', { type: IntervalType, description: 'Interval of `points`.' }),
    currency: t.expose('currency', {
      type: 'CurrencyCode',
      nullable: true,
      description: 'Currency of the counted orders or subscriptions. Null for other figures.',
    }),
    since: t.exposeTime('since', { description: 'Start of the period, inclusive.' }),
    until: t.exposeTime('until', { description: 'End of the period, exclusive.' }),
    total: t.expose('total', {
      type: 'Decimal',
      description: 'Sum of all points. Of `MRR`, the value of the last point.',
    }),
    previousTotal: t.expose('previousTotal', {
      type: 'Decimal',
      description: 'The same for the period before, which has the same number of days.',
    }),
    points: t.field({
      type: [SeriesPointType],
      description: `All intervals of the period, the earliest first. The first and the last are shorter if the period begins or ends within an interval. Maximum ${maxPoints.toLocaleString('en')}.`,
      complexity: listCost('seriesPoints'),
      resolve: ({ points }) => [...points],
    }),
  }),
})

/** A series reads the roll-ups of its period and of the one before. */
const seriesCost = 30

type Row = { id: number }
const parents: Record<FigureObject, ObjectRef<Schema, Row>> = {
  Account: AccountType as never,
  Tag: TagType as never,
  Segment: SegmentType as never,
  Campaign: CampaignType as never,
  Sequence: SequenceObject as never,
  SequenceStage: StageObject as never,
  Form: FormType as never,
  Funnel: FunnelType as never,
  FunnelStep: StepType as never,
}

for (const [object, type] of Object.entries(parents) as [FigureObject, ObjectRef<Schema, Row>][]) {
  const own = names.filter((name) => (figures[name].objects as readonly FigureObject[]).includes(object))
  const OwnFigure = figureEnum(`${object}Figure`, `A figure of the type ${object}.`, own)
  builder.objectField(type, 'series', (t) =>
    t.field({
      type: SeriesType,
      nullable: true,
      description: `Returns a figure over time. Null without the scope of the figure. Throws INVALID_PERIOD for a period without a start, and VALIDATION_ERROR for more than ${maxPoints.toLocaleString('en')} points.`,
      args: {
        figure: t.arg({ type: OwnFigure, required: true, description: 'The figure.' }),
        interval: t.arg({ type: IntervalType, description: 'Interval of the points. Defaults to `DAY`.' }),
        ...periodArgs(t.arg, ' `ALL` is not possible.'),
        ...(object === 'Campaign' && {
          firstDays: t.arg.int({
            description: `Number of days from the day of the first message, until today at most, instead of a period. From 1 to ${maxFirstDays}. The series is null if nothing was sent.`,
          }),
        }),
        ...(own.some((name) => figures[name].isByCurrency) && {
          currency: t.arg({
            type: 'CurrencyCode',
            description: "Currency of the counted orders or subscriptions. Defaults to the account's currency.",
          }),
        }),
      },
      // Points are computed whether or not they are selected.
      complexity: seriesCost,
      resolve: ({ id }, args, ctx) => load(ctx, object, id, args),
    }),
  )
}
