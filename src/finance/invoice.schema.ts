import { AccountType } from '../account/account.schema.ts'
import { documents } from '../account/index.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { MoneyType } from '../graphql/money.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { PeriodType, rangeOfPeriod } from '../graphql/period.ts'
import { listCost } from '../graphql/sizes.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
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

export const InvoiceFilter = builder.inputType('InvoiceFilterInput', {
  description: 'Filters a list of invoices. An invoice must match all given conditions.',
  fields: (t) => ({
    status: t.field({ type: InvoiceStatus, description: 'Returns only invoices with this status.' }),
    period: t.field({
      type: PeriodType,
      description: "Returns only invoices that were issued in this period, in the account's time zone.",
    }),
    range: t.field(rangeOfPeriod),
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
