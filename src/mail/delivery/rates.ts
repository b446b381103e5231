/** How many messages a second may go to each of many: accounts, or domains. */
export interface Rate {
  /** How long a message to this one must wait, in milliseconds; 0: it may go now. */
  wait(key: string | number): number
  /** Counts a message. */
  take(key: string | number): void
}

/** After how many keys those that are at rest are forgotten. */
const manyKeys = 10_000

/**
 * A rate per key, with a second's worth of messages at once (GCRA). Each process counts by itself, and keeps to its share:
 * `processes` says among how many the rate is shared. No rate given is none.
 */
export function newRate(
  perSecond: number | undefined,
  processes: () => number = () => 1,
  now: () => number = () => performance.now(),
): Rate {
  if (perSecond === undefined) return { wait: () => 0, take: () => undefined }
  const spacing = () => (1_000 * processes()) / perSecond
  /** When a key's messages so far would have gone, had they gone evenly. */
  const due = new Map<string | number, number>()
  return {
    wait: (key) => Math.max((due.get(key) ?? 0) + spacing() - Math.max(1_000, spacing()) - now(), 0),
    take: (key) => {
      const time = now()
      if (due.size >= manyKeys) for (const [each, at] of due) if (at < time) due.delete(each)
      due.set(key, Math.max(due.get(key) ?? 0, time) + spacing())
    },
  }
}
