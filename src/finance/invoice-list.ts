import type { Invoice as Row } from '../../prisma/generated/client/client.ts'
import { type Ctx, one } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { Line } from './amounts.ts'
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

/** An invoice. Its amounts are exact decimals as text. Its snapshot is large, so it is loaded only on demand. */
export type Invoice = Omit<Row, 'amount' | 'amountInclVat' | 'paidAmount' | keyof BillingSnapshot> & {
  amount: string
  amountInclVat: string
  paidAmount: string
}
export type InvoiceFilter = StatusFilter<Invoice['status']>
type InvoiceListArgs = ListArgs<InvoiceFilter, 'CREATED_AT'>

export const invoiceColumns = sql`i.account_id AS "accountId", i.id, i.prefix, i.number, i.customer_id AS "customerId",
  i.order_id AS "orderId", i.status::text AS status, i.type, i.amount::text AS amount,
  i.amount_incl_vat::text AS "amountInclVat", i.paid_amount::text AS "paidAmount", i.currency,
  i.document_id AS "documentId", i.created_at AS "createdAt", i.updated_at AS "updatedAt"`

/** All invoices of an account. */
export const invoices: List<Invoice, InvoiceFilter, 'CREATED_AT'> = {
  name: 'invoices',
  columns: invoiceColumns,
  from: (ctx) => sql`FROM invoice i WHERE i.account_id = ${ctx.sql.account}`,
  id: sql`i.id`,
  orders: { CREATED_AT: { by: sql`i.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: async (filter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`i.created_at`)),
    ...(filter.status == null ? [] : [sql`i.status = ${filter.status}::invoice_status`]),
  ],
}

const parents = {
  customer: {
    name: 'customer',
    from: (ctx) => sql`FROM invoice i WHERE i.account_id = ${ctx.sql.account} AND i.customer_id = parent.id`,
  },
  order: {
    name: 'order',
    from: (ctx) => sql`FROM invoice i WHERE i.account_id = ${ctx.sql.account} AND i.order_id = parent.id`,
  },
  contact: {
    name: 'contact',
    from: (ctx) => sql`FROM customer u JOIN invoice i ON i.account_id = u.account_id AND i.customer_id = u.id
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = parent.id`,
  },
} satisfies Record<string, Within>

/** Lists the account's invoices, by default the newest first. Throws INVALID_PERIOD. */
export async function list(ctx: Ctx, args: InvoiceListArgs): Promise<Page<Invoice>> {
  return pageOf(ctx, invoices, args)
}

/** Lists the invoices of a customer, a contact or an order. */
export async function listOf(
  ctx: Ctx,
  parent: keyof typeof parents,
  id: number,
  args: InvoiceListArgs,
): Promise<Page<Invoice>> {
  return nestedPageOf(ctx, invoices, parents[parent], id, args)
}

/** Loads invoices by id. */
export const byId = one<number, Invoice>(async (ctx, ids) => {
  const rows = await ctx.sql<Invoice>`
    SELECT ${invoiceColumns} FROM invoice i WHERE i.account_id = ${ctx.sql.account} AND i.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

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

/** Locks an invoice until the transaction ends. Throws NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number, field = 'id'): Promise<Invoice> {
  const [row] = await tx.sql<Invoice>`
    SELECT ${invoiceColumns} FROM invoice i
    WHERE i.account_id = ${tx.sql.account} AND i.id = ${idOf('Invoice', id, field)} FOR UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'There is no such invoice.')
  return row
}
