import type { Clock } from '../clock.ts'
import { networkOf } from '../values/address.ts'

/** Limits the recorded page views of visitors per minute. */
export interface PerMinute {
  /** Counts a page view of an address and returns whether it is within the limits of the address and of the account. */
  take(accountId: number, ip: string): boolean
}

/** Maximum number of page views of an account that one process records per minute. */
const maxPerAccount = 60_000

/**
 * Creates limits per minute: one for each address (64 bits of IPv6) and account, and one for each account. Counts are
 * in the memory of this process, because a page view is too cheap for a request to a shared store. Above the limit of
 * its account, no further addresses are stored, so that memory is bounded.
 */
export function newPerMinute(maxPerAddress: number, clock: Clock): PerMinute {
  let minute = 0
  let counts = new Map<string | number, number>()
  const add = (key: string | number) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count
  }
  return {
    take: (accountId, ip) => {
      const now = Math.floor(clock.now().getTime() / 60_000)
      if (now !== minute) {
        minute = now
        counts = new Map()
      }
      if ((counts.get(accountId) ?? 0) >= maxPerAccount) return false
      return add(`${accountId} ${networkOf(ip)}`) <= maxPerAddress && add(accountId) <= maxPerAccount
    },
  }
}
