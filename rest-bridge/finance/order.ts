import * as z from 'zod'
import type { BuyerFragment, OrderRowFragment } from '../generated/documents.ts'
import { toRestEnum } from '../values/enums.ts'
import { amount, toAmount } from '../values/money.ts'
import { isoMicroseconds, isoTime } from '../values/time.ts'

export const orderStatus = z.enum(['completed', 'waiting', 'cancelled', 'refunded'])

/** The customer fields of an order or subscription. */
export const buyer = z.strictObject({
  id_customer: z.int(),
  email: z.string(),
  firstname: z.string(),
  lastname: z.string(),
})

export const order = z.strictObject({
  id: z.int(),
  id_order: z.string(),
  ...buyer.shape,
  type: z.string(),
  status: orderStatus,
  amount,
  currency: z.string(),
  created_at: isoTime,
})

export function toBuyer(customer: BuyerFragment) {
  return {
    id_customer: customer.databaseId,
    email: customer.email,
    firstname: customer.firstName,
    lastname: customer.lastName,
  }
}

export function toOrder(node: OrderRowFragment) {
  return {
    id: node.databaseId,
    id_order: node.idOrder,
    ...toBuyer(node.customer),
    type: node.type,
    status: toRestEnum(node.status),
    amount: toAmount(node.amount),
    currency: node.amount.currency,
    created_at: isoMicroseconds(node.createdAt),
  }
}
