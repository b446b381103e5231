import { column, type Export, type ExportShape, word } from '../db/export.ts'
import type { List } from '../db/list.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { creditNotes } from './credit-note-list.ts'
import { customers } from './customer-list.ts'
import { invoices } from './invoice-list.ts'
import { orders } from './order-list.ts'
import { subscriptions } from './subscription-list.ts'
import { transactions } from './transaction-list.ts'

const { flag, number, text, time } = column

// biome-ignore lint/suspicious/noExplicitAny: an export has the filter of its list, which differs from list to list
type AnyList<Filter> = List<any, Filter, any>

/** An export of this module. Each row contains the customer, as in the REST API. */
function exportOf<Filter>(list: AnyList<Filter>, row: Sql, columns: ExportShape['columns']): Export<Filter> {
  return { needs: ['finance:read'], list, shape: () => ({ row, columns, joins: withCustomer }) }
}

const withCustomer: NonNullable<ExportShape['joins']> = ({ sql: { account } }) =>
  sql`LEFT JOIN customer u ON u.account_id = ${account} AND u.id = p.customer_id
    LEFT JOIN "order" o ON o.account_id = ${account} AND o.id = p.order_id`

const customer = [number('id_customer', sql`p.customer_id`), text('email', sql`u.email`)]
const idOrder = text('id_order', sql`o.id_order`)
const status = text('status', word(sql`p.status`))
const sum = (name: string) => number(name, sql`trim_scale(${raw(`p.${name}`)})`)
const money = [sum('amount'), text('currency')]

/** The exports of this module. */
export const financeExports = {
  CUSTOMERS: exportOf(
    customers,
    sql`u.email AS address_of, u.first_name, u.last_name, u.company_name, u.address, u.vat_number, u.contact_id, u.created_at,
      NULL::int AS customer_id, NULL::int AS order_id`,
    [
      number('id'),
      text('email', sql`p.address_of`),
      text('firstname', sql`p.first_name`),
      text('lastname', sql`p.last_name`),
      text('company_name'),
      text('address'),
      text('vat_number'),
      number('contact_id'),
      time('created_at'),
    ],
  ),
  ORDERS: exportOf(
    orders,
    sql`o.id_order, o.customer_id, o.type, o.status, o.amount, o.currency, o.created_at, o.completed_at, NULL::int AS order_id`,
    [
      number('id'),
      text('id_order'),
      ...customer,
      text('firstname', sql`u.first_name`),
      text('lastname', sql`u.last_name`),
      text('type'),
      status,
      ...money,
      time('created_at'),
      time('completed_at'),
    ],
  ),
  TRANSACTIONS: exportOf(
    transactions,
    sql`t.id_transaction, t.customer_id, t.order_id, t.invoice_id, t.subscription_id, t.status, t.type, t.amount, t.currency,
      t.created_at`,
    [
      number('id'),
      text('id_transaction'),
      idOrder,
      number('id_invoice', sql`p.invoice_id`),
      number('id_subscription', sql`p.subscription_id`),
      ...customer,
      status,
      text('type'),
      ...money,
      time('created_at'),
    ],
  ),
  INVOICES: exportOf(
    invoices,
    sql`i.prefix, i.number, i.customer_id, i.order_id, i.status, i.type, i.amount, i.amount_incl_vat, i.paid_amount, i.currency,
      i.created_at`,
    [
      number('id'),
      idOrder,
      ...customer,
      text('prefix'),
      text('number', sql`p.number::text`),
      status,
      text('type'),
      sum('amount'),
      sum('amount_incl_vat'),
      sum('paid_amount'),
      text('currency'),
      time('created_at'),
    ],
  ),
  CREDIT_NOTES: exportOf(
    creditNotes,
    sql`n.prefix, n.number, n.customer_id, n.order_id, n.invoice_id, n.type, n.amount, n.amount_incl_vat, n.currency, n.reason,
      n.created_at`,
    [
      number('id'),
      idOrder,
      number('id_invoice', sql`p.invoice_id`),
      ...customer,
      text('prefix'),
      text('number', sql`p.number::text`),
      text('type'),
      sum('amount'),
      sum('amount_incl_vat'),
      text('currency'),
      text('reason'),
      time('created_at'),
    ],
  ),
  SUBSCRIPTIONS: exportOf(
    subscriptions,
    sql`b.id_subscription, b.customer_id, b.status, b.name, b.amount, b.currency, b.payment_source, b.rate_months, b.trial,
      b.payments_left, b.rebill_date, b.created_at, b.ended_at, NULL::int AS order_id`,
    [
      number('id'),
      text('id_subscription'),
      ...customer,
      text('name'),
      status,
      ...money,
      text('payment_source'),
      number('rate_months'),
      flag('trial'),
      number('payments_left'),
      time('rebill_date'),
      time('created_at'),
      time('ended_at'),
    ],
  ),
} as const
