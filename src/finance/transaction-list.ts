import type { Transaction as Row } from '../../prisma/generated/client/client.ts'
import { type Ctx, one } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import { createdIn, type StatusFilter } from './period-filter.ts'

/** A payment. Its amount is an exact decimal as text. */
export type Transaction = Omit<Row, 'amount'> & { amount: string }
export type TransactionFilter = StatusFilter<Transaction['status']>
type TransactionListArgs = ListArgs<TransactionFilter, 'CREATED_AT'>

export const transactionColumns = sql`t.account_id AS "accountId", t.id, t.id_transaction AS "idTransaction",
  t.customer_id AS "customerId", t.order_id AS "orderId", t.invoice_id AS "invoiceId",
  t.subscription_id AS "subscriptionId", t.status::text AS status, t.type, t.amount::text AS amount, t.currency,
  t.created_at AS "createdAt", t.updated_at AS "updatedAt"`

/** All transactions of an account. */
export const transactions: List<Transaction, TransactionFilter, 'CREATED_AT'> = {
  name: 'transactions',
  columns: transactionColumns,
  from: (ctx) => sql`FROM transaction t WHERE t.account_id = ${ctx.sql.account}`,
  id: sql`t.id`,
  orders: { CREATED_AT: { by: sql`t.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: async (filter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`t.created_at`)),
    ...(filter.status == null ? [] : [sql`t.status = ${filter.status}::transaction_status`]),
  ],
}

/** The transactions of one parent, by the column that refers to it. */
const within = (name: string, column: Sql): Within => ({
  name,
  from: (ctx) => sql`FROM transaction t WHERE t.account_id = ${ctx.sql.account} AND ${column} = parent.id`,
})

const parents = {
  customer: within('customer', sql`t.customer_id`),
  order: within('order', sql`t.order_id`),
  invoice: within('invoice', sql`t.invoice_id`),
  subscription: within('subscription', sql`t.subscription_id`),
  contact: {
    name: 'contact',
    from: (ctx: Ctx) => sql`FROM customer u JOIN transaction t ON t.account_id = u.account_id AND t.customer_id = u.id
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = parent.id`,
  },
} as const

/** Lists the account's transactions, by default the newest first. Throws INVALID_PERIOD. */
export async function list(ctx: Ctx, args: TransactionListArgs): Promise<Page<Transaction>> {
  return pageOf(ctx, transactions, args)
}

/** Lists the transactions of a customer, a contact, an order, an invoice or a subscription. */
export async function listOf(
  ctx: Ctx,
  parent: keyof typeof parents,
  id: number,
  args: TransactionListArgs,
): Promise<Page<Transaction>> {
  return nestedPageOf(ctx, transactions, parents[parent], id, args)
}

/** Loads transactions by id. */
export const byId = one<number, Transaction>(async (ctx, ids) => {
  const rows = await ctx.sql<Transaction>`
    SELECT ${transactionColumns} FROM transaction t WHERE t.account_id = ${ctx.sql.account} AND t.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Locks a transaction until the database transaction ends. Throws NOT_FOUND. */
export async function lock(tx: Ctx, id: number): Promise<Transaction> {
  const [row] = await tx.sql<Transaction>`
    SELECT ${transactionColumns} FROM transaction t WHERE t.account_id = ${tx.sql.account} AND t.id = ${id} FOR UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'There is no such transaction.')
  return row
}
