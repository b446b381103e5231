import type { Ctx } from '../db/context.ts'
import { newList, pagesOf, pagesWithin, type Within } from '../db/list.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { type RowOf, type Table, table } from '../db/table.ts'
import { createdIn, type PeriodFilter } from './period-filter.ts'

export const customerTable = table('Customer', 'u')
export type Customer = RowOf<typeof customerTable>

/** Filters a list of customers. A customer must match all given conditions. */
export interface CustomerFilter extends PeriodFilter {
  email?: string | null | undefined
}

/** Returns the words by which the customers of an alias are searched. */
export function customerDocument(alias: string): Sql {
  const names = ['email', 'first_name', 'last_name', 'company_name']
  return raw(`lower(${names.map((name) => `' ' || ${alias}.${name}`).join(' || ')})`)
}

/** All customers of an account. */
export const customers = newList(customerTable, {
  name: 'customers',
  orders: { CREATED_AT: 'createdAt' },
  where: async (filter: CustomerFilter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`u.created_at`)),
    ...(filter.email == null ? [] : [sql`lower(u.email) = lower(${filter.email.trim()})`]),
  ],
})

/** Lists the account's customers, by default the newest first. Throws INVALID_PERIOD. */
export const list = pagesOf(customers)

/** Lists the customers of a contact: more than one if its e-mail address changed between purchases. */
export const listOfContact = pagesWithin(customers, customerTable.within('contactId'))

/** Restricts a list of purchases to those of the customers of a contact. */
export function ofContact<Row extends { customerId: number }>({ alias, source }: Table<Row>): Within {
  const purchase = raw(alias)
  return {
    name: 'contact',
    from: (
      ctx: Ctx,
    ) => sql`FROM customer u JOIN ${source} ON ${purchase}.account_id = u.account_id AND ${purchase}.customer_id = u.id
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = parent.id`,
  }
}

/** Loads customers by id. */
export const { byId } = customerTable
