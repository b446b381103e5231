import { AccountType } from '../account/account.schema.ts'
import { documents } from '../account/index.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { filterKind, filterOf } from '../graphql/filter.ts'
import { MoneyType } from '../graphql/money.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { listCost } from '../graphql/sizes.ts'
import { CustomerType, customerFields, purchaseFilterFields, purchaseRelevance } from './customer.schema.ts'
import { invoiceList, invoices, numbers } from './index.ts'
import { OrderLineType, OrderType } from './order.schema.ts'

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
    prefix: t.exposeString('prefix', { description: 'Prefix of the number. May be empty.' }),
    number: t.string({
      description: 'Number without the prefix, at least six digits. Numbers of one prefix have no gaps.',
      resolve: ({ number }) => numbers.formatNumber(number),
    }),
    type: t.exposeString('type', { description: 'Kind of sale, such as `one_time`.' }),
    status: t.expose('status', { type: InvoiceStatus, description: 'Current status.' }),
    amount: t.field({ type: MoneyType, description: 'Total without VAT.', resolve: (invoice) => invoice }),
    amountInclVat: t.field({
      type: MoneyType,
      description: 'Total with VAT.',
      resolve: ({ amountInclVat: amount, currency }) => ({ amount, currency }),
    }),
    paidAmount: t.field({
      type: MoneyType,
      description: 'Amount that was paid.',
      resolve: ({ paidAmount: amount, currency }) => ({ amount, currency }),
    }),
    openAmount: t.field({
      type: MoneyType,
      description: 'Amount that is neither paid nor credited by credit notes.',
      resolve: async (invoice, _args, ctx) => ({
        amount: (await invoices.computeOpenAmount(ctx, invoice)).toString(),
        currency: invoice.currency,
      }),
    }),
    lines: t.field({
      type: [OrderLineType],
      description: 'Lines of the invoice.',
      complexity: listCost('lines'),
      resolve: async ({ id, currency }, _args, ctx) =>
        ((await ctx.load(invoiceList.snapshotById, id))?.lines ?? []).map((line) => ({ ...line, currency })),
    }),
    filename: t.string({
      description: "Path of the PDF, relative to the account's document store.",
      resolve: (invoice) => numbers.pdfPath('invoice', invoice),
    }),
    downloadUrl: t.string({
      description: 'URL of the PDF. It expires after one hour and needs no API key.',
      resolve: ({ documentId }, _args, ctx) => documents.linkTo(ctx, documentId),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of issue.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change.' }),
    order: t.node('orderId', {
      type: OrderType,
      description: 'The billed order. Null if the invoice was issued for lines.',
    }),
    ...customerFields(t),
  }),
})

nodeSource(InvoiceType, 'finance:read', invoiceList.byId)

filterKind('enum InvoiceStatus', [InvoiceStatus])

export const InvoiceFilter = filterOf('InvoiceFilterInput', 'invoices', invoiceList.invoiceFilter, {
  id: 'The invoice itself.',
  prefix: 'Prefix of the number.',
  number: 'Number without the prefix: 12 for `000012`.',
  type: 'Kind of sale, such as `one_time`.',
  status: 'One of these statuses.',
  amount: 'Total without VAT, in the currency of each invoice.',
  amountInclVat: 'Total with VAT, in the currency of each invoice.',
  paidAmount: 'Amount that was paid, in the currency of each invoice.',
  currency: 'Currency as a code of three letters, such as `EUR`.',
  createdAt: 'Time of issue.',
  updatedAt: 'Time of the last change.',
  orders: 'The billed order.',
  search:
    'Words in any order: the number as it is printed, with or without its zeros and prefix (`INV-000012`, `INV-12`, `12`), the e-mail address, name and company of the buyer at the time of issue, and the e-mail address, names, company and VAT number of the customer.',
  ...purchaseFilterFields,
})

const InvoiceConnection = connectionOf(InvoiceType, {
  noun: 'invoices',
  filter: InvoiceFilter,
  orders: {
    CREATED_AT: 'Orders by `createdAt`.',
    UPDATED_AT: 'Orders by `updatedAt`.',
    AMOUNT_INCL_VAT: 'Orders by `amountInclVat`, regardless of the currency.',
    STATUS: 'Orders by `status`, alphabetically.',
    RELEVANCE: purchaseRelevance,
  },
})

builder.queryFields((t) => ({
  invoice: t.nodeById({
    type: InvoiceType,
    description: 'Returns an invoice. Null if the account has no invoice with this id.',
  }),
  invoices: t.connection(InvoiceConnection, {
    description: 'Lists the invoices of the account. Default order: newest first.',
    resolve: (_root, args, ctx) => invoiceList.list(ctx, args),
  }),
}))

builder.prismaObjectField(AccountType, 'invoices', (t) =>
  t.connection(InvoiceConnection, {
    description: 'The invoices of the account. Default order: newest first.',
    resolve: (_account, args, ctx) => invoiceList.list(ctx, args),
  }),
)

builder.prismaObjectField(ContactType, 'invoices', (t) =>
  t.connection(InvoiceConnection, {
    description: 'The invoices of the contact. Default order: newest first.',
    resolve: ({ id }, args, ctx) => invoiceList.listOf(ctx, 'contact', id, args),
  }),
)

builder.objectField(CustomerType, 'invoices', (t) =>
  t.connection(InvoiceConnection, {
    description: 'The invoices of the customer. Default order: newest first.',
    resolve: ({ id }, args, ctx) => invoiceList.listOf(ctx, 'customer', id, args),
  }),
)

builder.objectField(OrderType, 'invoices', (t) =>
  t.connection(InvoiceConnection, {
    description: 'The invoices of the order. Default order: newest first.',
    resolve: ({ id }, args, ctx) => invoiceList.listOf(ctx, 'order', id, args),
  }),
)
