import { one } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, number, reference, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesByParent, pagesOf } from '../../db/lists/pages.ts'
import { relevance } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { ofContact, purchaseFields } from '../customers/customer-list.ts'
import { type BillingSnapshot, issuedWords } from './invoice-list.ts'

export const creditNoteTable = table('CreditNote', 'n', { without: ['seller', 'buyer', 'lines'] })

/** A credit note. Its amounts are negative, as exact decimals in text. Its snapshot is large, so it is loaded only on demand. */
export type CreditNote = RowOf<typeof creditNoteTable>

const words = issuedWords('n')

/** The filter of credit notes. */
export const creditNoteFilter = filterOn(creditNoteTable, {
  id: identity('CreditNote'),
  ...onColumns(text, creditNoteTable, 'prefix', 'type', 'reason', 'currency'),
  ...onColumns(number, creditNoteTable, 'number', 'amount', 'amountInclVat'),
  ...onColumns(time, creditNoteTable, 'createdAt'),
  orders: reference('Order', sql`n.order_id`),
  invoices: reference('Invoice', sql`n.invoice_id`),
  ...purchaseFields(creditNoteTable, words),
})

/** All credit notes of an account. */
export const creditNotes = newList(creditNoteTable, {
  name: 'credit notes',
  orders: { CREATED_AT: 'createdAt', AMOUNT_INCL_VAT: 'amountInclVat', RELEVANCE: relevance(words) },
  filter: creditNoteFilter,
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
