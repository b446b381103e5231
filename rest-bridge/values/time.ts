import * as z from 'zod'

/** A time in ISO 8601 with microseconds: `2026-11-21T09:30:00.000000Z`. */
export const isoTime = z.iso.datetime({ precision: 6 })

/** Formats a time as ISO 8601 with microseconds: the milliseconds of GraphQL and three zeros. */
export function isoMicroseconds(time: string): string {
  // GraphQL returns UTC with milliseconds, so only another form needs parsing.
  const inUtc = time.length === 24 && time.endsWith('Z') ? time : new Date(time).toISOString()
  return `${inUtc.slice(0, -1)}000Z`
}

/** Formats a nullable time as `isoMicroseconds` does. */
export function isoMicrosecondsOrNull(time: string | null): string | null {
  return time === null ? null : isoMicroseconds(time)
}

/** Formats a time as `YYYY-MM-DD HH:MM:SS`, in UTC. */
export function plainTime(time: string): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** Returns true if the text is an existing day. `Date` alone would read 2026-02-30 as 2 March. Year 0 is not accepted. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}
