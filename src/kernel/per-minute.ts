import { networkOf } from './address.ts'
import type { Clock } from './clock.ts'

/** How much is kept of what visitors do without sending anything, a minute. */
export interface PerMinute {
  /** Counts one more from an address to an account, and returns whether it is within the bounds of both. */
  take(accountId: number, ip: string): boolean
}

/** How many looks of all addresses at an account's pages one process keeps a minute. */
const mostOfAccount = 60_000

/**
 * A bound for each address (64 bits of IPv6) to each account, and one for the account, in the memory of this process: a look
 * at a page is too cheap to ask another process about it. Beyond its account's bound no address is remembered, so that no
 * number of them fills the memory.
 */
export function newPerMinute(mostOfAddress: number, clock: Clock): PerMinute {
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
      if ((counts.get(accountId) ?? 0) >= mostOfAccount) return false
      return add(`${accountId} ${networkOf(ip)}`) <= mostOfAddress && add(accountId) <= mostOfAccount
    },
  }
}
