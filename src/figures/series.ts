import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { periodOfFigure, type ZonedSpan } from '../db/zone.ts'
import { invalid, refuseValue } from '../kernel/errors.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'
import { divide, type Interval, type Limits } from '../kernel/values/intervals.ts'
import { type Decimal, decimal, print } from '../kernel/values/money.ts'
import { dayOf, type PeriodArgs, type Span } from '../kernel/values/period.ts'
import { type FigureName, type FigureObject, figures } from './catalogue.ts'
import { firstDaysOf } from './first-days.ts'
import { storedAs } from './stored-objects.ts'
import { type Sums, sumsBetween } from './sums.ts'

/** Which figure of an object, over which time. */
interface SeriesArgs extends PeriodArgs {
  readonly figure: FigureName
  readonly interval?: Interval | null | undefined
  readonly currency?: string | null | undefined
  /** Of a campaign: the number of days from that of its first message, instead of a period. */
  readonly firstDays?: number | null | undefined
}

/** A figure over time. Values are decimal numbers, with the decimals of the currency if they are amounts. */
export interface Series {
  readonly figure: FigureName
  readonly interval: Interval
  readonly currency: string | null
  readonly since: Date
  readonly until: Date
  readonly total: string
  readonly previousTotal: string
  readonly points: readonly SeriesPoint[]
}

/** One interval, and the value of the same interval in the period before. */
export interface SeriesPoint {
  readonly start: Date
  /** Returns the day of the start, in the time zone of the series. */
  date(): string
  readonly value: string
  readonly previous: string
}

/**
 * Returns a figure of an object over time: every interval of the period, by default the days of the last 30 days. Null for the
 * first days of a campaign of which nothing was sent.
 *
 * **Throws** FORBIDDEN without the scope of the figure, INVALID_PERIOD, also for all time, and VALIDATION_ERROR for a
 * currency of a figure without one, first days with a period, and too many points.
 */
export async function load(ctx: Ctx, object: FigureObject, id: number, args: SeriesArgs): Promise<Series | null> {
  const { figure } = args
  const { needs, isState } = figures[figure]
  mustBeAllowed(ctx, needs)
  const currency = await currencyOf(ctx, args)
  const period = await boundedPeriod(ctx, id, args)
  if (!period) return null
  const { span, zone } = period
  const interval = args.interval ?? 'DAY'
  const limits = divide(span, interval, zone)
  const stored = await storedAs(ctx, figure, object, id)
  const key = JSON.stringify({ ...stored, currency: currency ?? '', isState })
  return seriesOf({ figure, interval, currency, zone, limits }, await ctx.load(sumsBetween(limits), key))
}

/** What a series is about besides its values. */
interface SeriesFrame extends Pick<Series, 'figure' | 'interval' | 'currency'> {
  readonly zone: string
  readonly limits: Limits
}

/** Returns the series with these sums in the intervals of both periods. */
export function seriesOf({ figure, interval, currency, zone, limits }: SeriesFrame, sums: Sums): Series {
  const { isMoney, isState } = figures[figure]
  const values = valuesOf(sums, limits.current.length - 1, isState)
  const text = (value: Decimal) =>
    currency !== null && isMoney ? print({ amount: value.toString(), currency }) : value.toFixed()
  return {
    ...{ figure, interval, currency },
    ...{ since: limits.current[0] as Date, until: limits.current.at(-1) as Date },
    total: text(totalOf(values.current, isState)),
    previousTotal: text(totalOf(values.previous, isState)),
    points: values.current.map((value, place) => ({
      ...startAt(limits.current[place] as Date, zone),
      value: text(value),
      previous: text(values.previous[place] as Decimal),
    })),
  }
}

function startAt(start: Date, zone: string) {
  return { start, date: () => dayOf(start, zone) }
}

async function currencyOf(ctx: Ctx, { figure, currency }: SeriesArgs): Promise<string | null> {
  if (figures[figure].isByCurrency) return currency ?? (await ownAccount(ctx)).currency
  if (currency != null)
    throw invalid({ currency: [`cannot be combined with ${figure}, which has none`] }, 'NOT_COMBINABLE')
  return null
}

interface BoundedPeriod extends ZonedSpan {
  readonly span: Required<Span>
}

async function boundedPeriod(ctx: Ctx, id: number, args: SeriesArgs): Promise<BoundedPeriod | undefined> {
  const { firstDays, period, range, timezone } = args
  if (firstDays != null) {
    if (period != null || range) throw invalid({ firstDays: ['cannot be combined with a period'] }, 'NOT_COMBINABLE')
    const { zone } = await periodOfFigure(ctx, { timezone })
    const span = await firstDaysOf(ctx, id, firstDays, zone)
    return span && { span, zone }
  }
  return periodOfSeries(ctx, args)
}

/** Reads the period of a series. **Throws** INVALID_PERIOD, also for all time. */
export async function periodOfSeries(ctx: Ctx, args: PeriodArgs): Promise<BoundedPeriod> {
  const { span, zone } = await periodOfFigure(ctx, args)
  const { from, until } = span
  if (!from || !until)
    throw refuseValue('period', 'INVALID_PERIOD', 'A series needs a period with a start: ALL has none.')
  return { span: { from, until }, zone }
}

/** Returns the values of the intervals of both periods, 0 if nothing was counted. */
function valuesOf(sums: Sums, points: number, isState: boolean): { previous: Decimal[]; current: Decimal[] } {
  const byBucket = new Map(sums.map(({ bucket, value }) => [bucket, decimal(value)]))
  const zero = decimal(0)
  let state = byBucket.get(0) ?? zero
  const values = Array.from({ length: 2 * points }, (_, place) => {
    const change = byBucket.get(place + 1) ?? zero
    state = state.plus(change)
    return isState ? state : change
  })
  return { previous: values.slice(0, points), current: values.slice(points) }
}

function totalOf(values: readonly Decimal[], isState: boolean): Decimal {
  if (isState) return values.at(-1) ?? decimal(0)
  return values.reduce((total, value) => total.plus(value), decimal(0))
}
