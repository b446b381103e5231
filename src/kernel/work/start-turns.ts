/** Time after which a holder of whom no request arrived counts no more, in milliseconds. */
const presentMs = 1_000

/**
 * Spreads the starts of requests over the turns of the event loop while several holders send some: each holder starts one in a
 * turn. Otherwise the requests that one client sends at once are all executed in each turn that a request of another waits for.
 */
export interface StartTurns {
  /** Records that a request of a holder arrived. */
  note(holder: string | number): void
  /** Returns whether a request of a holder may start in this turn of the event loop, and counts it. */
  take(holder: string | number): boolean
}

/**
 * Creates the turns of a process, which all its limiters share. With one holder, all requests start at once: those of one turn of
 * the event loop share their statements.
 */
export function newStartTurns(): StartTurns {
  const started = new Set<string | number>()
  let latest: string | number | undefined
  let sharedUntil = 0
  const note = (holder: string | number) => {
    if (holder === latest) return
    if (latest !== undefined) sharedUntil = performance.now() + presentMs
    latest = holder
  }
  return {
    note,
    take: (holder) => {
      // It may have arrived long ago, and others since.
      note(holder)
      if (sharedUntil === 0) return true
      if (performance.now() > sharedUntil) {
        sharedUntil = 0
        return true
      }
      if (started.has(holder)) return false
      if (started.size === 0) setImmediate(() => started.clear())
      started.add(holder)
      return true
    },
  }
}
