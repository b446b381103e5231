/** Source of the current time. A separate clock lets tests fix the time and demonstration data lie in the past. */
export interface Clock {
  now(): Date
}

/** The system clock. */
export const systemClock: Clock = { now: () => new Date() }

/** Creates a clock that starts at `start` and changes only by `set`. */
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
 * Returns whether an instant is in the years 1 to 9999 in UTC, the range that all times from clients must be in.
 * PostgreSQL, ISO 8601 with four-digit years and our calculations all support this range.
 */
export function isOnCalendar(instant: Date): boolean {
  return instant.getTime() >= firstInstant && instant.getTime() <= lastInstant
}
