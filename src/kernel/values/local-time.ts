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
