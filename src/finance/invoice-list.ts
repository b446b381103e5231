import { one } from '../db/context.ts'
import { newList, pagesByParent, pagesOf } from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import type { Line } from './amounts.ts'
import { ofContact } from './customer-list.ts'
import { createdIn, type StatusFilter } from './period-filter.ts'

/** The seller at the time of issue. */
export interface Seller {
  readonly companyName: string
  readonly address: string
  readonly vatNumber: string
  readonly footer: string
}

/** The buyer at the time of issue. */
export interface Buyer {
  readonly email: string
  readonly name: string
  readonly companyName: string
  readonly address: string
  readonly vatNumber: string
}

/** The parts of an invoice or a credit note that are stored as JSON at the time of issue. */
export interface BillingSnapshot {
  readonly seller: Seller
  readonly buyer: Buyer
  readonly lines: readonly Line[]
}

export const invoiceTable = table('Invoice', 'i', { without: ['seller', 'buyer', 'lines'] })

/** An invoice. Its amounts are exact decimals as text. Its snapshot is large, so it is loaded only on demand. */
export type Invoice = RowOf<typeof invoiceTable>
export type InvoiceFilter = StatusFilter<Invoice['status']>

/** All invoices of an account. */
export const invoices = newList(invoiceTable, {
  name: 'invoices',
  orders: { CREATED_AT: 'createdAt' },
  where: async (filter: InvoiceFilter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`i.created_at`)),
    ...(filter.status == null ? [] : [sql`i.status = ${filter.status}::invoice_status`]),
  ],
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
