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
