import { ContactType } from '../../contacts/people/contact.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf, listByParent } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterOf } from '../../graphql/schema/filter.ts'
import { moneyField } from '../../graphql/schema/money.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { CustomerType, customerFields, purchaseFilterFields, purchaseRelevance } from '../customers/customer.schema.ts'
import { OrderType, VatCalculationType } from '../orders/order.schema.ts'
import { lines, providerEventField } from '../recording/recording.schema.ts'
import { documentFields } from './billing-document.schema.ts'
import * as creditNoteList from './credit-note-list.ts'
import * as creditNotes from './credit-notes.ts'
import { InvoiceType } from './invoice.schema.ts'
import * as invoiceList from './invoice-list.ts'

export const CreditNoteType = builder.objectRef<creditNoteList.CreditNote>('CreditNote').implement({
  description: 'A document that credits all or a part of an invoice. Its amounts are negative.',
  interfaces: [Node],
  fields: (t) => ({
    ...documentFields(t, 'credit_note', creditNoteList.snapshotById),
    type: t.exposeString('type', { description: 'Kind of sale: the `type` of the invoice.' }),
    reason: t.exposeString('reason', { description: 'Reason of the credit. May be empty.' }),
    vatCalculation: t.expose('vatCalculation', {
      type: VatCalculationType,
      description: 'How the VAT of the lines is calculated: as on the invoice.',
    }),
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
    CREATED_AT: 'Time of issue.',
    AMOUNT_INCL_VAT:
      'Credited total with VAT, regardless of the currency. It is negative: the largest credits come first in ascending order.',
    RELEVANCE: purchaseRelevance,
  },
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

mutation('creditNoteIssue', {
  needs: 'finance:write',
  description:
    'Issues a credit note for all or a part of the remaining amount of an invoice, with the next number of its prefix and a PDF. The credited amount is no longer open. Returns VALIDATION_ERROR if the credit exceeds the remaining amount, in total or of a VAT rate.',
  input: (t) => ({
    invoiceId: t.id(requiredId('the invoice')),
    lines: lines(
      t,
      'Lines to credit, with positive prices: with VAT if those of the invoice are. Only VAT rates of the invoice, each at most with what is left of it. Maximum 500.',
    ),
    amount: t.field({
      type: 'Decimal',
      description:
        'Amount to credit, VAT included. It is apportioned among the VAT rates of the invoice. Not allowed together with `lines`. Without both, the whole remaining amount is credited.',
    }),
    reason: t.string({ description: 'Reason of the credit. Maximum 1,000 characters.' }),
    ...providerEventField(t),
  }),
  run: creditNotes.issue,
  payload: (t) => ({
    creditNote: t.expose('creditNote', { type: CreditNoteType, description: 'The issued credit note.' }),
  }),
})
