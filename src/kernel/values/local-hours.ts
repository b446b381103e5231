import { z } from 'zod'

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
