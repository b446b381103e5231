import { DateTime } from 'luxon'
import { invalid } from '../errors.ts'
import { instantAt } from './local-time.ts'
import type { Span } from './period.ts'

export const intervals = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const
export type Interval = (typeof intervals)[number]

/** Maximum number of points of a series. */
export const maxPoints = 1_000

/** The limits of the intervals of a period, in order: one more than there are intervals. */
export interface Limits {
  readonly current: readonly Date[]
  /** Those of the period before, of the same number of days. Each is `current` moved back by that number. */
  readonly previous: readonly Date[]
}

/**
 * Divides a period of whole days into intervals of the calendar in a time zone. Weeks begin on Monday. The first and the last
 * interval are shorter if the period begins or ends within one. Hours have 60 minutes, counted from the start of the day: a day
 * with a change of the clocks has 23 or 25. Takes a few microseconds for each interval. **Throws** VALIDATION_ERROR if there are
 * more than `maxPoints`.
 */
export function divide(span: Required<Span>, interval: Interval, zone: string): Limits {
  const [from, until] = [dayIn(zone, span.from), dayIn(zone, span.until)]
  const days = until - from
  if (interval === 'HOUR') return hourly(from, until, zone)
  const limits = [from, ...startsBetween(from, until, interval), until]
  if (limits.length > maxPoints + 1) throw tooManyPoints()
  return {
    current: limits.map((day) => startOfDay(day, zone)),
    previous: limits.map((day) => startOfDay(day - days, zone)),
  }
}

const day = 86_400_000

/** Returns the number of days from 1970 to the calendar day of an instant. */
function dayIn(zone: string, time: Date): number {
  const { year, month, day: ofMonth } = DateTime.fromJSDate(time, { zone })
  return Date.UTC(year, month - 1, ofMonth) / day
}

/** Returns the days within a period at which an interval starts, in order. Ends after one more than there may be. */
function startsBetween(from: number, until: number, interval: Exclude<Interval, 'HOUR'>): number[] {
  const starts: number[] = []
  for (let next = startAfter(from, interval); next < until && starts.length <= maxPoints; ) {
    starts.push(next)
    next = startAfter(next, interval)
  }
  return starts
}

/** 1970-01-01 was a Thursday. */
const firstMonday = 4

function startAfter(time: number, interval: Exclude<Interval, 'HOUR'>): number {
  if (interval === 'DAY') return time + 1
  if (interval === 'WEEK') return startOf(time, interval) + 7
  return startOf(startOf(time, interval) + 31, interval)
}

function startOf(time: number, interval: Exclude<Interval, 'HOUR'>): number {
  if (interval === 'DAY') return time
  if (interval === 'WEEK') return firstMonday + 7 * Math.floor((time - firstMonday) / 7)
  return time + 1 - new Date(time * day).getUTCDate()
}

/**
 * Returns the first days of the intervals of the calendar that contain the days of a range, as `YYYY-MM-DD` and in order: at most
 * the `max` newest ones.
 */
export function firstDaysOf(
  interval: Exclude<Interval, 'HOUR'>,
  [first, last]: readonly [string, string],
  max: number,
): string[] {
  const [from, to] = [first, last].map((each) => startOf(Date.parse(each) / day, interval)) as [number, number]
  const starts: string[] = []
  for (let start = to; start >= from && starts.length < max; start = startOf(start - 1, interval))
    starts.push(new Date(start * day).toISOString().slice(0, 10))
  return starts.reverse()
}

function hourly(from: number, until: number, zone: string): Limits {
  const days = until - from
  if (days * 23 > maxPoints) throw tooManyPoints()
  const [current, previous]: [Date[], Date[]] = [[], []]
  for (let each = from; each < until; each++) {
    const [start, end] = [startOfDay(each, zone), startOfDay(each + 1, zone)]
    const [startBefore, endBefore] = [startOfDay(each - days, zone), startOfDay(each + 1 - days, zone)]
    for (let passed = 0; start.getTime() + passed < end.getTime(); passed += hour) {
      current.push(new Date(start.getTime() + passed))
      previous.push(new Date(Math.min(startBefore.getTime() + passed, endBefore.getTime())))
    }
  }
  if (current.length > maxPoints) throw tooManyPoints()
  return {
    current: [...current, startOfDay(until, zone)],
    previous: [...previous, startOfDay(until - days, zone)],
  }
}

const hour = 3_600_000

/**
 * Returns the first instant of a day: the first midnight if the clocks change such that there are two, or 1 a.m. if there is
 * none.
 */
function startOfDay(time: number, zone: string): Date {
  return new Date(instantAt(time * day, zone))
}

function tooManyPoints() {
  const limit = maxPoints.toLocaleString('en')
  return invalid(
    {
      interval: [
        `divides the period into more than ${limit} points: a longer interval or a shorter period is required`,
      ],
    },
    'LIMIT_REACHED',
  )
}
