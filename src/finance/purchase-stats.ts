import { one } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { decimal, type Money } from '../kernel/money.ts'

/** The completed orders of a contact. */
export interface PurchaseStats {
  readonly orders: number
  /** Total of the orders less refunds, per currency, largest amount first. */
  readonly lifetimeValue: readonly Money[]
  readonly firstOrderAt: Date | null
  readonly lastOrderAt: Date | null
}

/** The statistics of a contact without completed orders. */
export const noPurchases: PurchaseStats = { orders: 0, lifetimeValue: [], firstOrderAt: null, lastOrderAt: null }

interface CurrencyRow {
  readonly contactId: number
  readonly currency: string
  readonly amount: string
  readonly orders: number
  readonly first: Date
  readonly last: Date
}

/**
 * A refund is often recorded as a transaction and as a credit note. The larger total of an order counts, so that it is not
 * subtracted twice.
 */
const refunded = sql`greatest(
  (SELECT coalesce(sum(t.amount), 0) FROM transaction t WHERE t.account_id = o.account_id AND t.order_id = o.id
    AND t.status = 'REFUNDED' AND t.currency = o.currency),
  (SELECT coalesce(-sum(n.amount_incl_vat), 0) FROM credit_note n WHERE n.account_id = o.account_id AND n.order_id = o.id
    AND n.currency = o.currency))`

/**
 * Loads the completed orders of contacts, by contact. Orders belong to a contact through the customers that are linked to it.
 * Refunded orders do not count. Partial refunds reduce the value of their order to 0 at least.
 */
export const statsOfContact = one<number, PurchaseStats>(async (ctx, contactIds) => {
  const rows = await ctx.sql<CurrencyRow>`
    SELECT u.contact_id AS "contactId", o.currency, sum(greatest(o.amount - ${refunded}, 0))::text AS amount,
      count(*)::int AS orders, min(o.created_at) AS first, max(o.created_at) AS last
    FROM customer u JOIN "order" o ON o.account_id = u.account_id AND o.customer_id = u.id AND o.status = 'COMPLETED'
    WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = ANY(${contactIds}::int[])
    GROUP BY u.contact_id, o.currency ORDER BY o.currency`
  return new Map([...Map.groupBy(rows, (row) => row.contactId)].map(([id, ofContact]) => [id, merge(ofContact)]))
})

function merge(rows: readonly CurrencyRow[]): PurchaseStats {
  const times = rows.flatMap(({ first, last }) => [first, last]).toSorted((a, b) => Number(a) - Number(b))
  return {
    orders: rows.reduce((sum, row) => sum + row.orders, 0),
    lifetimeValue: rows
      .map(({ amount, currency }) => ({ amount, currency }))
      .toSorted((a, b) => decimal(b.amount).cmp(a.amount)),
    firstOrderAt: times[0] ?? null,
    lastOrderAt: times.at(-1) ?? null,
  }
}
