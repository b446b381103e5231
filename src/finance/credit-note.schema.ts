import { ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { accountList, connectionOf, listByParent } from '../graphql/connection.ts'
import { moneyField } from '../graphql/money.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { periodFields } from '../graphql/period.ts'
import { documentFields } from './billing-document.schema.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
import { creditNoteList, invoiceList } from './index.ts'
import { InvoiceType } from './invoice.schema.ts'
import { OrderType } from './order.schema.ts'

export const CreditNoteType = builder.objectRef<creditNoteList.CreditNote>('CreditNote').implement({
  description: 'A document that credits all or a part of an invoice. Its amounts are negative.',
  interfaces: [Node],
  fields: (t) => ({
    ...documentFields(t, 'credit_note', creditNoteList.snapshotById),
    type: t.exposeString('type', { description: 'Kind of sale: the `type` of the invoice.' }),
    reason: t.exposeString('reason', { description: 'Reason of the credit. May be empty.' }),
    amount: moneyField(t, 'amount', 'Credited total without VAT, negative.'),
    amountInclVat: moneyField(t, 'amountInclVat', 'Credited total with VAT, negative.'),
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

export const CreditNoteFilter = builder.inputType('CreditNoteFilterInput', {
  description: 'Filters a list of credit notes. A credit note must match all given conditions.',
  fields: (t) => ({
    ...periodFields(t, 'Returns only credit notes that were issued in this period'),
  }),
})

const CreditNoteConnection = connectionOf(CreditNoteType, {
  noun: 'credit notes',
  filter: CreditNoteFilter,
  orders: { CREATED_AT: 'Orders by `createdAt`.' },
})

builder.queryFields((t) => ({
  creditNote: t.nodeById({
    type: CreditNoteType,
    description: 'Returns a credit note. Null if the account has no credit note with this id.',
  }),
}))

accountList('creditNotes', CreditNoteConnection, creditNoteList.list)
listByParent(
  'creditNotes',
  CreditNoteConnection,
  { contact: ContactType, customer: CustomerType, order: OrderType, invoice: InvoiceType },
  creditNoteList.listOf,
)
