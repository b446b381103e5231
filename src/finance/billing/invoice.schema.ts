import { ContactType } from '../../contacts/people/contact.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf, listByParent } from '../../graphql/schema/connection.ts'
import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { MoneyType, moneyField } from '../../graphql/schema/money.ts'
import { mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { CustomerType, customerFields, purchaseFilterFields, purchaseRelevance } from '../customers/customer.schema.ts'
import { OrderType, VatCalculationType } from '../orders/order.schema.ts'
import {
  alsoNeeds,
  createContact,
  currency,
  lines,
  optionalCustomer,
  pricesInclVat,
  providerEventField,
} from '../recording/recording.schema.ts'
import { documentFields } from './billing-document.schema.ts'
import * as invoiceList from './invoice-list.ts'
import * as invoices from './invoices.ts'

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
    vatCalculation: t.expose('vatCalculation', {
      type: VatCalculationType,
      description: 'How the VAT of the lines is calculated, as at the time of issue.',
    }),
    amount: moneyField(t, 'amount', 'Total without VAT.'),
    amountInclVat: moneyField(t, 'amountInclVat', 'Total with VAT.'),
    paidAmount: moneyField(t, 'paidAmount', 'Amount that was paid.'),
    creditedAmount: t.field({
      type: MoneyType,
      description: 'Amount that credit notes credited, VAT included. The invoice itself never changes.',
      resolve: async ({ id, currency }, _args, ctx) => ({
        amount: (await ctx.load(invoiceList.creditedAmountById, id)) ?? '0',
        currency,
      }),
    }),
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
    CREATED_AT: 'Time of issue.',
    UPDATED_AT: 'Time of the last change.',
    AMOUNT_INCL_VAT: 'Total with VAT, regardless of the currency.',
    STATUS: 'Status, alphabetically.',
    RELEVANCE: purchaseRelevance,
  },
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

const invoicePayload = (t: Payload<{ invoice: invoiceList.Invoice }>) => ({
  invoice: t.expose('invoice', { type: InvoiceType, description: 'The invoice after the change.' }),
})

mutation('invoiceIssue', {
  needs: 'finance:write',
  alsoNeeds,
  description:
    'Issues an invoice with the next number of its prefix and a PDF, for an order or for a customer and lines. Returns INVALID_STATE for a cancelled order.',
  input: (t) => ({
    orderId: t.id({
      description: `${idText('the order to bill')} Not allowed together with \`customer\`, \`lines\`, \`pricesInclVat\` or \`currency\`.`,
    }),
    customer: optionalCustomer(t, 'The buyer. Required without `orderId`.'),
    createContact: createContact(t),
    lines: lines(t, 'Lines of the invoice. Maximum 500. Required without `orderId`.'),
    pricesInclVat: pricesInclVat(t, ' An order has its own setting.'),
    currency: currency(t, "the account's"),
    type: t.string({ description: 'Kind of sale. Defaults to `one_time`. Maximum 255 characters.' }),
    prefix: t.string({ description: 'Prefix of the number. Defaults to that of the billing profile.' }),
    ...providerEventField(t),
  }),
  run: invoices.issue,
  payload: invoicePayload,
})

mutation('invoicePay', {
  needs: 'finance:write',
  description:
    'Adds a payment to an invoice. A transaction with the `invoiceId` pays the invoice too; do not use both for one payment. Returns INVALID_STATE if the invoice is paid, and VALIDATION_ERROR if the amount exceeds the open amount.',
  input: (t) => ({
    id: t.id(requiredId('the invoice')),
    amount: t.field({
      type: 'Decimal',
      description: 'Amount of the payment, in the currency of the invoice. Defaults to the open amount.',
    }),
    ...providerEventField(t),
  }),
  run: invoices.pay,
  payload: invoicePayload,
})
