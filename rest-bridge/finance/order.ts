import * as z from 'zod'
import type { OrderOfListFragment } from '../generated/documents.ts'
import { amount, toAmount } from '../money.ts'
import { isoMicroseconds } from '../time.ts'

const statuses = {
  completed: 'COMPLETED',
  waiting: 'WAITING',
  cancelled: 'CANCELLED',
  refunded: 'REFUNDED',
} as const

/** Where an order stands, as REST calls it. */
export const orderStatus = z.enum(Object.keys(statuses) as [keyof typeof statuses, ...(keyof typeof statuses)[]])

/** Gives an order's status as the graph calls it. */
export function toGraphOrderStatus(word: z.output<typeof orderStatus>) {
  return statuses[word]
}

/** Gives a status as REST calls it. */
export function toStatus<Status extends string>(given: Status) {
  return given.toLowerCase() as Lowercase<Status>
}

/** Who bought, as orders and subscriptions tell it. */
export const buyer = z.strictObject({
  id_customer: z.int(),
  email: z.string(),
  firstname: z.string(),
  lastname: z.string(),
})

/** An order. */
export const order = z.strictObject({
  id: z.int(),
  id_order: z.string(),
  ...buyer.shape,
  type: z.string(),
  status: orderStatus,
  amount,
  currency: z.string(),
  created_at: z.iso.datetime({ precision: 6 }),
})

/** Gives who bought. */
export function toBuyer(customer: OrderOfListFragment['customer']) {
  return {
    id_customer: customer.databaseId,
    email: customer.email,
    firstname: customer.firstName,
    lastname: customer.lastName,
  }
}

/** Gives an order. */
export function toOrder(node: OrderOfListFragment) {
  return {
    id: node.databaseId,
    id_order: node.idOrder,
    ...toBuyer(node.customer),
    type: node.type,
    status: toStatus(node.status),
    amount: toAmount(node.amount),
    currency: node.amount.currency,
    created_at: isoMicroseconds(node.createdAt),
  }
}
