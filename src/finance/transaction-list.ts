import { newList, pagesByParent, pagesOf } from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { ofContact } from './customer-list.ts'
import { createdIn, type StatusFilter } from './period-filter.ts'

export const transactionTable = table('Transaction', 't')

/** A payment. Its amount is an exact decimal as text. */
export type Transaction = RowOf<typeof transactionTable>
export type TransactionFilter = StatusFilter<Transaction['status']>

/** All transactions of an account. */
export const transactions = newList(transactionTable, {
  name: 'transactions',
  orders: { CREATED_AT: 'createdAt' },
  where: async (filter: TransactionFilter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`t.created_at`)),
    ...(filter.status == null ? [] : [sql`t.status = ${filter.status}::transaction_status`]),
  ],
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
