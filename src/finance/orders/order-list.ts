import type { AcceptedTerms, Attribution } from '../../contacts/index.ts'
import { type Ctx, many } from '../../db/context.ts'
import { memberLeaf, relatedLeaves } from '../../db/filters/conditions.ts'
import { type Field, filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, number, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { type TextFilter, textLeaves } from '../../db/filters/value-conditions.ts'
import { columnFacet } from '../../db/lists/facets.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesByParent, pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance, searchedText } from '../../db/lists/search.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import type { OneOf } from '../../kernel/one-of.ts'
import { checkAt, text as textOf } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import type { Line } from '../amounts.ts'
import { contactsOf, ofContact, purchaseFields } from '../customers/customer-list.ts'

export const orderTable = table('Order', 'o', {
  as: {} as { attribution: Attribution; acceptedTerms: readonly AcceptedTerms[] },
})

/** An order. Its amount is an exact decimal as text. */
export type Order = RowOf<typeof orderTable>

/** A line of an order, in the order's currency. */
export type OrderLine = Line & { id: number; orderId: number; currency: string }

const words = documentOf(sql`o.id_order`)

/** The name of a line of an order. */
const products: Field<'text', TextFilter> = {
  kind: 'text',
  leaves: (value, place) =>
    relatedLeaves(
      (test) =>
        memberLeaf(
          place,
          sql`SELECT l.order_id FROM order_line l WHERE l.account_id = ${place.ctx.sql.account} AND ${test}`,
        ),
      textLeaves(sql`l.name`, value, place),
    ),
}

/** The filter of orders. */
export const orderFilter = filterOn(orderTable, {
  id: identity('Order'),
  status: oneOf<Order['status']>('OrderStatus', sql`o.status`, 'order_status'),
  idOrder: searchedText(words, sql`o.id_order`),
  ...onColumns(text, orderTable, 'type', 'currency'),
  ...onColumns(number, orderTable, 'amount', 'refundedAmount'),
  ...onColumns(time, orderTable, 'createdAt', 'updatedAt', 'completedAt'),
  products,
  ...purchaseFields(orderTable, words),
})

/** The facets of orders: the fields whose values can be counted. */
export const orderFacets = {
  STATUS: columnFacet(sql`o.status`),
  CURRENCY: columnFacet(sql`o.currency`),
  TYPE: columnFacet(sql`o.type`),
  PRODUCT: {
    sourceOf: (ctx: Ctx) => ({
      value: sql`o.id`,
      each: sql`SELECT DISTINCT ON (lower(l.name)) l.name, l.name FROM order_line l
        WHERE l.account_id = ${ctx.sql.account} AND l.order_id = counted.value`,
    }),
  },
  UTM_SOURCE: columnFacet(sql`(o.attribution ->> 'utm_source')`),
  UTM_CAMPAIGN: columnFacet(sql`(o.attribution ->> 'utm_campaign')`),
} as const

/** All orders of an account. */
export const orders = newList(orderTable, {
  name: 'orders',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    AMOUNT: 'amount',
    STATUS: 'status',
    RELEVANCE: relevance(words),
  },
  filter: orderFilter,
  facets: orderFacets,
})

/** Lists the account's orders, by default the newest first. Throws INVALID_PERIOD. */
export const list = pagesOf(orders)

/** Lists the orders of a customer or a contact. */
export const listOf = pagesByParent(orders, {
  customer: orderTable.within('customerId'),
  contact: ofContact(orderTable),
})

/** Loads orders by id; locks an order until the transaction ends. */
export const { byId, lock } = orderTable

/** Loads orders by the shop's id for them. */
const byIdOrder = orderTable.oneBy('idOrder')
const IdOrder = textOf(1000)

/** Finds an order by its id or by the shop's id for it. **Throws** VALIDATION_ERROR, with paths in `ref`. */
export async function find(ctx: Ctx, ref: OneOf<{ id: string | number; idOrder: string }>): Promise<Order | null> {
  if (ref.id !== undefined) return ctx.load(byId, idOf('Order', ref.id, 'ref.id'))
  return ctx.load(byIdOrder, checkAt('ref.idOrder', IdOrder, ref.idOrder))
}

/** Loads the lines of orders, ordered by position. */
export const linesOfOrder = many<number, OrderLine>(async (ctx, ids) => {
  const rows = await ctx.sql<OrderLine>`
    SELECT l.id, l.order_id AS "orderId", l.name, l.quantity, trim_scale(l.unit_price)::text AS "unitPrice",
      trim_scale(l.vat_rate)::text AS "vatRate", l.amount::text AS amount, l.vat::text AS vat, o.currency
    FROM order_line l JOIN "order" o ON o.account_id = l.account_id AND o.id = l.order_id
    WHERE l.account_id = ${ctx.sql.account} AND l.order_id = ANY(${ids}::int[]) ORDER BY l.order_id, l.position`
  return Map.groupBy(rows, (row) => row.orderId)
})

/** Selects the ids of the contacts whose customer has an order, once for each order. */
export function contactsWithOrders(ctx: Ctx): Sql {
  return sql`SELECT b.contact_id FROM customer b JOIN "order" o ON o.account_id = b.account_id AND o.customer_id = b.id
    WHERE b.account_id = ${ctx.sql.account} AND b.contact_id IS NOT NULL`
}

/** Selects the contacts of orders. */
export const contactsOfOrders = contactsOf(orderTable)
