import * as z from 'zod'
import {
  OrderListDocument,
  OrderReadDocument,
  RevenueReadDocument,
  SalesAmountDocument,
} from '../generated/documents.ts'
import { refusing, someText } from '../input.ts'
import { amount, toAmount } from '../money.ts'
import { pageArguments, paging } from '../paging.ts'
import { periodFilter, requiredPeriod, withPeriod, withRequiredPeriod } from '../period.ts'
import { one, page, route } from '../route.ts'
import { order, orderStatus, toGraphOrderStatus, toOrder } from './order.ts'

const group = 'Orders, financials, subscriptions'
const statusMessage = `status must be one of ${orderStatus.options.join(', ')}.`

const listOrders = route(OrderListDocument, {
  id: 'ORD-LIST',
  method: 'GET',
  path: '/v1/orders',
  needs: ['finance:read'],
  group,
  summary: 'List orders, newest first',
  errors: ['INVALID_STATUS', 'INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: withPeriod({ status: refusing('INVALID_STATUS', statusMessage, orderStatus.optional()), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: { ...periodFilter(query), status: query.status && toGraphOrderStatus(query.status) },
  }),
  reply: page(order, ({ orders }) => orders, toOrder),
})

const readOrder = route(OrderReadDocument, {
  id: 'ORD-GET',
  method: 'GET',
  path: '/v1/order',
  needs: ['finance:read'],
  group,
  summary: 'Read an order',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'order',
  names: { idOrder: 'id_order' },
  query: z.object({ id_order: someText }),
  variables: ({ query }) => ({ idOrder: query.id_order }),
  reply: one(order, ({ order: found }) => found && toOrder(found)),
})

/** What the orders of a period come to, in the account's default currency. */
export const salesAmount = z.strictObject({ amount })

const readSalesAmount = route(SalesAmountDocument, {
  id: 'SALES-AMOUNT',
  method: 'GET',
  path: '/v1/sales-amount',
  needs: ['finance:read'],
  group,
  summary: 'Read what completed and waiting orders come to',
  description: "In the account's default currency, rounded to two decimals.",
  errors: ['INVALID_PERIOD'],
  query: withRequiredPeriod({}),
  variables: ({ query }) => requiredPeriod(query),
  reply: one(salesAmount, (data) => ({ amount: toAmount(data.salesAmount) })),
})

const readRevenue = route(RevenueReadDocument, {
  id: 'REVENUE',
  method: 'GET',
  path: '/v1/revenue',
  needs: ['finance:read'],
  group,
  summary: 'Read what completed orders come to, by currency',
  description: 'The largest amount first. Without a period it is today; waiting orders are left out.',
  errors: ['INVALID_PERIOD'],
  query: withPeriod({}),
  variables: ({ query }) => requiredPeriod({ ...query, period: query.period ?? 'today' }),
  reply: one(z.array(z.strictObject({ currency: z.string(), amount, orders: z.int() })), ({ revenue }) =>
    revenue.map((row) => ({ currency: row.amount.currency, amount: toAmount(row.amount), orders: row.orders })),
  ),
})

/** Orders and what they come to, of the specification's table “Orders, financials, subscriptions”. */
export const orderRoutes = [listOrders, readOrder, readSalesAmount, readRevenue]
