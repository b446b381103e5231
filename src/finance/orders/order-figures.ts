import type { Ctx } from '../../db/context.ts'
import { addFigures } from '../../db/figures/figures.ts'
import { decimal } from '../../kernel/values/money.ts'
import type { Order } from './order-list.ts'

/** Adds the difference that a change of an order makes to the figures. `before` is undefined for a new order. */
export async function countOrder(tx: Ctx, before: Order | undefined, after: Order): Promise<void> {
  const placed = before ? 0 : 1
  const value = Number(after.status === 'COMPLETED') - Number(before?.status === 'COMPLETED')
  const revenue = revenueOf(after).minus(before ? revenueOf(before) : 0)
  if (placed === 0 && value === 0 && revenue.isZero()) return
  const { currency, createdAt: at } = after
  await addFigures(tx, [
    { figure: 'ORDERS_PLACED', currency, at, value: placed },
    { figure: 'ORDERS', currency, at, value },
    { figure: 'REVENUE', currency, at, value: revenue.toString() },
  ])
}

/** The revenue of an order: what was not refunded of it once it is completed. */
function revenueOf({ status, amount, refundedAmount }: Order) {
  return status === 'COMPLETED' ? decimal(amount).minus(refundedAmount) : decimal(0)
}
