import { one } from '../db/context.ts'
import { newList, pagesByParent, pagesOf } from '../db/list.ts'
import { sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { ofContact } from './customer-list.ts'
import type { BillingSnapshot } from './invoice-list.ts'
import { createdIn, type PeriodFilter } from './period-filter.ts'

export const creditNoteTable = table('CreditNote', 'n', { without: ['seller', 'buyer', 'lines'] })

/** A credit note. Its amounts are negative, as exact decimals in text. Its snapshot is large, so it is loaded only on demand. */
export type CreditNote = RowOf<typeof creditNoteTable>

/** All credit notes of an account. */
export const creditNotes = newList(creditNoteTable, {
  name: 'credit notes',
  orders: { CREATED_AT: 'createdAt' },
  where: (filter: PeriodFilter, ctx) => createdIn(ctx, filter, sql`n.created_at`),
})

/** Lists the account's credit notes, by default the newest first. Throws INVALID_PERIOD. */
export const list = pagesOf(creditNotes)

/** Lists the credit notes of a customer, a contact, an order or an invoice. */
export const listOf = pagesByParent(creditNotes, {
  customer: creditNoteTable.within('customerId'),
  order: creditNoteTable.within('orderId'),
  invoice: creditNoteTable.within('invoiceId'),
  contact: ofContact(creditNoteTable),
})

/** Loads credit notes by id. */
export const { byId } = creditNoteTable

/** Loads seller, buyer and lines of credit notes by id. */
export const snapshotById = one<number, BillingSnapshot>(async (ctx, ids) => {
  const rows = await ctx.sql<BillingSnapshot & { id: number }>`
    SELECT n.id, n.seller, n.buyer, n.lines FROM credit_note n
    WHERE n.account_id = ${ctx.sql.account} AND n.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})
