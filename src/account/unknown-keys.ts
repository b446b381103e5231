import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '../kernel/address.ts'

/** Time to live of the memory that a key does not exist, in milliseconds. */
const absenceTtlMs = 5_000

const maxRemembered = 10_000

/** Limits what requests with unknown keys cost: a statement each. */
interface UnknownKeys {
  /** Whether a key was looked up lately and does not exist. */
  isAbsent(id: string): boolean
  /**
   * Runs the lookup of a key that no cache has, and counts it for the network if it finds nothing. Returns the seconds after which to try
   * again if too many of the network have failed. A key that was valid before is always looked up, so that a client with wrong keys locks
   * out nobody who shares its address.
   */
  lookUp<Found>(
    id: string,
    ip: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | { waitSeconds: number } | undefined>
  /** Forgets which keys do not exist. */
  clear(): void
}

/** Creates the limit of a process: how many requests with unknown keys or sessions of one network are looked up per minute. */
export function newUnknownKeys(perMinute: number): UnknownKeys {
  const absent = new LRUCache<string, true>({ max: maxRemembered, ttl: absenceTtlMs, ttlResolution: 100 })
  const wereValid = new LRUCache<string, true>({ max: maxRemembered })
  const failures = new RateLimiterMemory({ points: perMinute, duration: 60 })
  let generation = 0
  return {
    isAbsent: (id) => absent.has(id),
    lookUp: async (id, ip, find) => {
      const network = networkOf(ip)
      if (!wereValid.has(id)) {
        // Counted before, so that a thousand lookups at a time count too.
        const state = await failures.consume(network).catch((refused: RateLimiterRes) => refused)
        if (state.consumedPoints > perMinute) return { waitSeconds: Math.ceil(state.msBeforeNext / 1_000) }
      }
      const started = generation
      const found = await find()
      if (found === undefined) {
        // A notification that arrived during the query may be about this key.
        if (started === generation) absent.set(id, true)
        return undefined
      }
      if (!wereValid.has(id)) void failures.reward(network)
      wereValid.set(id, true)
      return found
    },
    clear: () => {
      generation += 1
      absent.clear()
    },
  }
}
