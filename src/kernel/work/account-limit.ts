import { newConcurrencyLimit } from './task-limit.ts'

/** Runs work of an account, at most a number of works of one account at the same time. The others of the account wait in a queue. */
export type AccountLimit = <Result>(accountId: number, work: () => Promise<Result>) => Promise<Result>

/** Creates a limit of `max` works for each account. It remembers only accounts that work at the moment. */
export function newAccountLimit(max: number): AccountLimit {
  const accounts = new Map<number, { readonly limited: ReturnType<typeof newConcurrencyLimit>; present: number }>()
  return async (accountId, work) => {
    const account = accounts.get(accountId) ?? { limited: newConcurrencyLimit(max), present: 0 }
    accounts.set(accountId, account)
    account.present += 1
    try {
      return await account.limited(work)
    } finally {
      account.present -= 1
      if (account.present === 0) accounts.delete(accountId)
    }
  }
}
