import type { Customer } from '../../prisma/generated/client/client.ts'
import { type Ctx, one } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { type Sql, sql } from '../db/sql.ts'
import { createdIn, type PeriodFilter } from './period-filter.ts'

export type { Customer }

/** Filters a list of customers. A customer must match all given conditions. */
export interface CustomerFilter extends PeriodFilter {
  email?: string | null | undefined
}
type CustomerListArgs = ListArgs<CustomerFilter, 'CREATED_AT'>

export const customerColumns = sql`u.account_id AS "accountId", u.id, u.email, u.first_name AS "firstName",
  u.last_name AS "lastName", u.company_name AS "companyName", u.address, u.vat_number AS "vatNumber",
  u.contact_id AS "contactId", u.created_at AS "createdAt"`

/** All customers of an account. */
export const customers: List<Customer, CustomerFilter, 'CREATED_AT'> = {
  name: 'customers',
  columns: customerColumns,
  from: (ctx) => sql`FROM customer u WHERE u.account_id = ${ctx.sql.account}`,
  id: sql`u.id`,
  orders: { CREATED_AT: { by: sql`u.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: async (filter, ctx): Promise<Sql[]> => [
    ...(await createdIn(ctx, filter, sql`u.created_at`)),
    ...(filter.email == null ? [] : [sql`lower(u.email) = lower(${filter.email.trim()})`]),
  ],
}

const ofContact: Within = {
  name: 'contact',
  from: (ctx) => sql`FROM customer u WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = parent.id`,
}

/** Lists the account's customers, by default the newest first. Throws INVALID_PERIOD. */
export async function list(ctx: Ctx, args: CustomerListArgs): Promise<Page<Customer>> {
  return pageOf(ctx, customers, args)
}

/** Lists the customers of a contact: more than one if its e-mail address changed between purchases. */
export async function listOfContact(ctx: Ctx, contactId: number, args: CustomerListArgs): Promise<Page<Customer>> {
  return nestedPageOf(ctx, customers, ofContact, contactId, args)
}

/** Loads customers by id. */
export const byId = one<number, Customer>(async (ctx, ids) => {
  const rows = await ctx.sql<Customer>`
    SELECT ${customerColumns} FROM customer u WHERE u.account_id = ${ctx.sql.account} AND u.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})
