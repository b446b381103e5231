import type { Ctx } from '../db/context.ts'
import { addressKeysOf, type Person, type PersonPart, type PersonParts } from '../db/persons/person-parts.ts'
import { raw, type Sql, sql } from '../db/sql.ts'

const needs = 'finance:read'
const part = (tables: PersonPart['tables'], select: PersonPart['select']): PersonPart => ({ needs, tables, select })

/** Returns the condition that a customer `u` is the person: linked to the contact, or linked to none with its address. */
function isPerson(person: Person): Sql {
  return sql`(u.contact_id = ${person.contactId}::int OR (u.contact_id IS NULL AND address_key(u.email) = ANY(${addressKeysOf(person)})))`
}

/** Returns the rows `s` of a table of sales of a person. */
function fromSales(ctx: Ctx, person: Person, table: string): Sql {
  return sql`FROM customer u JOIN ${raw(table)} s ON s.account_id = u.account_id AND s.customer_id = u.id
    WHERE u.account_id = ${ctx.sql.account} AND ${isPerson(person)}`
}

/** What this module holds about a person. */
export const financeParts = {
  customers: part(
    ['customer'],
    (ctx, person) => sql`
      SELECT u.id AS row_id, u.id, u.email, u.first_name, u.last_name, u.company_name, u.address, u.vat_number, u.created_at
      FROM customer u WHERE u.account_id = ${ctx.sql.account} AND ${isPerson(person)}`,
  ),
  orders: part(
    ['order', 'order_line'],
    (ctx, person) => sql`
      SELECT s.id AS row_id, s.id, s.id_order, s.type, s.status, s.amount::text AS amount, s.currency, s.attribution,
        (SELECT coalesce(json_agg(json_build_object('name', l.name, 'quantity', l.quantity, 'unit_price', l.unit_price::text,
            'amount', l.amount::text, 'vat', l.vat::text) ORDER BY l.position), '[]')
          FROM order_line l WHERE l.account_id = s.account_id AND l.order_id = s.id) AS lines,
        s.created_at, s.completed_at ${fromSales(ctx, person, '"order"')}`,
  ),
  transactions: part(
    ['transaction'],
    (ctx, person) => sql`
      SELECT s.id AS row_id, s.id, s.id_transaction, s.order_id, s.invoice_id, s.subscription_id, s.type, s.status,
        s.amount::text AS amount, s.currency, s.created_at ${fromSales(ctx, person, 'transaction')}`,
  ),
  invoices: part(
    ['invoice'],
    (ctx, person) => sql`
      SELECT s.id AS row_id, s.id, s.prefix, s.number, s.order_id, s.type, s.status, s.amount::text AS amount,
        s.amount_incl_vat::text AS amount_incl_vat, s.paid_amount::text AS paid_amount, s.currency, s.buyer, s.lines,
        s.created_at ${fromSales(ctx, person, 'invoice')}`,
  ),
  credit_notes: part(
    ['credit_note'],
    (ctx, person) => sql`
      SELECT s.id AS row_id, s.id, s.prefix, s.number, s.order_id, s.invoice_id, s.type, s.amount::text AS amount,
        s.amount_incl_vat::text AS amount_incl_vat, s.currency, s.reason, s.buyer, s.lines, s.created_at
      ${fromSales(ctx, person, 'credit_note')}`,
  ),
  subscriptions: part(
    ['billing_subscription'],
    (ctx, person) => sql`
      SELECT s.id AS row_id, s.id, s.id_subscription, s.name, s.status, s.amount::text AS amount, s.currency, s.payment_source,
        s.rate_months, s.trial, s.payments_left, s.rebill_date, s.created_at, s.ended_at
      ${fromSales(ctx, person, 'billing_subscription')}`,
  ),
} as const satisfies PersonParts

/** Returns the e-mail addresses of the customers of a contact. */
export async function emailsOfCustomers(ctx: Ctx, contactId: number): Promise<string[]> {
  const rows = await ctx.sql<{ email: string }>`
    SELECT u.email FROM customer u WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = ${contactId}::int`
  return rows.map(({ email }) => email)
}
