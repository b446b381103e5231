import { z } from 'zod'
import type { Order as Row } from '../../prisma/generated/client/client.ts'
import { type Ctx, many, one } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Attribution } from '../kernel/attribution.ts'
import { check, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { Line } from './amounts.ts'
import { createdIn, type StatusFilter } from './period-filter.ts'

/** An order. Its amount is an exact decimal as text. */
export type Order = Omit<Row, 'amount' | 'attribution'> & { amount: string; attribution: Attribution }
export type OrderFilter = StatusFilter<Order['status']>
type OrderListArgs = ListArgs<OrderFilter, 'CREATED_AT'>

/** A line of an order, in the order's currency. */
export type OrderLine = Line & { id: number; orderId: number; currency: string }

export const orderColumns = sql`o.account_id AS "accountId", o.id, o.id_order AS "idOrder",
  o.customer_id AS "customerId", o.type, o.status::text AS status, o.amount::text AS amount, o.currency,
  o.step_id AS "stepId", o.attribution, o.created_at AS "createdAt", o.updated_at AS "updatedAt",
  o.completed_at AS "completedAt"`

/** All orders of an account. */
export const orders: List<Order, OrderFilter, 'CREATED_AT'> = {
  name: 'orders',
  columns: orderColumns,
  from: (ctx) => sql`FROM "order" o WHERE o.account_id = ${ctx.sql.account}`,
  id: sql`o.id`,
  orders: { CREATED_AT: { by: sql`o.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: async (filter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`o.created_at`)),
    ...(filter.status == null ? [] : [sql`o.status = ${filter.status}::order_status`]),
  ],
}

const ofCustomer: Within = {
  name: 'customer',
  from: (ctx) => sql`FROM "order" o WHERE o.account_id = ${ctx.sql.account} AND o.customer_id = parent.id`,
}

const ofContact: Within = {
  name: 'contact',
  from: (ctx) => sql`FROM customer u JOIN "order" o ON o.account_id = u.account_id AND o.customer_id = u.id
    WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = parent.id`,
}

/** Lists the account's orders, by default the newest first. Throws INVALID_PERIOD. */
export async function list(ctx: Ctx, args: OrderListArgs): Promise<Page<Order>> {
  return pageOf(ctx, orders, args)
}

/** Lists the orders of a customer. */
export async function listOfCustomer(ctx: Ctx, customerId: number, args: OrderListArgs): Promise<Page<Order>> {
  return nestedPageOf(ctx, orders, ofCustomer, customerId, args)
}

/** Lists the orders of the customers of a contact. */
export async function listOfContact(ctx: Ctx, contactId: number, args: OrderListArgs): Promise<Page<Order>> {
  return nestedPageOf(ctx, orders, ofContact, contactId, args)
}

/** Loads orders by id. */
export const byId = one<number, Order>(async (ctx, ids) => {
  const rows = await ctx.sql<Order>`
    SELECT ${orderColumns} FROM "order" o WHERE o.account_id = ${ctx.sql.account} AND o.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Loads orders by the shop's id for them. */
const byIdOrder = one<string, Order>(async (ctx, idOrders) => {
  const rows = await ctx.sql<Order>`
    SELECT ${orderColumns} FROM "order" o WHERE o.account_id = ${ctx.sql.account} AND o.id_order = ANY(${idOrders}::text[])`
  return new Map(rows.map((row) => [row.idOrder, row]))
})

/** Finds an order by its id or by the shop's id for it. Throws VALIDATION_ERROR unless exactly one is given. */
export async function find(
  ctx: Ctx,
  { id, idOrder }: { id?: string | number | null | undefined; idOrder?: string | null | undefined },
): Promise<Order | null> {
  if ((id == null) === (idOrder == null)) throw invalid({ id: ['or idOrder is required, and not both'] })
  if (id != null) return ctx.load(byId, idOf('Order', id))
  return ctx.load(byIdOrder, check(z.object({ idOrder: text(1000) }), { idOrder }).idOrder)
}

/** Loads the lines of orders, ordered by position. */
export const linesOfOrder = many<number, OrderLine>(async (ctx, ids) => {
  const rows = await ctx.sql<OrderLine>`
    SELECT l.id, l.order_id AS "orderId", l.name, l.quantity, l.unit_price::text AS "unitPrice",
      trim_scale(l.vat_rate)::text AS "vatRate", l.amount::text AS amount, l.vat::text AS vat, o.currency
    FROM order_line l JOIN "order" o ON o.account_id = l.account_id AND o.id = l.order_id
    WHERE l.account_id = ${ctx.sql.account} AND l.order_id = ANY(${ids}::int[]) ORDER BY l.order_id, l.position`
  return Map.groupBy(rows, (row) => row.orderId)
})

/** Locks an order until the transaction ends. Throws NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number, field = 'id'): Promise<Order> {
  const [row] = await tx.sql<Order>`
    SELECT ${orderColumns} FROM "order" o
    WHERE o.account_id = ${tx.sql.account} AND o.id = ${idOf('Order', id, field)} FOR UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'There is no such order.')
  return row
}

/** Selects the ids of the contacts whose customer has an order, once for each order. */
export function contactsWithOrders(ctx: Ctx): Sql {
  return sql`SELECT b.contact_id FROM customer b JOIN "order" o ON o.account_id = b.account_id AND o.customer_id = b.id
    WHERE b.account_id = ${ctx.sql.account} AND b.contact_id IS NOT NULL`
}
