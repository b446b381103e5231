import * as z from 'zod'
import type { SubscriptionOfListFragment } from '../generated/documents.ts'
import { amount, toAmount } from '../money.ts'
import { isoMicroseconds, plainTime } from '../time.ts'
import { buyer, toBuyer, toStatus } from './order.ts'

/** Where a subscription stands, as REST calls it. */
export const subscriptionStatus = z.enum(['active', 'inactive', 'error'])

const graphStatuses = { active: 'ACTIVE', inactive: 'INACTIVE', error: 'ERROR' } as const

/** Gives a subscription's status as the graph calls it. */
export function toGraphSubscriptionStatus(word: z.output<typeof subscriptionStatus>) {
  return graphStatuses[word]
}

/** A subscription as it is shown with a contact. */
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
  created_at: z.iso.datetime({ precision: 6 }),
})

/** A subscription by itself, and as a row of a list. */
export const subscription = subscriptionSummary.extend({ ...buyer.shape, name: z.string() })

type SummaryOfGraph = Omit<SubscriptionOfListFragment, '__typename' | ' $fragmentName' | 'customer' | 'name'>

/** Gives a subscription as it is shown with a contact. */
export function toSubscriptionSummary(node: SummaryOfGraph) {
  return {
    id: node.databaseId,
    status: toStatus(node.status),
    amount: toAmount(node.amount),
    currency: node.amount.currency,
    payment_source: node.paymentSource,
    rate: rate(node.rateMonths),
    trial: node.trial,
    rebill_date: node.rebillDate === null ? '' : plainTime(node.rebillDate),
    payments_left: node.paymentsLeft ?? ('unlimited' as const),
    created_at: isoMicroseconds(node.createdAt),
  }
}

/** Gives a subscription by itself. */
export function toSubscription(node: SubscriptionOfListFragment) {
  return { ...toSubscriptionSummary(node), ...toBuyer(node.customer), name: node.name }
}

/** How often is paid, in the specification's very letters: `<n> month(s)`. */
function rate(months: number): string {
  return `${months} month(s)`
}
