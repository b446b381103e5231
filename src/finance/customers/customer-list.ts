import type { Ctx } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, member, reference, text, time } from '../../db/filters/filter-fields.ts'
import { sortedText } from '../../db/filters/value-conditions.ts'
import { type InnerList, newList } from '../../db/lists/list.ts'
import { pagesOf, pagesWithin } from '../../db/lists/pages.ts'
import { documentOf, hintOf, relevance, search, searchedEmailAddress, searchedText } from '../../db/lists/search.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, type Table, table } from '../../db/table.ts'

const customerTable = table('Customer', 'u')
export type Customer = RowOf<typeof customerTable>

/** The words of a customer by which it and its purchases are searched. */
const document = documentOf(sql`u.email`, sql`u.first_name`, sql`u.last_name`, sql`u.company_name`, sql`u.vat_number`)

/** The filter of customers. */
export const customerFilter = filterOn(customerTable, {
  id: identity('Customer'),
  email: searchedEmailAddress(document, sql`u.email`),
  firstName: searchedText(document, sql`u.first_name`),
  lastName: text(sql`u.last_name`, sortedText(sql`u.last_name`, hintOf(document))),
  companyName: searchedText(document, sql`u.company_name`),
  vatNumber: searchedText(document, sql`u.vat_number`),
  ...onColumns(text, customerTable, 'address'),
  ...onColumns(time, customerTable, 'createdAt'),
  contacts: reference('Contact', sql`u.contact_id`, 'contacts:read'),
  search: search(document),
})

/** All customers of an account. */
export const customers = newList(customerTable, {
  name: 'customers',
  orders: {
    CREATED_AT: 'createdAt',
    EMAIL: { by: sql`address_key(u.email)`, kind: 'text' },
    LAST_NAME: 'lastName',
    RELEVANCE: relevance(document),
  },
  filter: customerFilter,
})

/** Lists the account's customers, by default the newest first. Throws INVALID_PERIOD. */
export const list = pagesOf(customers)

/** Lists the customers of a contact: more than one if its e-mail address changed between purchases. */
export const listOfContact = pagesWithin(customers, customerTable.within('contactId'))

/** Returns `FROM … WHERE account_id = …`, all purchases with their customer `u`. */
function fromCustomers<Row>({ alias, source }: Table<Row>, ctx: Ctx): Sql {
  const purchase = raw(alias)
  return sql`FROM customer u JOIN ${source} ON ${purchase}.account_id = u.account_id AND ${purchase}.customer_id = u.id
    WHERE u.account_id = ${ctx.sql.account}`
}

/** Restricts a list of purchases to those of the customers of a contact. */
export function ofContact<Row extends { customerId: number }>(purchases: Table<Row>): InnerList {
  return {
    name: 'contact',
    from: (ctx) => sql`${fromCustomers(purchases, ctx)} AND u.contact_id = parent.id`,
  }
}

/** Selects the contact (`id`) of the customer of each purchase (`via`), if it is linked to one. */
export function contactsOf<Row extends { id: number; customerId: number }>(purchases: Table<Row>) {
  return (ctx: Ctx, ids: readonly number[]): Sql =>
    sql`SELECT u.contact_id AS id, ${purchases.field('id')} AS via ${fromCustomers(purchases, ctx)}
      AND ${purchases.field('id')} = ANY(${ids}::int[]) AND u.contact_id IS NOT NULL`
}

/** The fields that the filters of all purchases have. `words` are those of a purchase by which it is searched. */
export function purchaseFields<Row extends { id: number; customerId: number }>(purchases: Table<Row>, words: Sql) {
  const ofCustomers = (ctx: Ctx, condition: Sql) =>
    sql`SELECT ${purchases.field('id')} ${fromCustomers(purchases, ctx)} AND ${condition}`
  const isOf = (ids?: readonly number[]) =>
    ids ? sql`u.contact_id = ANY(${ids}::int[])` : sql`u.contact_id IS NOT NULL`
  return {
    customers: reference('Customer', purchases.field('customerId')),
    contacts: member('Contact', (ctx, ids) => ofCustomers(ctx, isOf(ids)), 'contacts:read'),
    search: search(words, [(ctx, matches) => ofCustomers(ctx, matches(document))]),
  }
}

/** Loads customers by id. */
export const { byId } = customerTable
