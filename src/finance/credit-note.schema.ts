import { AccountType } from '../account/account.schema.ts'
import { documents } from '../account/index.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { filterOf } from '../graphql/filter.ts'
import { MoneyType } from '../graphql/money.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { listCost } from '../graphql/sizes.ts'
import { CustomerType, customerFields, purchaseFilterFields, purchaseRelevance } from './customer.schema.ts'
import { creditNoteList, invoiceList, numbers } from './index.ts'
import { InvoiceType } from './invoice.schema.ts'
import { OrderLineType, OrderType } from './order.schema.ts'

export const CreditNoteType = builder.objectRef<creditNoteList.CreditNote>('CreditNote').implement({
  description: 'A document that credits all or a part of an invoice. Its amounts are negative.',
  interfaces: [Node],
  fields: (t) => ({
    prefix: t.exposeString('prefix', { description: 'Prefix of the number. May be empty.' }),
    number: t.string({
      description: 'Number without the prefix, at least six digits. Numbers of one prefix have no gaps.',
      resolve: ({ number }) => numbers.formatNumber(number),
    }),
    type: t.exposeString('type', { description: 'Kind of sale: the `type` of the invoice.' }),
    reason: t.exposeString('reason', { description: 'Reason of the credit. May be empty.' }),
    amount: t.field({ type: MoneyType, description: 'Credited total without VAT, negative.', resolve: (note) => note }),
    amountInclVat: t.field({
      type: MoneyType,
      description: 'Credited total with VAT, negative.',
      resolve: ({ amountInclVat: amount, currency }) => ({ amount, currency }),
    }),
    lines: t.field({
      type: [OrderLineType],
      description: 'Credited lines, with negative amounts.',
      complexity: listCost('lines'),
      resolve: async ({ id, currency }, _args, ctx) =>
        ((await ctx.load(creditNoteList.snapshotById, id))?.lines ?? []).map((line) => ({ ...line, currency })),
    }),
    filename: t.string({
      description: "Path of the PDF, relative to the account's document store.",
      resolve: (note) => numbers.pdfPath('credit_note', note),
    }),
    downloadUrl: t.string({
      description: 'URL of the PDF. It expires after one hour and needs no API key.',
      resolve: ({ documentId }, _args, ctx) => documents.linkTo(ctx, documentId),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of issue.' }),
    invoice: t.field({
      type: InvoiceType,
      description: 'The credited invoice.',
      resolve: async ({ invoiceId }, _args, ctx) => {
        const invoice = await ctx.load(invoiceList.byId, invoiceId)
        if (!invoice) throw new Error(`Invoice ${invoiceId} does not exist.`)
        return invoice
      },
    }),
    order: t.node('orderId', {
      type: OrderType,
      description: 'The order of the invoice. Null if the invoice was issued for lines.',
    }),
    ...customerFields(t),
  }),
})

nodeSource(CreditNoteType, 'finance:read', creditNoteList.byId)

export const CreditNoteFilter = filterOf('CreditNoteFilterInput', 'credit notes', creditNoteList.creditNoteFilter, {
  id: 'The credit note itself.',
  prefix: 'Prefix of the number.',
  number: 'Number without the prefix: 12 for `000012`.',
  type: 'Kind of sale, such as `one_time`.',
  reason: 'Reason for the credit note.',
  amount: 'Total without VAT, in the currency of each credit note. Negative.',
  amountInclVat: 'Total with VAT, in the currency of each credit note. Negative.',
  currency: 'Currency as a code of three letters, such as `EUR`.',
  createdAt: 'Time of issue.',
  orders: 'The order of the invoice.',
  invoices: 'The credited invoice.',
  search:
    'Words in any order: the number as it is printed, with or without its zeros and prefix (`CN-000012`, `CN-12`, `12`), the e-mail address, name and company of the buyer at the time of issue, and the e-mail address, names, company and VAT number of the customer.',
  ...purchaseFilterFields,
})

const CreditNoteConnection = connectionOf(CreditNoteType, {
  noun: 'credit notes',
  filter: CreditNoteFilter,
  orders: {
    CREATED_AT: 'Orders by `createdAt`.',
    AMOUNT_INCL_VAT:
      'Orders by `amountInclVat`, regardless of the currency. Ascending, the largest credits come first.',
    RELEVANCE: purchaseRelevance,
  },
})

builder.queryFields((t) => ({
  creditNote: t.nodeById({
    type: CreditNoteType,
    description: 'Returns a credit note. Null if the account has no credit note with this id.',
  }),
  creditNotes: t.connection(CreditNoteConnection, {
    description: 'Lists the credit notes of the account. Default order: newest first.',
    resolve: (_root, args, ctx) => creditNoteList.list(ctx, args),
  }),
}))

builder.prismaObjectField(AccountType, 'creditNotes', (t) =>
  t.connection(CreditNoteConnection, {
    description: 'The credit notes of the account. Default order: newest first.',
    resolve: (_account, args, ctx) => creditNoteList.list(ctx, args),
  }),
)

builder.prismaObjectField(ContactType, 'creditNotes', (t) =>
  t.connection(CreditNoteConnection, {
    description: 'The credit notes of the contact. Default order: newest first.',
    resolve: ({ id }, args, ctx) => creditNoteList.listOf(ctx, 'contact', id, args),
  }),
)

builder.objectField(CustomerType, 'creditNotes', (t) =>
  t.connection(CreditNoteConnection, {
    description: 'The credit notes of the customer. Default order: newest first.',
    resolve: ({ id }, args, ctx) => creditNoteList.listOf(ctx, 'customer', id, args),
  }),
)

builder.objectField(OrderType, 'creditNotes', (t) =>
  t.connection(CreditNoteConnection, {
    description: 'The credit notes of the order. Default order: newest first.',
    resolve: ({ id }, args, ctx) => creditNoteList.listOf(ctx, 'order', id, args),
  }),
)

builder.objectField(InvoiceType, 'creditNotes', (t) =>
  t.connection(CreditNoteConnection, {
    description: 'The credit notes of the invoice. Default order: newest first.',
    resolve: ({ id }, args, ctx) => creditNoteList.listOf(ctx, 'invoice', id, args),
  }),
)
