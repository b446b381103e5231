import { one } from '../../db/context.ts'
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
 * Loads the completed orders of contacts, by contact. Orders belong to a contact through the customers that are linked to it.
 * Refunded orders do not count. Partial refunds reduce the value of their order to 0 at least. A refund is often recorded as a
 * transaction and as a credit note, so the larger total of an order counts, and it is not subtracted twice.
 */
export const statsOfContact = one<number, PurchaseStats>(async (ctx, contactIds) => {
  const rows = await ctx.sql<CurrencyRow>`
    WITH bought AS MATERIALIZED (
      SELECT u.contact_id, o.id, o.currency, o.amount, o.created_at
      FROM customer u JOIN "order" o ON o.account_id = u.account_id AND o.customer_id = u.id AND o.status = 'COMPLETED'
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = ANY(${contactIds}::int[])
    ), refund AS (
      SELECT r.id, greatest(sum(r.paid), sum(r.credited)) AS amount FROM (
        SELECT b.id, t.amount, 0 FROM bought b JOIN transaction t ON t.account_id = ${ctx.sql.account} AND t.order_id = b.id
          AND t.currency = b.currency AND t.status = 'REFUNDED'
        UNION ALL
        SELECT b.id, 0, -n.amount_incl_vat FROM bought b JOIN credit_note n ON n.account_id = ${ctx.sql.account}
          AND n.order_id = b.id AND n.currency = b.currency
      ) AS r (id, paid, credited) GROUP BY r.id
    )
    SELECT b.contact_id AS "contactId", b.currency, sum(greatest(b.amount - coalesce(r.amount, 0), 0))::text AS amount,
      count(*)::int AS orders, min(b.created_at) AS first, max(b.created_at) AS last
    FROM bought b LEFT JOIN refund r ON r.id = b.id GROUP BY b.contact_id, b.currency ORDER BY b.currency`
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
