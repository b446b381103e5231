import type { Ctx } from '../db/context.ts'
import { addFigures, counted, type Figure, type FigureChange } from '../db/figures.ts'
import { sql } from '../db/sql.ts'
import { decimal } from '../kernel/money.ts'
import type { Order } from './order-list.ts'
import type { BillingSubscription } from './subscription-list.ts'

const shared = { ...counted, needs: 'finance:read', isByCurrency: true, objects: ['Account'] } as const

/** Figures of orders and subscriptions. */
export const figures = {
  REVENUE: {
    ...shared,
    isMoney: true,
    source: 'order',
    description:
      'Total of the completed orders, by the time at which they were placed. Refunded orders are not included.',
  },
  ORDERS: {
    ...shared,
    source: 'order',
    description: 'Number of completed orders, by the time at which they were placed.',
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

/** Number of decimals of an amount per month. */
const monthlyDecimals = 6

/** The amount per month of a subscription, in SQL: the same as `countSubscription` computes. */
export const monthlyAmount = sql`round(amount / rate_months, ${monthlyDecimals}::int)`

/** Adds the difference that a change of an order makes to the figures. `before` is undefined for a new order. */
export async function countOrder(tx: Ctx, before: Order | undefined, after: Order): Promise<void> {
  const value = Number(after.status === 'COMPLETED') - Number(before?.status === 'COMPLETED')
  if (value === 0) return
  const { currency, createdAt: at } = after
  await addFigures(tx, [
    { figure: 'ORDERS', currency, at, value },
    { figure: 'REVENUE', currency, at, value: decimal(after.amount).times(value).toString() },
  ])
}

/**
 * Adds the difference that a change of a subscription makes to the figures. A new one counts from its creation, and every
 * other change of the status from now. The restart of an ended subscription takes it out of the ended ones.
 */
export async function countSubscription(
  tx: Ctx,
  before: BillingSubscription | undefined,
  after: BillingSubscription,
): Promise<void> {
  const { currency } = after
  const monthly = decimal(after.amount).div(after.rateMonths).toDecimalPlaces(monthlyDecimals)
  const changes: FigureChange[] = []
  const active = Number(after.status === 'ACTIVE') - Number(before?.status === 'ACTIVE')
  if (active !== 0) {
    const at = before ? after.updatedAt : after.createdAt
    changes.push({ figure: 'MRR', currency, at, value: monthly.times(active).toString() })
  }
  const ended = Number(after.endedAt !== null) - Number(before?.endedAt != null)
  if (ended !== 0) {
    const at = (after.endedAt ?? before?.endedAt) as Date
    changes.push(
      { figure: 'CHURNED_SUBSCRIPTIONS', currency, at, value: ended },
      { figure: 'CHURNED_MRR', currency, at, value: monthly.times(ended).toString() },
    )
  }
  await addFigures(tx, changes)
}
