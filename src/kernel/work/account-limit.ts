import pLimit, { type LimitFunction } from 'p-limit'

/**
 * Runs work of an account, at most a number of works of one account at the same time. The others of the account wait in a queue.
 */
export type AccountLimit = <Result>(accountId: number, work: () => Promise<Result>) => Promise<Result>

/** Creates a limit of `max` works for each account. It remembers only accounts that work at the moment. */
export function newAccountLimit(max: number): AccountLimit {
  const accounts = new Map<number, LimitFunction>()
  return async (accountId, work) => {
    const limit = accounts.get(accountId) ?? pLimit(max)
    accounts.set(accountId, limit)
    try {
      return await limit(work)
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) accounts.delete(accountId)
    }
  }
}
