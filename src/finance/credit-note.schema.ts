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
import { creditNoteList, invoiceList, numbers, orderList } from './index.ts'
import { InvoiceType } from './invoice.schema.ts'
import { OrderLineType, OrderType } from './order.schema.ts'

export const CreditNoteType = builder.objectRef<creditNoteList.CreditNote>('CreditNote').implement({
  description: 'What takes an invoice back, or a part of it. Its amounts are negative.',
  interfaces: [Node],
  fields: (t) => ({
    prefix: t.exposeString('prefix', { description: 'What stands before its number; may be empty.' }),
    number: t.string({
      description: 'Its number, six digits at least: without a gap among the credit notes of its prefix.',
      resolve: ({ number }) => numbers.shownNumber(number),
    }),
    type: t.exposeString('type', { description: "The invoice's type." }),
    reason: t.exposeString('reason', { description: 'Why; may be empty.' }),
    amount: t.field({ type: MoneyType, description: 'What it takes back without VAT.', resolve: (note) => note }),
    amountInclVat: t.field({
      type: MoneyType,
      description: 'What it takes back, VAT included.',
      resolve: ({ amountInclVat: amount, currency }) => ({ amount, currency }),
    }),
    lines: t.field({
      type: [OrderLineType],
      description: 'What it takes back.',
      complexity: listCost('lines'),
      resolve: async ({ id, currency }, _args, ctx) =>
        ((await ctx.load(creditNoteList.partsOf, id))?.lines ?? []).map((line) => ({ ...line, currency })),
    }),
    filename: t.string({
      description: "Where its PDF stands, relative to the account's document store.",
      resolve: (note) => numbers.fileOf('credit_note', note),
    }),
    downloadUrl: t.string({
      description: 'Where its PDF can be fetched during the next hour, by whoever has this address.',
      resolve: ({ documentId }, _args, ctx) => documents.linkTo(ctx, documentId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was issued.' }),
    invoice: t.field({
      type: InvoiceType,
      description: 'What it takes back.',
      resolve: async ({ invoiceId }, _args, ctx) => {
        const invoice = await ctx.load(invoiceList.byId, invoiceId)
        if (!invoice) throw new Error(`The invoice ${invoiceId} is gone.`)
        return invoice
      },
    }),
    order: t.field({
      type: OrderType,
      nullable: true,
      description: 'The order of the invoice; null where that has lines of its own.',
      resolve: ({ orderId }, _args, ctx) => (orderId === null ? null : ctx.load(orderList.byId, orderId)),
    }),
    ...customerFields(t),
  }),
})

nodeSource('CreditNote', 'finance:read', creditNoteList.byId)

export const CreditNoteConnection = connectionOf('CreditNote', CreditNoteType, 'credit notes')

export const CreditNoteFilter = builder.inputType('CreditNoteFilter', {
  description: 'Which credit notes a list is about; all conditions must hold.',
  fields: (t) => ({
    period: t.field({ type: PeriodType, description: "When they were issued, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
  }),
})

export const CreditNoteOrder = orderOf(
  'CreditNote',
  'credit notes',
  { CREATED_AT: 'When they were issued.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  creditNote: t.field({
    type: CreditNoteType,
    nullable: true,
    description: needing('finance:read', 'A credit note, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The credit note, by global id or integer.' }) },
    resolve: allowed('finance:read', (_root, { id }, ctx) => ctx.load(creditNoteList.byId, idOf('CreditNote', id))),
  }),
  creditNotes: t.field({
    type: CreditNoteConnection,
    description: needing('finance:read', 'The credit notes of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, CreditNoteFilter, CreditNoteOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_root, args, ctx) => creditNoteList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'creditNotes', (t) =>
  t.field({
    type: CreditNoteConnection,
    nullable: true,
    description: needing('finance:read', 'Its credit notes, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, CreditNoteFilter, CreditNoteOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_account, args, ctx) => creditNoteList.list(ctx, args)),
  }),
)

builder.prismaObjectField(ContactType, 'creditNotes', (t) =>
  t.field({
    type: CreditNoteConnection,
    nullable: true,
    description: needing('finance:read', 'What was credited to it, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, CreditNoteFilter, CreditNoteOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', ({ id }, args, ctx) => creditNoteList.listOf(ctx, 'contact', id, args)),
  }),
)

builder.objectField(CustomerType, 'creditNotes', (t) =>
  t.field({
    type: CreditNoteConnection,
    description: 'Its credit notes, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, CreditNoteFilter, CreditNoteOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => creditNoteList.listOf(ctx, 'customer', id, args),
  }),
)

builder.objectField(OrderType, 'creditNotes', (t) =>
  t.field({
    type: CreditNoteConnection,
    description: 'Its credit notes, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, CreditNoteFilter, CreditNoteOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => creditNoteList.listOf(ctx, 'order', id, args),
  }),
)

builder.objectField(InvoiceType, 'creditNotes', (t) =>
  t.field({
    type: CreditNoteConnection,
    description: 'Its credit notes, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, CreditNoteFilter, CreditNoteOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => creditNoteList.listOf(ctx, 'invoice', id, args),
  }),
)
