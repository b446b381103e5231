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
  description: 'Whoever has bought or been billed, by e-mail address.',
  interfaces: [Node],
  fields: (t) => ({
    email: t.exposeString('email', { description: 'Unique among customers, whatever its case; kept as first given.' }),
    firstName: t.exposeString('firstName', { description: 'Empty where unknown.' }),
    lastName: t.exposeString('lastName', { description: 'Empty where unknown.' }),
    companyName: t.exposeString('companyName', { description: 'Empty where unknown.' }),
    address: t.exposeString('address', {
      description: 'As it stands on papers, with line breaks; empty where unknown.',
    }),
    vatNumber: t.exposeString('vatNumber', { description: 'Empty where unknown.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first heard of.' }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: needing(
        'contacts:read',
        'The contact of its address, as the last recording found it; null where there was none.',
      ),
      resolve: allowed('contacts:read', ({ contactId }, _args, ctx) =>
        contactId === null ? null : ctx.load(contactList.byId, contactId),
      ),
    }),
  }),
})

nodeSource('Customer', 'finance:read', customerList.byId)

/** What belongs to a customer. */
interface OfCustomer {
  readonly customerId: number
}

/** The customer of a row; there is none without. */
async function customerOf({ customerId }: OfCustomer, _args: object, ctx: Ctx): Promise<customerList.Customer> {
  const customer = await ctx.load(customerList.byId, customerId)
  if (!customer) throw new Error(`The customer ${customerId} is gone.`)
  return customer
}

/** The fields of a type that belongs to a customer: the customer, and the contact that stands beside it. */
export function customerFields<Row extends OfCustomer>(
  t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Row>,
) {
  return {
    customer: t.field({
      type: CustomerType,
      description: 'Whose it is.',
      resolve: (row, args, ctx) => customerOf(row as Row, args, ctx),
    }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: needing('contacts:read', "The customer's contact; null where there is none."),
      resolve: allowed('contacts:read', async (row, args: object, ctx) => {
        const { contactId } = await customerOf(row as Row, args, ctx)
        return contactId === null ? null : ctx.load(contactList.byId, contactId)
      }),
    }),
  }
}

export const CustomerConnection = connectionOf('Customer', CustomerType, 'customers')

export const CustomerFilter = builder.inputType('CustomerFilter', {
  description: 'Which customers a list is about; all conditions must hold.',
  fields: (t) => ({
    period: t.field({ type: PeriodType, description: "When they were first heard of, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
    email: t.string({ description: 'The one with this e-mail address, in whatever case.' }),
  }),
})

const CustomerOrder = orderOf(
  'Customer',
  'customers',
  { CREATED_AT: 'When they were first heard of.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  customer: t.field({
    type: CustomerType,
    nullable: true,
    description: needing('finance:read', 'A customer, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The customer, by global id or integer.' }) },
    resolve: allowed('finance:read', (_root, { id }, ctx) => ctx.load(customerList.byId, idOf('Customer', id))),
  }),
  customers: t.field({
    type: CustomerConnection,
    description: needing('finance:read', 'The customers of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, CustomerFilter, CustomerOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_root, args, ctx) => customerList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'customers', (t) =>
  t.field({
    type: CustomerConnection,
    nullable: true,
    description: needing('finance:read', 'Its customers, the newest first unless ordered otherwise.'),
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
      'The customers that it is, the newest first: more than one where its address changed between purchases.',
    ),
    args: listArgs(t.arg, CustomerFilter, CustomerOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', ({ id }, args, ctx) => customerList.listOfContact(ctx, id, args)),
  }),
)
