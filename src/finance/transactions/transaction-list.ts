import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, number, oneOf, reference, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesByParent, pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance, searchedText } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { ofContact, purchaseFields } from '../customers/customer-list.ts'

export const transactionTable = table('Transaction', 't')

/** A payment. Its amount is an exact decimal as text. */
export type Transaction = RowOf<typeof transactionTable>

const words = documentOf(sql`t.id_transaction`)

/** The filter of transactions. */
export const transactionFilter = filterOn(transactionTable, {
  id: identity('Transaction'),
  idTransaction: searchedText(words, sql`t.id_transaction`),
  ...onColumns(text, transactionTable, 'type', 'currency'),
  status: oneOf<Transaction['status']>('TransactionStatus', sql`t.status`, 'transaction_status'),
  ...onColumns(number, transactionTable, 'amount'),
  ...onColumns(time, transactionTable, 'createdAt', 'updatedAt'),
  orders: reference('Order', sql`t.order_id`),
  invoices: reference('Invoice', sql`t.invoice_id`),
  subscriptions: reference('BillingSubscription', sql`t.subscription_id`),
  ...purchaseFields(transactionTable, words),
})

/** All transactions of an account. */
export const transactions = newList(transactionTable, {
  name: 'transactions',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    AMOUNT: 'amount',
    STATUS: 'status',
    RELEVANCE: relevance(words),
  },
  filter: transactionFilter,
})

/** Lists the account's transactions, by default the newest first. Throws INVALID_PERIOD. */
export const list = pagesOf(transactions)

/** Lists the transactions of a customer, a contact, an order, an invoice or a subscription. */
export const listOf = pagesByParent(transactions, {
  customer: transactionTable.within('customerId'),
  order: transactionTable.within('orderId'),
  invoice: transactionTable.within('invoiceId'),
  subscription: transactionTable.within('subscriptionId'),
  contact: ofContact(transactionTable),
})

/** Loads transactions by id; locks a transaction until the database transaction ends. */
export const { byId, lock } = transactionTable
