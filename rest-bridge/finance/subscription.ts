import * as z from 'zod'
import type { ContactSubscriptionFragment, SubscriptionRowFragment } from '../generated/documents.ts'
import { toRestEnum } from '../values/enums.ts'
import { amount, toAmount } from '../values/money.ts'
import { isoMicroseconds, isoTime, plainTime } from '../values/time.ts'
import { buyer, toBuyer } from './order.ts'

export const subscriptionStatus = z.enum(['active', 'inactive', 'error'])

/** A subscription inside a contact. */
export const subscriptionSummary = z.strictObject({
  id: z.int(),
  status: subscriptionStatus,
  amount,
  currency: z.string(),
  payment_source: z.string(),
  rate: z.string().regex(/^\d+ month\(s\)$/),
  trial: z.boolean(),
  rebill_date: z.string().regex(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?$/),
  payments_left: z.union([z.literal('unlimited'), z.int()]),
  created_at: isoTime,
})

/** A subscription, alone and in a list. */
export const subscription = subscriptionSummary.extend({ ...buyer.shape, name: z.string() })

export function toSubscriptionSummary(node: ContactSubscriptionFragment) {
  return {
    id: node.databaseId,
    status: toRestEnum(node.status),
    amount: toAmount(node.amount),
    currency: node.amount.currency,
    payment_source: node.paymentSource,
    // The specification prescribes this spelling.
    rate: `${node.rateMonths} month(s)`,
    trial: node.trial,
    rebill_date: node.rebillDate === null ? '' : plainTime(node.rebillDate),
    payments_left: node.paymentsLeft ?? ('unlimited' as const),
    created_at: isoMicroseconds(node.createdAt),
  }
}

export function toSubscription(node: SubscriptionRowFragment) {
  return { ...toSubscriptionSummary(node), ...toBuyer(node.customer), name: node.name }
}
