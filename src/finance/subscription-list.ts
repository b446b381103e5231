import type { BillingSubscription as Row } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { many, one } from '../db/load.ts'
import { type Sql, sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { madeIn, type StatusFilter } from './filters.ts'

/** A plan that is paid for again and again, its amount exact and as text. */
export type BillingSubscription = Omit<Row, 'amount'> & { amount: string }
export type SubscriptionFilter = StatusFilter<BillingSubscription['status']>
export type SubscriptionListArgs = ListArgs<SubscriptionFilter, 'CREATED_AT'>

/** How many subscriptions are shown in short with a contact. */
export const mostSummaries = 100

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
    ...(await madeIn(ctx, filter, sql`b.created_at`)),
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

/** The account's subscriptions, the newest first unless ordered otherwise. Fails with INVALID_PERIOD. */
export async function list(ctx: Ctx, args: SubscriptionListArgs): Promise<Page<BillingSubscription>> {
  return pageOf(ctx, subscriptions, args)
}

/** The subscriptions of a customer or a contact. */
export async function listOf(
  ctx: Ctx,
  parent: keyof typeof parents,
  id: number,
  args: SubscriptionListArgs,
): Promise<Page<BillingSubscription>> {
  return nestedPageOf(ctx, subscriptions, parents[parent], id, args)
}

/** Reads subscriptions by id. */
export const byId = one<number, BillingSubscription>(async (ctx, ids) => {
  const rows = await ctx.sql<BillingSubscription>`
    SELECT ${subscriptionColumns} FROM billing_subscription b
    WHERE b.account_id = ${ctx.sql.account} AND b.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** The active subscriptions of contacts, the newest first: what is shown with a contact. */
export const activeOfContact = many<number, BillingSubscription>(async (ctx, ids) => {
  const rows = await ctx.sql<BillingSubscription & { parent: number }>`
    SELECT parent.id AS parent, found.* FROM unnest(${ids}::int[]) AS parent(id) CROSS JOIN LATERAL (
      SELECT ${subscriptionColumns} ${parents.contact.from(ctx)} AND b.status = 'ACTIVE'
      ORDER BY b.created_at DESC, b.id DESC LIMIT ${mostSummaries}::int
    ) found`
  return Map.groupBy(rows, (row) => row.parent)
})

/** The subscription of this id, locked until the transaction ends. Fails with NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number): Promise<BillingSubscription> {
  const [row] = await tx.sql<BillingSubscription>`
    SELECT ${subscriptionColumns} FROM billing_subscription b
    WHERE b.account_id = ${tx.sql.account} AND b.id = ${idOf('BillingSubscription', id)} FOR UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'There is no such subscription.')
  return row
}
