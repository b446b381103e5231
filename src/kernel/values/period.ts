import { DateTime } from 'luxon'
import { invalid, refuseValue } from '../errors.ts'

/** Default time zone of accounts (REST specification, campaign scheduling). */
export const defaultZone = 'Europe/Paris'

const periods = [
  'ALL',
  'TODAY',
  'YESTERDAY',
  'LAST_7_DAYS',
  'LAST_30_DAYS',
  'THIS_MONTH',
  'LAST_MONTH',
  'BETWEEN',
] as const
export type Period = (typeof periods)[number]

/** A range of calendar days as `YYYY-MM-DD`, both included. */
interface DateRange {
  from: string
  to: string
}

/**
 * A period as a client selects it. BETWEEN has a range, and a range alone means BETWEEN. Days begin in the time zone `timezone`,
 * by default that of the account.
 */
export interface PeriodArgs {
  readonly period?: Period | null | undefined
  readonly range?: DateRange | null | undefined
  readonly timezone?: string | null | undefined
}

/** The period of figures if a client selected none. */
export const defaultPeriod: Period = 'LAST_30_DAYS'

/** A time range. `from` is included, `until` is excluded. An absent end is unbounded. */
export interface Span {
  from?: Date
  until?: Date
}

/**
 * Returns the period that a client selected, all time if it selected none. `path` is the path of the range in messages.
 * Throws VALIDATION_ERROR for a range with another period than BETWEEN.
 */
export function periodOf({ period, range }: PeriodArgs, path: string): Period {
  if (!range) return period ?? 'ALL'
  if (period != null && period !== 'BETWEEN') {
    throw invalid(
      { [path]: [`goes with the period BETWEEN or without a period, not with ${period}`] },
      'NOT_COMBINABLE',
    )
  }
  return 'BETWEEN'
}

/**
 * Returns the time range of a period, with the day boundaries of time zone `zone`. The last 7 days are today and the
 * six days before it, and this month ends with its last day. `path` is the path of the range in errors. Throws INVALID_PERIOD if
 * BETWEEN has no range, a date does not exist, or the end is before the start.
 */
export function spanOf(
  period: Period,
  range: DateRange | null | undefined,
  path: string,
  { zone, now }: { zone: string; now: Date },
): Span {
  const today = DateTime.fromJSDate(now, { zone }).startOf('day')
  switch (period) {
    case 'ALL':
      return {}
    case 'TODAY':
      return { from: today.toJSDate(), until: today.plus({ days: 1 }).toJSDate() }
    case 'YESTERDAY':
      return { from: today.minus({ days: 1 }).toJSDate(), until: today.toJSDate() }
    case 'LAST_7_DAYS':
      return { from: today.minus({ days: 6 }).toJSDate(), until: today.plus({ days: 1 }).toJSDate() }
    case 'LAST_30_DAYS':
      return { from: today.minus({ days: 29 }).toJSDate(), until: today.plus({ days: 1 }).toJSDate() }
    case 'THIS_MONTH':
      return monthFrom(today.startOf('month'))
    case 'LAST_MONTH':
      return monthFrom(today.startOf('month').minus({ months: 1 }))
    case 'BETWEEN':
      return between(range, path, zone)
  }
}

/** Returns the start of the calendar month after `now` in `zone`, at which monthly quotas are reset. */
export function startOfNextMonth(now: Date, zone: string): Date {
  return DateTime.fromJSDate(now, { zone }).startOf('month').plus({ months: 1 }).toJSDate()
}

/** Returns the calendar month of `now` in `zone`, as `YYYY-MM`. */
export function monthOf(now: Date, zone: string): string {
  return DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM')
}

/** Returns the calendar day of `now` in `zone`, as `YYYY-MM-DD`. */
export function dayOf(now: Date, zone: string): string {
  return DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM-dd')
}

export const zoneMessage = 'must be an IANA time zone such as Europe/Paris'

/**
 * Returns whether an IANA time zone with this name exists. Luxon also accepts words for the server's own zone, which
 * are not IANA names.
 */
export function isZone(name: string): boolean {
  if (/^(local|system|default)$/i.test(name)) return false
  return /^[A-Za-z]+(\/[A-Za-z0-9_+-]+)*$/.test(name) && DateTime.now().setZone(name).isValid
}

function monthFrom(start: DateTime): Span {
  return { from: start.toJSDate(), until: start.plus({ months: 1 }).toJSDate() }
}

function between(range: DateRange | null | undefined, path: string, zone: string): Span {
  if (!range) throw refuseValue(path, 'INVALID_PERIOD', 'The period BETWEEN needs a range of two dates.')
  const [from, to] = [DateTime.fromISO(range.from, { zone }), DateTime.fromISO(range.to, { zone })]
  if (!from.isValid || !to.isValid || to < from) {
    throw refuseValue(path, 'INVALID_PERIOD', 'The range must be two dates that exist, the earlier one first.')
  }
  return { from: from.startOf('day').toJSDate(), until: to.startOf('day').plus({ days: 1 }).toJSDate() }
}
