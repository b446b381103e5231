import { contactList } from '../../contacts/index.ts'
import { ContactType } from '../../contacts/people/contact.schema.ts'
import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { filterOf, relevanceDescription } from '../../graphql/schema/filter.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import * as customerList from './customer-list.ts'

export const CustomerType = builder.objectRef<customerList.Customer>('Customer').implement({
  description: 'A buyer, identified by e-mail address.',
  interfaces: [Node],
  fields: (t) => ({
    email: t.exposeString('email', {
      description: 'E-mail address as it was sent first. Unique among customers in all its spellings.',
    }),
    firstName: t.exposeString('firstName', { description: 'First name. Empty if unknown.' }),
    lastName: t.exposeString('lastName', { description: 'Last name. Empty if unknown.' }),
    companyName: t.exposeString('companyName', { description: 'Company name. Empty if unknown.' }),
    address: t.exposeString('address', {
      description: 'Postal address as it is printed on invoices, with line breaks. Empty if unknown.',
    }),
    vatNumber: t.exposeString('vatNumber', { description: 'VAT number. Empty if unknown.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    contact: t.node('contactId', {
      type: ContactType,
      description: 'The linked contact. A sale links the contact with the same e-mail address. Null if there is none.',
    }),
  }),
})

nodeSource(CustomerType, 'finance:read', customerList.byId)

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
      description: 'The contact that is linked to the customer. Null if there is none.',
      resolve: async (row, args: object, ctx) => {
        const { contactId } = await customerOf(row as Row, args, ctx)
        return contactId === null ? null : ctx.load(contactList.byId, contactId)
      },
    }),
  }
}

export const CustomerFilter = filterOf('CustomerFilterInput', 'customers', customerList.customerFilter, {
  id: 'The customer itself.',
  email: 'E-mail address.',
  firstName: 'First name.',
  lastName: 'Last name.',
  companyName: 'Company name.',
  vatNumber: 'VAT number.',
  address: 'Postal address.',
  createdAt: 'Time of creation.',
  contacts: 'The linked contact.',
  search: 'Words in any order, in the e-mail address, names, company and VAT number.',
})

/** The descriptions of the fields `customers` and `contacts` of the filters of purchases. */
export const purchaseFilterFields = {
  customers: 'The buyer.',
  contacts: 'The contact that is linked to the buyer.',
}

/** Describes the order by relevance of purchases. */
export const purchaseRelevance =
  'By the match of `filter.search`, which is required, with the row itself: whole words first, then beginnings of words. Rows that only their customer matches come last, newest first. The default order of a search.'

const CustomerConnection = connectionOf(CustomerType, {
  noun: 'customers',
  filter: CustomerFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    EMAIL: 'E-mail address, regardless of case.',
    LAST_NAME: 'Last name, in the order of a dictionary. Customers without one come first in ascending order.',
    RELEVANCE: relevanceDescription,
  },
})

builder.queryFields((t) => ({
  customer: t.nodeById({
    type: CustomerType,
    description: 'Returns a customer. Null if the account has no customer with this id.',
  }),
}))

builder.prismaObjectField(ContactType, 'customers', (t) =>
  t.connection(CustomerConnection, {
    description:
      'The customers that are linked to the contact: more than one if its e-mail address changed between purchases. Default order: newest first.',
    resolve: ({ id }, args, ctx) => customerList.listOfContact(ctx, id, args),
  }),
)

accountList('customers', CustomerConnection, customerList.list)
