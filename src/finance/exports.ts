import type { Ctx } from '../db/context.ts'
import { column, exportOf } from '../db/lists/export.ts'
import { type Sql, sql } from '../db/sql.ts'
import { creditNotes } from './billing/credit-note-list.ts'
import { invoices } from './billing/invoice-list.ts'
import { customers } from './customers/customer-list.ts'
import { orders } from './orders/order-list.ts'
import { subscriptions } from './subscriptions/subscription-list.ts'
import { transactions } from './transactions/transaction-list.ts'

const { text } = column
const needs = ['finance:read'] as const

/** Each row contains the customer, as in the REST API. */
const customer = [['id_customer', 'customerId'], text('email', sql`u.email`)] as const
const withCustomer = { needs, joins: joinCustomer }
const withOrder = {
  needs,
  reads: ['orderId'] as const,
  joins: (ctx: Ctx) =>
    sql`${joinCustomer(ctx)} LEFT JOIN "order" o ON o.account_id = ${ctx.sql.account} AND o.id = p.order_id`,
}
const idOrder = text('id_order', sql`o.id_order`)
const number = text('number', sql`p.number::text`)
const money = ['amount', 'currency'] as const

/** The exports of this module. */
export const financeExports = {
  CUSTOMERS: exportOf(
    customers,
    [
      'id',
      'email',
      ['firstname', 'firstName'],
      ['lastname', 'lastName'],
      'companyName',
      'address',
      'vatNumber',
      'contactId',
      'createdAt',
    ],
    { needs },
  ),
  ORDERS: exportOf(
    orders,
    [
      'id',
      'idOrder',
      ...customer,
      text('firstname', sql`u.first_name`),
      text('lastname', sql`u.last_name`),
      'type',
      'status',
      ...money,
      'createdAt',
      'completedAt',
      'refundedAmount',
    ],
    withCustomer,
  ),
  TRANSACTIONS: exportOf(
    transactions,
    [
      'id',
      'idTransaction',
      idOrder,
      ['id_invoice', 'invoiceId'],
      ['id_subscription', 'subscriptionId'],
      ...customer,
      'status',
      'type',
      ...money,
      'createdAt',
    ],
    withOrder,
  ),
  INVOICES: exportOf(
    invoices,
    [
      'id',
      idOrder,
      ...customer,
      'prefix',
      number,
      'status',
      'type',
      'amount',
      'amountInclVat',
      'paidAmount',
      'currency',
      'createdAt',
    ],
    { ...withOrder, reads: ['orderId', 'number'] },
  ),
  CREDIT_NOTES: exportOf(
    creditNotes,
    [
      'id',
      idOrder,
      ['id_invoice', 'invoiceId'],
      ...customer,
      'prefix',
      number,
      'type',
      'amount',
      'amountInclVat',
      'currency',
      'reason',
      'createdAt',
    ],
    { ...withOrder, reads: ['orderId', 'number'] },
  ),
  SUBSCRIPTIONS: exportOf(
    subscriptions,
    [
      'id',
      'idSubscription',
      ...customer,
      'name',
      'status',
      ...money,
      'paymentSource',
      'rateMonths',
      'trial',
      'paymentsLeft',
      'rebillDate',
      'createdAt',
      'endedAt',
    ],
    withCustomer,
  ),
} as const

function joinCustomer({ sql: { account } }: Ctx): Sql {
  return sql`LEFT JOIN customer u ON u.account_id = ${account} AND u.id = p.customer_id`
}
