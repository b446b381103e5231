import { AccountType } from '../account/account.schema.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { contactList } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { idOf } from '../kernel/ids.ts'
import { customerList } from './index.ts'

export const CustomerType = builder.objectRef<customerList.Customer>('Customer').implement({
  description: 'A buyer, identified by e-mail address.',
  interfaces: [Node],
  fields: (t) => ({
    email: t.exposeString('email', {
      description: 'E-mail address in its original case. Unique among customers, case-insensitive.',
    }),
    firstName: t.exposeString('firstName', { description: 'First name. Empty if unknown.' }),
    lastName: t.exposeString('lastName', { description: 'Last name. Empty if unknown.' }),
    companyName: t.exposeString('companyName', { description: 'Company name. Empty if unknown.' }),
    address: t.exposeString('address', {
      description: 'Postal address as it is printed on invoices, with line breaks. Empty if unknown.',
    }),
    vatNumber: t.exposeString('vatNumber', { description: 'VAT number. Empty if unknown.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: needing(
        'contacts:read',
        'The linked contact. A sale links the contact with the same e-mail address. Null if there is none.',
      ),
      resolve: allowed('contacts:read', ({ contactId }, _args, ctx) =>
        contactId === null ? null : ctx.load(contactList.byId, contactId),
      ),
    }),
  }),
})

nodeSource('Customer', 'finance:read', customerList.byId)

/** A row that belongs to a customer. */
interface CustomerOwned {
  readonly customerId: number
}

/** Loads the customer of a row. A foreign key guarantees that it exists. */
async function customerOf({ customerId }: CustomerOwned, _args: object, ctx: Ctx): Promise<customerList.Customer> {
  const customer = await ctx.load(customerList.byId, customerId)
  if (!customer) throw new Error(`Customer ${customerId} does not exist.`)
  return customer
}

/** The fields `customer` and `contact` of a type that belongs to a customer. */
export function customerFields<Row extends CustomerOwned>(
  t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Row>,
) {
  return {
    customer: t.field({
      type: CustomerType,
      description: 'The buyer.',
      resolve: (row, args, ctx) => customerOf(row as Row, args, ctx),
    }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: needing('contacts:read', 'The contact that is linked to the customer. Null if there is none.'),
      resolve: allowed('contacts:read', async (row, args: object, ctx) => {
        const { contactId } = await customerOf(row as Row, args, ctx)
        return contactId === null ? null : ctx.load(contactList.byId, contactId)
      }),
    }),
  }
}

export const CustomerConnection = connectionOf('Customer', CustomerType, 'customers')

export const CustomerFilter = builder.inputType('CustomerFilter', {
  description: 'Filters a list of customers. A customer must match all given conditions.',
  fields: (t) => ({
    period: t.field({
      type: PeriodType,
      description: "Returns only customers that were created in this period, in the account's time zone.",
    }),
    range: t.field({
      type: DateRangeInput,
      description: 'First and last day of the period. Required if `period` is BETWEEN, otherwise ignored.',
    }),
    email: t.string({ description: 'Returns only the customer with this e-mail address. Case-insensitive.' }),
  }),
})

const CustomerOrder = orderOf(
  'Customer',
  'customers',
  { CREATED_AT: 'Orders by `createdAt`.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  customer: t.field({
    type: CustomerType,
    nullable: true,
    description: needing('finance:read', 'Returns a customer. Null if the account has no customer with this id.'),
    args: { id: t.arg.id({ required: true, description: 'The customer, by global id or integer.' }) },
    resolve: allowed('finance:read', (_root, { id }, ctx) => ctx.load(customerList.byId, idOf('Customer', id))),
  }),
  customers: t.field({
    type: CustomerConnection,
    description: needing('finance:read', 'Lists the customers of the account. Default order: newest first.'),
    args: listArgs(t.arg, CustomerFilter, CustomerOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_root, args, ctx) => customerList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'customers', (t) =>
  t.field({
    type: CustomerConnection,
    nullable: true,
    description: needing('finance:read', 'The customers of the account. Default order: newest first.'),
    args: listArgs(t.arg, CustomerFilter, CustomerOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_account, args, ctx) => customerList.list(ctx, args)),
  }),
)

builder.prismaObjectField(ContactType, 'customers', (t) =>
  t.field({
    type: CustomerConnection,
    nullable: true,
    description: needing(
      'finance:read',
      'The customers that are linked to the contact: more than one if its e-mail address changed between purchases. Default order: newest first.',
    ),
    args: listArgs(t.arg, CustomerFilter, CustomerOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', ({ id }, args, ctx) => customerList.listOfContact(ctx, id, args)),
  }),
)
