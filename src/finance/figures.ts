import { counted, type Figure } from '../db/figures/figures.ts'

const shared = { ...counted, needs: 'finance:read', isByCurrency: true, objects: ['Account'] } as const

/** Figures of orders and subscriptions. */
export const figures = {
  REVENUE: {
    ...shared,
    isMoney: true,
    source: 'order',
    description:
      'Total of the completed orders less what was refunded of them, by the time at which they were placed. Refunded orders are not included.',
  },
  ORDERS: {
    ...shared,
    source: 'order',
    description: 'Number of completed orders, by the time at which they were placed.',
  },
  ORDERS_PLACED: {
    ...shared,
    source: 'order',
    description: 'Number of orders that were placed, whatever became of them.',
  },
  MRR: {
    ...shared,
    isMoney: true,
    isState: true,
    source: 'billing_subscription',
    description:
      'Monthly recurring revenue: the amount per month of the subscriptions that are active at the end of the interval, trials included.',
  },
  CHURNED_SUBSCRIPTIONS: {
    ...shared,
    source: 'billing_subscription',
    description: 'Number of subscriptions that ended and were not restarted.',
  },
  CHURNED_MRR: {
    ...shared,
    isMoney: true,
    source: 'billing_subscription',
    description: 'Amount per month of the subscriptions that ended and were not restarted.',
  },
} as const satisfies Readonly<Record<string, Figure>>
