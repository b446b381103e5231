import { LRUCache } from 'lru-cache'
import { networkOf } from '../values/address.ts'

/** Number of refusals of a network that are sent at once, and per second after these. */
const [burst, perSecond] = [200, 50]

/** Maximum time by which a refusal is delayed, in milliseconds. */
const maxDelayMs = 5_000

const maxNetworks = 10_000

/**
 * Delays the refusals of a network that has very many, such as wrong keys and pages that do not exist, so that a client that
 * repeats them takes no processor time from others. What is not refused is never delayed.
 */
export interface RefusalPace {
  /** Counts a refusal of an address, and waits until it may be sent. The caller must not hold a slot meanwhile. */
  wait(ip: string): Promise<void>
}

/** Creates the pace of a process. */
export function newRefusalPace(): RefusalPace {
  const intervalMs = 1_000 / perSecond
  /** Time at which all refusals of a network are paid off: each takes an interval. */
  const paidAt = new LRUCache<string, number>({ max: maxNetworks })
  return {
    wait: async (ip) => {
      const network = networkOf(ip)
      const now = performance.now()
      const most = now + burst * intervalMs + maxDelayMs
      const paid = Math.min(Math.max(paidAt.get(network) ?? 0, now) + intervalMs, most)
      paidAt.set(network, paid)
      const delayMs = paid - now - burst * intervalMs
      if (delayMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, delayMs).unref())
    },
  }
}
