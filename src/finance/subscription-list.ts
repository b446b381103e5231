import { many } from '../db/context.ts'
import { newList, pagesByParent, pagesOf } from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { ofContact } from './customer-list.ts'
import { createdIn, type StatusFilter } from './period-filter.ts'

export const subscriptionTable = table('BillingSubscription', 'b', { noun: 'subscription' })

/** A recurring payment plan of a customer. Its amount is an exact decimal as text. */
export type BillingSubscription = RowOf<typeof subscriptionTable>
type SubscriptionFilter = StatusFilter<BillingSubscription['status']>

/** Maximum number of subscription summaries of a contact. */
export const maxSummaries = 100

/** All subscriptions of an account. */
export const subscriptions = newList(subscriptionTable, {
  name: 'billing subscriptions',
  orders: { CREATED_AT: 'createdAt' },
  where: async (filter: SubscriptionFilter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`b.created_at`)),
    ...(filter.status == null ? [] : [sql`b.status = ${filter.status}::billing_status`]),
  ],
})

const contact = ofContact(subscriptionTable)

/** Lists the account's subscriptions, by default the newest first. Throws INVALID_PERIOD. */
export const list = pagesOf(subscriptions)

/** Lists the subscriptions of a customer or a contact. */
export const listOf = pagesByParent(subscriptions, { customer: subscriptionTable.within('customerId'), contact })

/** Loads subscriptions by id; locks a subscription until the transaction ends. */
export const { byId, lock } = subscriptionTable

/** Loads the active subscriptions of contacts, the newest first, up to `maxSummaries` each. */
export const activeByContact = many<number, BillingSubscription>(async (ctx, ids) => {
  const rows = await ctx.sql<BillingSubscription & { parent: number }>`
    SELECT parent.id AS parent, found.* FROM unnest(${ids}::int[]) AS parent(id) CROSS JOIN LATERAL (
      SELECT ${subscriptionTable.columns} ${contact.from(ctx)} AND b.status = 'ACTIVE'
      ORDER BY b.created_at DESC, b.id DESC LIMIT ${maxSummaries}::int
    ) found`
  return Map.groupBy(rows, (row) => row.parent)
})
