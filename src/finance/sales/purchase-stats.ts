import { type Ctx, one } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { decimal, type Money } from '../../kernel/values/money.ts'

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
 * Selects what was refunded of orders by transactions and credit notes: `order_id`, `currency`, `amount`. `among` joins the
 * orders, by their id. A refund is often recorded in both ways, so the larger total of an order counts, and it is not
 * subtracted twice.
 */
export function refunds(ctx: Ctx, among: (orderId: Sql) => Sql): Sql {
  return sql`SELECT r.order_id, r.currency, greatest(sum(r.paid), sum(r.credited)) AS amount FROM (
      SELECT t.order_id, t.currency, t.amount, 0 FROM transaction t ${among(sql`t.order_id`)}
      WHERE t.account_id = ${ctx.sql.account} AND t.status = 'REFUNDED' AND t.order_id IS NOT NULL
      UNION ALL
      SELECT n.order_id, n.currency, 0, -n.amount_incl_vat FROM credit_note n ${among(sql`n.order_id`)}
      WHERE n.account_id = ${ctx.sql.account} AND n.order_id IS NOT NULL
    ) AS r (order_id, currency, paid, credited) GROUP BY r.order_id, r.currency`
}

/** The amount of an order `o` less what was refunded of it, or its refund `r` if that is larger, 0 at least. */
export const netAmount = sql`greatest(o.amount - greatest(o.refunded_amount, r.amount), 0)`

/**
 * Loads the completed orders of contacts, by contact. Orders belong to a contact through the customers that are linked to it.
 * Refunded orders do not count. Partial refunds reduce the value of their order to 0 at least.
 */
export const statsOfContact = one<number, PurchaseStats>(async (ctx, contactIds) => {
  const rows = await ctx.sql<CurrencyRow>`
    WITH bought AS MATERIALIZED (
      SELECT u.contact_id, o.id, o.currency, o.amount, o.refunded_amount, o.created_at
      FROM customer u JOIN "order" o ON o.account_id = u.account_id AND o.customer_id = u.id AND o.status = 'COMPLETED'
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = ANY(${contactIds}::int[])
    ), refund AS (${refunds(ctx, (orderId) => sql`JOIN bought b ON b.id = ${orderId}`)})
    SELECT o.contact_id AS "contactId", o.currency, sum(${netAmount})::text AS amount,
      count(*)::int AS orders, min(o.created_at) AS first, max(o.created_at) AS last
    FROM bought o LEFT JOIN refund r ON r.order_id = o.id AND r.currency = o.currency
    GROUP BY o.contact_id, o.currency ORDER BY o.currency`
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
