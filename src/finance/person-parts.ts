import type { Ctx } from '../db/context.ts'
import { addressKeysOf, type Person, type PersonPart, type PersonParts } from '../db/persons/person-parts.ts'
import { type PersonTable, personTable } from '../db/persons/person-table.ts'
import { empty, raw, type Sql, sql } from '../db/sql.ts'

const needs = 'finance:read'
const part = (tables: PersonPart['tables'], select: PersonPart['select']): PersonPart => ({ needs, tables, select })

/** Returns the condition that a customer `u` is the person: linked to the contact, or linked to none with its address. */
function isPerson(person: Person): Sql {
  return sql`(u.contact_id = ${person.contactId}::int OR (u.contact_id IS NULL AND address_key(u.email) = ANY(${addressKeysOf(person)})))`
}

/** Returns the part with the sales `s` of a person, with further columns. */
function ofSales(
  table: PersonTable,
  { added = empty, tables = [] }: { added?: Sql; tables?: PersonTable[] } = {},
): PersonPart {
  return part(
    [table, ...tables],
    (ctx, person) => sql`
      SELECT s.id AS row_id, ${table.columns} ${added}
      FROM customer u JOIN ${raw(`"${table.name}"`)} s ON s.account_id = u.account_id AND s.customer_id = u.id
      WHERE u.account_id = ${ctx.sql.account} AND ${isPerson(person)}`,
  )
}

const customer = personTable('Customer', 'u', { omitted: { contactId: 'the person' } })
const orderLine = personTable('OrderLine', 'l', {
  omitted: {
    id: 'nothing refers to it',
    orderId: 'the order contains the line',
    position: 'the lines are in this order',
  },
})
const document = {
  omitted: {
    seller: 'the account that exports',
    documentId: 'the PDF with the same content',
    missingCharacters: 'characters that the PDF cannot show',
  },
}

/** What this module holds about a person. */
export const financeParts = {
  customers: part(
    [customer],
    (ctx, person) => sql`
      SELECT u.id AS row_id, ${customer.columns}
      FROM customer u WHERE u.account_id = ${ctx.sql.account} AND ${isPerson(person)}`,
  ),
  orders: ofSales(personTable('Order', 's'), {
    tables: [orderLine],
    added: sql`, (SELECT coalesce(json_agg(${orderLine.toJson()} ORDER BY l.position), '[]')
      FROM order_line l WHERE l.account_id = s.account_id AND l.order_id = s.id) AS lines`,
  }),
  transactions: ofSales(personTable('Transaction', 's')),
  invoices: ofSales(personTable('Invoice', 's', document)),
  credit_notes: ofSales(personTable('CreditNote', 's', document)),
  subscriptions: ofSales(personTable('BillingSubscription', 's')),
} as const satisfies PersonParts

/** Returns the e-mail addresses of the customers of a contact. */
export async function emailsOfCustomers(ctx: Ctx, contactId: number): Promise<string[]> {
  const rows = await ctx.sql<{ email: string }>`
    SELECT u.email FROM customer u WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = ${contactId}::int`
  return rows.map(({ email }) => email)
}
