/** What time it is. A clock of its own lets tests stand still and demonstration data have a past. */
export interface Clock {
  now(): Date
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() }

/** A clock that shows what it is told, and moves only when told: `set` takes the new time. */
export function settableClock(start: Date): Clock & { set(to: Date): void } {
  let current = start
  return {
    now: () => new Date(current),
    set: (to) => {
      current = to
    },
  }
}

const firstInstant = Date.parse('0001-01-01T00:00:00.000Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Whether an instant is in the years 1 to 9999, in UTC: the one range of every time that a client sends. PostgreSQL, ISO
 * 8601 with four digits and our own calculations agree about all of it.
 */
export function isOnCalendar(instant: Date): boolean {
  return instant.getTime() >= firstInstant && instant.getTime() <= lastInstant
}
