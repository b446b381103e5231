/** A limit of messages per second for each key: an account, or a domain. */
export interface RateLimit {
  /** Returns how long a message of this key must wait, in milliseconds. 0: it may be sent now. */
  delayMs(key: string | number): number
  /** Counts a message. */
  consume(key: string | number): void
}

/** Number of keys from which unused ones are removed. */
const maxKeys = 10_000

/**
 * Returns a rate limit (GCRA) that allows the messages of one second at once. Each process counts for itself and keeps to
 * its share: the rate divided by `processes`. Without `perSecond` there is no limit.
 */
export function newRateLimit(
  perSecond: number | undefined,
  processes: () => number = () => 1,
  now: () => number = () => performance.now(),
): RateLimit {
  if (perSecond === undefined) return { delayMs: () => 0, consume: () => undefined }
  const spacing = () => (1_000 * processes()) / perSecond
  /** Theoretical arrival time of the next message of each key. */
  const arrivals = new Map<string | number, number>()
  return {
    delayMs: (key) => Math.max((arrivals.get(key) ?? 0) + spacing() - Math.max(1_000, spacing()) - now(), 0),
    consume: (key) => {
      const time = now()
      if (arrivals.size >= maxKeys) for (const [each, at] of arrivals) if (at < time) arrivals.delete(each)
      arrivals.set(key, Math.max(arrivals.get(key) ?? 0, time) + spacing())
    },
  }
}
