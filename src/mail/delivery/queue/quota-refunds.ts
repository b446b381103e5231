import type { System } from '../../../db/context.ts'
import { refundQuota } from './claims.ts'

/** Collects the messages that were counted in the quota when they were claimed, and were not sent. */
export interface QuotaRefunds {
  /** Adds one message of an account. */
  count(accountId: number): void
  /** Refunds what was collected: one transaction for each account. */
  settle(): Promise<void>
}

/** Returns an empty collection. */
export function newQuotaRefunds(system: System): QuotaRefunds {
  const messages = new Map<number, number>()
  return {
    count: (accountId) => {
      messages.set(accountId, (messages.get(accountId) ?? 0) + 1)
    },
    settle: async () => {
      const refunds = [...messages]
      messages.clear()
      for (const [accountId, n] of refunds) await refundQuota(system, accountId, n)
    },
  }
}
