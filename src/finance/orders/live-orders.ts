import type { Filter } from '../../db/filters/filter.ts'
import type { LiveDefinition } from '../../events/index.ts'
import { type orderFilter, orders } from './order-list.ts'

/** The live list of orders. The words and the contact of a customer change without an event of the order. */
export const liveOrders: LiveDefinition<Filter<(typeof orderFilter)['fields']>> = {
  list: orders,
  needs: 'finance:read',
  subject: 'orderId',
  changes: ['order.created', 'order.completed', 'order.cancelled', 'order.refunded', 'order.partially_refunded'],
  fields: {
    id: 'row',
    status: 'row',
    idOrder: 'row',
    type: 'row',
    currency: 'row',
    amount: 'row',
    refundedAmount: 'row',
    createdAt: 'row',
    updatedAt: 'row',
    completedAt: 'row',
    products: 'row',
    customers: 'row',
    contacts: null,
    search: null,
  },
}
