import type { Ctx } from '../../db/context.ts'
import type { List } from '../../db/lists/list.ts'
import { readQuery } from '../../db/lists/page-query.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Money } from '../../kernel/values/money.ts'
import { creditNotes } from '../billing/credit-note-list.ts'
import { invoices } from '../billing/invoice-list.ts'
import { orders } from '../orders/order-list.ts'
import { transactions } from '../transactions/transaction-list.ts'

/** The sum of the amounts of rows in one currency. */
export interface AmountSum extends Money {
  readonly count: number
}

/**
 * Creates the operation that adds up the rows of a list that match its filter, by currency, largest sum first. `amount` is the
 * column of the amount. The filter has the same limits as in the list. The time is limited without a filter as well, because all
 * rows of the account are read. **Throws** VALIDATION_ERROR.
 */
function sumsOf<Row extends { id: number; currency: string }, Filter extends object, Field extends string>(
  list: List<Row, Filter, Field>,
  amount: Sql,
) {
  return async (ctx: Ctx, filter: Filter | null | undefined): Promise<AmountSum[]> => {
    const query = await readQuery(ctx, list, { filter })
    return ctx.sql.limited(1)<AmountSum>`
      SELECT ${list.table.field('currency')} AS currency, sum(${amount})::text AS amount, count(*)::int AS count
      ${list.table.from(ctx)} ${query.conditions} GROUP BY 1 ORDER BY sum(${amount}) DESC, 1`
  }
}

/** Returns the sums of orders. */
export const ofOrders = sumsOf(orders, sql`o.amount`)

/** Returns the sums of invoices, VAT included. */
export const ofInvoices = sumsOf(invoices, sql`i.amount_incl_vat`)

/** Returns the sums of credit notes, VAT included. */
export const ofCreditNotes = sumsOf(creditNotes, sql`n.amount_incl_vat`)

/** Returns the sums of transactions. */
export const ofTransactions = sumsOf(transactions, sql`t.amount`)
