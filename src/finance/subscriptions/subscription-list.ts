import { type Ctx, many } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { flag, identity, number, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesByParent, pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance } from '../../db/lists/search.ts'
import { isOneOfEnum, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { contactsOf, ofContact, purchaseFields } from '../customers/customer-list.ts'

export const subscriptionTable = table('BillingSubscription', 'b', { noun: 'subscription' })

/** A recurring payment plan of a customer. Its amount is an exact decimal as text. */
export type BillingSubscription = RowOf<typeof subscriptionTable>

/** Maximum number of subscription summaries of a contact. */
export const maxSummaries = 100

const words = documentOf(sql`b.id_subscription`, sql`b.name`)

/** The filter of subscriptions. */
export const subscriptionFilter = filterOn(subscriptionTable, {
  id: identity('BillingSubscription'),
  ...onColumns(text, subscriptionTable, 'idSubscription', 'name', 'currency', 'paymentSource'),
  status: oneOf<BillingSubscription['status']>('BillingSubscriptionStatus', sql`b.status`, 'billing_status'),
  ...onColumns(number, subscriptionTable, 'amount', 'rateMonths', 'paymentsLeft'),
  ...onColumns(flag, subscriptionTable, 'trial'),
  ...onColumns(time, subscriptionTable, 'rebillDate', 'createdAt', 'updatedAt', 'endedAt'),
  ...purchaseFields(subscriptionTable, words),
})

/** All subscriptions of an account. */
export const subscriptions = newList(subscriptionTable, {
  name: 'billing subscriptions',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    NAME: 'name',
    AMOUNT: 'amount',
    STATUS: 'status',
    REBILL_DATE: { by: sql`coalesce(b.rebill_date, 'epoch')`, kind: 'time' },
    RELEVANCE: relevance(words),
  },
  filter: subscriptionFilter,
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

/** Selects the ids of the contacts with a subscription that has any of the statuses, once for each subscription. */
export function contactsWithStatus(ctx: Ctx, statuses: readonly string[]): Sql {
  return sql`SELECT u.contact_id FROM billing_subscription b JOIN customer u ON u.account_id = b.account_id AND u.id = b.customer_id
    WHERE b.account_id = ${ctx.sql.account} AND ${isOneOfEnum(sql`b.status`, statuses, 'billing_status')}
      AND u.contact_id IS NOT NULL`
}

/** Selects the contacts of subscriptions. */
export const contactsOfSubscriptions = contactsOf(subscriptionTable)
