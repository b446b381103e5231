import { AccountType } from '../account/account.schema.ts'
import { documents } from '../account/index.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { MoneyType } from '../graphql/money.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { listCost } from '../graphql/sizes.ts'
import { idOf } from '../kernel/ids.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
import { invoiceList, invoices, numbers, orderList } from './index.ts'
import { OrderLineType, OrderType } from './order.schema.ts'

const InvoiceStatus = builder.enumType('InvoiceStatus', {
  description: 'Where an invoice stands.',
  values: {
    PAYMENT_DUE: { description: 'Nothing of it is paid.' },
    PARTIALLY_PAID: { description: 'A part of it is paid.' },
    PAID: { description: 'Nothing of it is open.' },
  },
})

export const InvoiceType = builder.objectRef<invoiceList.Invoice>('Invoice').implement({
  description: 'A bill, as it was issued: seller, buyer and lines stay as they stood then.',
  interfaces: [Node],
  fields: (t) => ({
    prefix: t.exposeString('prefix', { description: 'What stands before its number; may be empty.' }),
    number: t.string({
      description: 'Its number, six digits at least: without a gap among the invoices of its prefix.',
      resolve: ({ number }) => numbers.shownNumber(number),
    }),
    type: t.exposeString('type', { description: 'What kind of sale it bills, such as `one_time`.' }),
    status: t.expose('status', { type: InvoiceStatus, description: 'Where it stands.' }),
    amount: t.field({ type: MoneyType, description: 'What it comes to without VAT.', resolve: (invoice) => invoice }),
    amountInclVat: t.field({
      type: MoneyType,
      description: 'What it comes to, VAT included.',
      resolve: ({ amountInclVat: amount, currency }) => ({ amount, currency }),
    }),
    paidAmount: t.field({
      type: MoneyType,
      description: 'What was paid of it so far.',
      resolve: ({ paidAmount: amount, currency }) => ({ amount, currency }),
    }),
    openAmount: t.field({
      type: MoneyType,
      description: 'What is still to be paid: neither paid nor taken back by credit notes.',
      resolve: async (invoice, _args, ctx) => ({
        amount: (await invoices.openOf(ctx, invoice)).toString(),
        currency: invoice.currency,
      }),
    }),
    lines: t.field({
      type: [OrderLineType],
      description: 'What it bills.',
      complexity: listCost('lines'),
      resolve: async ({ id, currency }, _args, ctx) =>
        ((await ctx.load(invoiceList.partsOf, id))?.lines ?? []).map((line) => ({ ...line, currency })),
    }),
    filename: t.string({
      description: "Where its PDF stands, relative to the account's document store.",
      resolve: (invoice) => numbers.fileOf('invoice', invoice),
    }),
    downloadUrl: t.string({
      description: 'Where its PDF can be fetched during the next hour, by whoever has this address.',
      resolve: ({ documentId }, _args, ctx) => documents.linkTo(ctx, documentId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was issued.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    order: t.field({
      type: OrderType,
      nullable: true,
      description: 'What it bills; null where it has lines of its own.',
      resolve: ({ orderId }, _args, ctx) => (orderId === null ? null : ctx.load(orderList.byId, orderId)),
    }),
    ...customerFields(t),
  }),
})

nodeSource('Invoice', 'finance:read', invoiceList.byId)

export const InvoiceConnection = connectionOf('Invoice', InvoiceType, 'invoices')

export const InvoiceFilter = builder.inputType('InvoiceFilter', {
  description: 'Which invoices a list is about; all conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: InvoiceStatus, description: 'Those that stand here.' }),
    period: t.field({ type: PeriodType, description: "When they were issued, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
  }),
})

export const InvoiceOrder = orderOf(
  'Invoice',
  'invoices',
  { CREATED_AT: 'When they were issued.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  invoice: t.field({
    type: InvoiceType,
    nullable: true,
    description: needing('finance:read', 'An invoice, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The invoice, by global id or integer.' }) },
    resolve: allowed('finance:read', (_root, { id }, ctx) => ctx.load(invoiceList.byId, idOf('Invoice', id))),
  }),
  invoices: t.field({
    type: InvoiceConnection,
    description: needing('finance:read', 'The invoices of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, InvoiceFilter, InvoiceOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_root, args, ctx) => invoiceList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'invoices', (t) =>
  t.field({
    type: InvoiceConnection,
    nullable: true,
    description: needing('finance:read', 'Its invoices, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, InvoiceFilter, InvoiceOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_account, args, ctx) => invoiceList.list(ctx, args)),
  }),
)

builder.prismaObjectField(ContactType, 'invoices', (t) =>
  t.field({
    type: InvoiceConnection,
    nullable: true,
    description: needing('finance:read', 'What it was billed, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, InvoiceFilter, InvoiceOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', ({ id }, args, ctx) => invoiceList.listOf(ctx, 'contact', id, args)),
  }),
)

builder.objectField(CustomerType, 'invoices', (t) =>
  t.field({
    type: InvoiceConnection,
    description: 'Its invoices, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, InvoiceFilter, InvoiceOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => invoiceList.listOf(ctx, 'customer', id, args),
  }),
)

builder.objectField(OrderType, 'invoices', (t) =>
  t.field({
    type: InvoiceConnection,
    description: 'Its invoices, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, InvoiceFilter, InvoiceOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => invoiceList.listOf(ctx, 'order', id, args),
  }),
)
