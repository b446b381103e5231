import { one } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, number, oneOf, reference, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesByParent, pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance } from '../../db/lists/search.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import type { Line } from '../amounts.ts'
import { ofContact, purchaseFields } from '../customers/customer-list.ts'
import type { Buyer, Seller } from './pdf/parties.ts'

/** The parts of an invoice or a credit note that are stored as JSON at the time of issue. */
export interface BillingSnapshot {
  readonly seller: Seller
  readonly buyer: Buyer
  readonly lines: readonly Line[]
}

export const invoiceTable = table('Invoice', 'i', { without: ['seller', 'buyer', 'lines'] })

/** An invoice. Its amounts are exact decimals as text. Its snapshot is large, so it is loaded only on demand. */
export type Invoice = RowOf<typeof invoiceTable>

/**
 * Returns the words by which invoices or credit notes of an alias are searched: the number as it is printed, with its prefix
 * but without zeros, and alone; e-mail address, name and company of the buyer at the time of issue.
 */
export function issuedWords(alias: string): Sql {
  const number = `${alias}.number::text`
  const buyer = ['email', 'name', 'companyName'].map((name) => `coalesce(${alias}.buyer->>'${name}', '')`)
  const printed = `${alias}.prefix || lpad(${number}, greatest(6, length(${number})), '0')`
  return documentOf(...[printed, `${alias}.prefix || ${number}`, number, ...buyer].map(raw))
}

const words = issuedWords('i')

/** The filter of invoices. */
export const invoiceFilter = filterOn(invoiceTable, {
  id: identity('Invoice'),
  ...onColumns(text, invoiceTable, 'prefix', 'type', 'currency'),
  ...onColumns(number, invoiceTable, 'number', 'amount', 'amountInclVat', 'paidAmount'),
  status: oneOf<Invoice['status']>('InvoiceStatus', sql`i.status`, 'invoice_status'),
  ...onColumns(time, invoiceTable, 'createdAt', 'updatedAt'),
  orders: reference('Order', sql`i.order_id`),
  ...purchaseFields(invoiceTable, words),
})

/** All invoices of an account. */
export const invoices = newList(invoiceTable, {
  name: 'invoices',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    AMOUNT_INCL_VAT: 'amountInclVat',
    STATUS: 'status',
    RELEVANCE: relevance(words),
  },
  filter: invoiceFilter,
})

/** Lists the account's invoices, by default the newest first. Throws INVALID_PERIOD. */
export const list = pagesOf(invoices)

/** Lists the invoices of a customer, a contact or an order. */
export const listOf = pagesByParent(invoices, {
  customer: invoiceTable.within('customerId'),
  order: invoiceTable.within('orderId'),
  contact: ofContact(invoiceTable),
})

/** Loads invoices by id; locks an invoice until the transaction ends. */
export const { byId, lock } = invoiceTable

/** Loads seller, buyer and lines of invoices by id. */
export const snapshotById = one<number, BillingSnapshot>(async (ctx, ids) => {
  const rows = await ctx.sql<BillingSnapshot & { id: number }>`
    SELECT i.id, i.seller, i.buyer, i.lines FROM invoice i
    WHERE i.account_id = ${ctx.sql.account} AND i.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Loads the total that credit notes credited to invoices, VAT included, as a positive amount. */
export const creditedAmountById = one<number, string>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; credited: string }>`
    SELECT n.invoice_id AS id, (-sum(n.amount_incl_vat))::text AS credited FROM credit_note n
    WHERE n.account_id = ${ctx.sql.account} AND n.invoice_id = ANY(${ids}::int[]) GROUP BY 1`
  return new Map(rows.map((row) => [row.id, row.credited]))
})
