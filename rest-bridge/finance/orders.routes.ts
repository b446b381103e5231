import * as z from 'zod'
import { one, page, route } from '../envelope/route.ts'
import {
  OrderListDocument,
  OrderReadDocument,
  RevenueReadDocument,
  SalesAmountDocument,
} from '../generated/documents.ts'
import { enumFilter, nonEmptyText } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { periodArguments, periodFilter, queryWithPeriod, queryWithRequiredPeriod } from '../input/period.ts'
import { toGraphEnum } from '../values/enums.ts'
import { amount, toAmount } from '../values/money.ts'
import { order, orderStatus, toOrder } from './order.ts'

const group = 'Orders, financials, subscriptions'

const listOrders = route('GET /v1/orders', OrderListDocument, {
  id: 'ORD-LIST',
  scopes: ['finance:read'],
  group,
  summary: 'List orders, newest first',
  errors: ['INVALID_STATUS', 'INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: queryWithPeriod({ status: enumFilter('INVALID_STATUS', 'status', orderStatus), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: { createdAt: periodFilter(query), status: query.status && [toGraphEnum(query.status)] },
  }),
  reply: page(order, ({ orders }) => orders, toOrder),
})

const readOrder = route('GET /v1/order', OrderReadDocument, {
  id: 'ORD-GET',
  scopes: ['finance:read'],
  group,
  summary: 'Get an order',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'order',
  query: z.object({ id_order: nonEmptyText }),
  variables: ({ query }) => ({ idOrder: query.id_order }),
  reply: one(order, ({ order: found }) => toOrder(found)),
})

/** Also an endpoint of the legacy API. */
export const readSalesAmount = route('GET /v1/sales-amount', SalesAmountDocument, {
  id: 'SALES-AMOUNT',
  scopes: ['finance:read'],
  group,
  summary: 'Get the total amount of completed and waiting orders',
  description: "In the account's default currency, rounded to two decimals.",
  errors: ['INVALID_PERIOD'],
  query: queryWithRequiredPeriod({}),
  variables: ({ query }) => periodArguments(query),
  reply: one(z.strictObject({ amount }), (data) => ({ amount: toAmount(data.salesAmount) })),
})

const readRevenue = route('GET /v1/revenue', RevenueReadDocument, {
  id: 'REVENUE',
  scopes: ['finance:read'],
  group,
  summary: 'Get the revenue of completed orders by currency',
  description: 'Sorted by amount, largest first. `period` defaults to `today`. Waiting orders are not included.',
  errors: ['INVALID_PERIOD'],
  query: queryWithPeriod({}),
  variables: ({ query }) => periodArguments({ ...query, period: query.period ?? 'today' }),
  reply: one(z.array(z.strictObject({ currency: z.string(), amount, orders: z.int() })), ({ revenue }) =>
    revenue.map((row) => ({ currency: row.amount.currency, amount: toAmount(row.amount), orders: row.orders })),
  ),
})

/** Orders and revenue, from the specification's table “Orders, financials, subscriptions”. */
export const orderRoutes = [listOrders, readOrder, readSalesAmount, readRevenue]
