import { ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { accountList, connectionOf, listByParent } from '../graphql/connection.ts'
import { MoneyType, moneyField } from '../graphql/money.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { periodFields } from '../graphql/period.ts'
import { documentFields } from './billing-document.schema.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
import { invoiceList, invoices } from './index.ts'
import { OrderType } from './order.schema.ts'

const InvoiceStatus = builder.enumType('InvoiceStatus', {
  description: 'Payment status of an invoice.',
  values: {
    PAYMENT_DUE: { description: 'No payment was received.' },
    PARTIALLY_PAID: { description: 'A part of the invoice is paid.' },
    PAID: { description: 'The open amount is 0: the invoice is paid or credited.' },
  },
})

export const InvoiceType = builder.objectRef<invoiceList.Invoice>('Invoice').implement({
  description: 'An issued invoice. Seller, buyer and lines stay as they were at the time of issue.',
  interfaces: [Node],
  fields: (t) => ({
    ...documentFields(t, 'invoice', invoiceList.snapshotById),
    type: t.exposeString('type', { description: 'Kind of sale, such as `one_time`.' }),
    status: t.expose('status', { type: InvoiceStatus, description: 'Current status.' }),
    amount: moneyField(t, 'amount', 'Total without VAT.'),
    amountInclVat: moneyField(t, 'amountInclVat', 'Total with VAT.'),
    paidAmount: moneyField(t, 'paidAmount', 'Amount that was paid.'),
    openAmount: t.field({
      type: MoneyType,
      description: 'Amount that is neither paid nor credited by credit notes.',
      resolve: async (invoice, _args, ctx) => ({
        amount: (await invoices.computeOpenAmount(ctx, invoice)).toString(),
        currency: invoice.currency,
      }),
    }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change.' }),
    order: t.node('orderId', {
      type: OrderType,
      description: 'The billed order. Null if the invoice was issued for lines.',
    }),
    ...customerFields(t),
  }),
})

nodeSource(InvoiceType, 'finance:read', invoiceList.byId)

export const InvoiceFilter = builder.inputType('InvoiceFilterInput', {
  description: 'Filters a list of invoices. An invoice must match all given conditions.',
  fields: (t) => ({
    status: t.field({ type: InvoiceStatus, description: 'Returns only invoices with this status.' }),
    ...periodFields(t, 'Returns only invoices that were issued in this period'),
  }),
})

const InvoiceConnection = connectionOf(InvoiceType, {
  noun: 'invoices',
  filter: InvoiceFilter,
  orders: { CREATED_AT: 'Orders by `createdAt`.' },
})

builder.queryFields((t) => ({
  invoice: t.nodeById({
    type: InvoiceType,
    description: 'Returns an invoice. Null if the account has no invoice with this id.',
  }),
}))

accountList('invoices', InvoiceConnection, invoiceList.list)
listByParent(
  'invoices',
  InvoiceConnection,
  { contact: ContactType, customer: CustomerType, order: OrderType },
  invoiceList.listOf,
)
