import type { CreditNote as Row } from '../../prisma/generated/client/client.ts'
import { type Ctx, one } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { sql } from '../db/sql.ts'
import type { BillingSnapshot } from './invoice-list.ts'
import { createdIn, type PeriodFilter } from './period-filter.ts'

/** A credit note. Its amounts are negative, as exact decimals in text. Its snapshot is large, so it is loaded only on demand. */
export type CreditNote = Omit<Row, 'amount' | 'amountInclVat' | keyof BillingSnapshot> & {
  amount: string
  amountInclVat: string
}
type CreditNoteListArgs = ListArgs<PeriodFilter, 'CREATED_AT'>

export const creditNoteColumns = sql`n.account_id AS "accountId", n.id, n.prefix, n.number,
  n.customer_id AS "customerId", n.order_id AS "orderId", n.invoice_id AS "invoiceId", n.type, n.amount::text AS amount,
  n.amount_incl_vat::text AS "amountInclVat", n.currency, n.reason, n.document_id AS "documentId",
  n.created_at AS "createdAt"`

/** All credit notes of an account. */
export const creditNotes: List<CreditNote, PeriodFilter, 'CREATED_AT'> = {
  name: 'credit notes',
  columns: creditNoteColumns,
  from: (ctx) => sql`FROM credit_note n WHERE n.account_id = ${ctx.sql.account}`,
  id: sql`n.id`,
  orders: { CREATED_AT: { by: sql`n.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: (filter, ctx) => createdIn(ctx, filter, sql`n.created_at`),
}

const parents = {
  customer: {
    name: 'customer',
    from: (ctx) => sql`FROM credit_note n WHERE n.account_id = ${ctx.sql.account} AND n.customer_id = parent.id`,
  },
  order: {
    name: 'order',
    from: (ctx) => sql`FROM credit_note n WHERE n.account_id = ${ctx.sql.account} AND n.order_id = parent.id`,
  },
  invoice: {
    name: 'invoice',
    from: (ctx) => sql`FROM credit_note n WHERE n.account_id = ${ctx.sql.account} AND n.invoice_id = parent.id`,
  },
  contact: {
    name: 'contact',
    from: (ctx) => sql`FROM customer u JOIN credit_note n ON n.account_id = u.account_id AND n.customer_id = u.id
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = parent.id`,
  },
} satisfies Record<string, Within>

/** Lists the account's credit notes, by default the newest first. Throws INVALID_PERIOD. */
export async function list(ctx: Ctx, args: CreditNoteListArgs): Promise<Page<CreditNote>> {
  return pageOf(ctx, creditNotes, args)
}

/** Lists the credit notes of a customer, a contact, an order or an invoice. */
export async function listOf(
  ctx: Ctx,
  parent: keyof typeof parents,
  id: number,
  args: CreditNoteListArgs,
): Promise<Page<CreditNote>> {
  return nestedPageOf(ctx, creditNotes, parents[parent], id, args)
}

/** Loads credit notes by id. */
export const byId = one<number, CreditNote>(async (ctx, ids) => {
  const rows = await ctx.sql<CreditNote>`
    SELECT ${creditNoteColumns} FROM credit_note n WHERE n.account_id = ${ctx.sql.account} AND n.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Loads seller, buyer and lines of credit notes by id. */
export const snapshotById = one<number, BillingSnapshot>(async (ctx, ids) => {
  const rows = await ctx.sql<BillingSnapshot & { id: number }>`
    SELECT n.id, n.seller, n.buyer, n.lines FROM credit_note n
    WHERE n.account_id = ${ctx.sql.account} AND n.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})
