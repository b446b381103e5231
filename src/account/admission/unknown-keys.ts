import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '../../kernel/values/address.ts'
import { newAbsences } from '../../kernel/work/absences.ts'

const maxRemembered = 10_000

/** Limits what requests with unknown keys cost: a statement each. */
interface UnknownKeys {
  /** Whether a key was looked up lately and does not exist. */
  isAbsent(id: string): boolean
  /**
   * Runs the lookup of a key that no cache has, and counts it for the network if it finds nothing. Returns the seconds after
   * which to try again if too many of the network have failed. A key that was valid before is always looked up, so that a client
   * with wrong keys does not lock out others that share its address.
   */
  lookUp<Found>(
    id: string,
    ip: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | { waitSeconds: number } | undefined>
  /** Forgets which keys do not exist. */
  clear(): void
}

/**
 * Creates the limit of a process: how many requests with unknown keys or sessions of one network are looked up per minute.
 * `isNotified` returns whether the process receives notifications about keys.
 */
export function newUnknownKeys(perMinute: number, isNotified: () => boolean): UnknownKeys {
  const absences = newAbsences(isNotified)
  const wereValid = new LRUCache<string, true>({ max: maxRemembered })
  const failures = new RateLimiterMemory({ points: perMinute, duration: 60 })
  const lookups = new Map<string, Promise<unknown>>()

  const lookUp = async <Found>(id: string, network: string, find: () => Promise<Found | undefined>) => {
    const isCounted = !wereValid.has(id)
    if (isCounted) {
      // Counted before, so that a thousand lookups at a time count too.
      const state = await failures.consume(network).catch((refused: RateLimiterRes) => refused)
      if (state.consumedPoints > perMinute) return { waitSeconds: Math.ceil(state.msBeforeNext / 1_000) }
    }
    let isAbsent = false
    try {
      const found = await absences.lookUp(id, find)
      isAbsent = found === undefined
      if (!isAbsent) wereValid.set(id, true)
      return found
    } finally {
      // Neither a key that is valid, nor a database that gives no answer, is a failure of the client.
      if (isCounted && !isAbsent) void failures.reward(network)
    }
  }
  return {
    isAbsent: absences.isAbsent,
    lookUp: (id, ip, find) => {
      const running = lookups.get(id) as ReturnType<typeof find> | undefined
      // Requests that come together with one key need one answer.
      if (running) return running
      const lookup = lookUp(id, networkOf(ip), find).finally(() => {
        if (lookups.get(id) === lookup) lookups.delete(id)
      })
      lookups.set(id, lookup)
      return lookup
    },
    clear: () => {
      absences.clear()
      // A lookup that began before may find a key that is disabled now.
      lookups.clear()
    },
  }
}
