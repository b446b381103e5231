import { z } from 'zod'

const day = 86_400_000
const hour = 3_600_000

/**
 * Returns the instant a number of days after another one, or before it if the number is negative, at the same local time of a
 * zone. A local time that a change of the clocks skips moves on by as much as they do; one that exists twice is the first one.
 */
export function daysAfter(instant: Date, days: number, zone: string): Date {
  if (days === 0) return instant
  const time = instant.getTime()
  return new Date(instantAt(time + offsetAt(time, zone) + days * day, zone))
}

/**
 * Returns the instant of a local time in a zone: the first one if the clocks change such that there are two, and the one that is
 * later by the change if there is none. Both are milliseconds since 1970; a local time is counted as if it were UTC.
 */
export function instantAt(local: number, zone: string): number {
  const [before, after] = [offsetAt(local - day, zone), offsetAt(local + day, zone)]
  const first = local - Math.max(before, after)
  if (before === after) return first
  return first + offsetAt(first, zone) >= local ? first : local - Math.min(before, after)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns how far the local time of a zone is ahead of UTC at an instant, in milliseconds. */
function offsetAt(time: number, zone: string): number {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formats.set(zone, format)
  }
  const [, sign, hours, minutes, seconds] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(format.format(time)) ?? []
  const size = Number(hours ?? 0) * hour + Number(minutes ?? 0) * 60_000 + Number(seconds ?? 0) * 1_000
  return sign === '-' ? -size : size
}

/**
 * Hours of the day in local time, such as 22:00 to 08:00. If `until` is not after `from`, they include midnight, and end on the
 * next day.
 */
export interface LocalHours {
  readonly from: string
  readonly until: string
}

const timeOfDay = z
  .string('must be text')
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the day from 00:00 to 23:59, such as 22:00')

/** Schema of the hours of a day. */
export const localHours = z
  .object({ from: timeOfDay, until: timeOfDay })
  .refine(({ from, until }) => from !== until, { path: ['until'], message: 'must differ from the beginning' })

/** Returns the minute of the day of a time such as 22:00. */
export function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Returns the hours between two minutes of the day. Null if there are none. */
export function hoursBetween(from: number | null, until: number | null): LocalHours | null {
  return from === null || until === null ? null : { from: timeOf(from), until: timeOf(until) }
}

function timeOf(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')
}
