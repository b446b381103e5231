import type { BillingSubscription as Row } from '../../prisma/generated/client/client.ts'
import { type Ctx, many, one } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { createdIn, type StatusFilter } from './period-filter.ts'

/** A recurring payment plan of a customer. Its amount is an exact decimal as text. */
export type BillingSubscription = Omit<Row, 'amount'> & { amount: string }
type SubscriptionFilter = StatusFilter<BillingSubscription['status']>
type SubscriptionListArgs = ListArgs<SubscriptionFilter, 'CREATED_AT'>

/** Maximum number of subscription summaries of a contact. */
export const maxSummaries = 100

export const subscriptionColumns = sql`b.account_id AS "accountId", b.id, b.id_subscription AS "idSubscription",
  b.customer_id AS "customerId", b.status::text AS status, b.name, b.amount::text AS amount, b.currency,
  b.payment_source AS "paymentSource", b.rate_months AS "rateMonths", b.trial, b.payments_left AS "paymentsLeft",
  b.rebill_date AS "rebillDate", b.created_at AS "createdAt", b.updated_at AS "updatedAt", b.ended_at AS "endedAt"`

/** All subscriptions of an account. */
export const subscriptions: List<BillingSubscription, SubscriptionFilter, 'CREATED_AT'> = {
  name: 'billing subscriptions',
  columns: subscriptionColumns,
  from: (ctx) => sql`FROM billing_subscription b WHERE b.account_id = ${ctx.sql.account}`,
  id: sql`b.id`,
  orders: { CREATED_AT: { by: sql`b.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: async (filter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`b.created_at`)),
    ...(filter.status == null ? [] : [sql`b.status = ${filter.status}::billing_status`]),
  ],
}

const parents = {
  customer: {
    name: 'customer',
    from: (ctx) =>
      sql`FROM billing_subscription b WHERE b.account_id = ${ctx.sql.account} AND b.customer_id = parent.id`,
  },
  contact: {
    name: 'contact',
    from: (
      ctx,
    ) => sql`FROM customer u JOIN billing_subscription b ON b.account_id = u.account_id AND b.customer_id = u.id
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = parent.id`,
  },
} satisfies Record<string, Within>

/** Lists the account's subscriptions, by default the newest first. Throws INVALID_PERIOD. */
export async function list(ctx: Ctx, args: SubscriptionListArgs): Promise<Page<BillingSubscription>> {
  return pageOf(ctx, subscriptions, args)
}

/** Lists the subscriptions of a customer or a contact. */
export async function listOf(
  ctx: Ctx,
  parent: keyof typeof parents,
  id: number,
  args: SubscriptionListArgs,
): Promise<Page<BillingSubscription>> {
  return nestedPageOf(ctx, subscriptions, parents[parent], id, args)
}

/** Loads subscriptions by id. */
export const byId = one<number, BillingSubscription>(async (ctx, ids) => {
  const rows = await ctx.sql<BillingSubscription>`
    SELECT ${subscriptionColumns} FROM billing_subscription b
    WHERE b.account_id = ${ctx.sql.account} AND b.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Loads the active subscriptions of contacts, the newest first, up to `maxSummaries` each. */
export const activeByContact = many<number, BillingSubscription>(async (ctx, ids) => {
  const rows = await ctx.sql<BillingSubscription & { parent: number }>`
    SELECT parent.id AS parent, found.* FROM unnest(${ids}::int[]) AS parent(id) CROSS JOIN LATERAL (
      SELECT ${subscriptionColumns} ${parents.contact.from(ctx)} AND b.status = 'ACTIVE'
      ORDER BY b.created_at DESC, b.id DESC LIMIT ${maxSummaries}::int
    ) found`
  return Map.groupBy(rows, (row) => row.parent)
})

/** Locks a subscription until the transaction ends. Throws NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number): Promise<BillingSubscription> {
  const [row] = await tx.sql<BillingSubscription>`
    SELECT ${subscriptionColumns} FROM billing_subscription b
    WHERE b.account_id = ${tx.sql.account} AND b.id = ${idOf('BillingSubscription', id)} FOR UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'There is no such subscription.')
  return row
}
