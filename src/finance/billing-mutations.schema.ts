import { mutation, type Payload } from '../graphql/mutation.ts'
import { CreditNoteType } from './credit-note.schema.ts'
import * as creditNotes from './credit-notes.ts'
import { InvoiceType } from './invoice.schema.ts'
import type * as invoiceList from './invoice-list.ts'
import * as invoices from './invoices.ts'
import {
  alsoNeeds,
  createContact,
  createdAt,
  currency,
  lines,
  optionalCustomer,
  pricesInclVat,
  providerEventField,
} from './recording.schema.ts'
import { TransactionStatus, TransactionType } from './transaction.schema.ts'
import type * as transactionList from './transaction-list.ts'
import * as transactions from './transactions.ts'

const transactionPayload = (t: Payload<{ transaction: transactionList.Transaction }>) => ({
  transaction: t.expose('transaction', { type: TransactionType, description: 'The transaction after the change.' }),
})

const invoicePayload = (t: Payload<{ invoice: invoiceList.Invoice }>) => ({
  invoice: t.expose('invoice', { type: InvoiceType, description: 'The invoice after the change.' }),
})

mutation('transactionRecord', {
  needs: 'finance:write',
  alsoNeeds,
  description:
    'Records a payment. A completed transaction pays its invoice. Returns NOT_FOUND for an order, invoice or subscription that does not exist, and VALIDATION_ERROR for invalid input, also if another transaction has the same `idTransaction` and if the amount exceeds the open amount of the invoice.',
  input: (t) => ({
    idTransaction: t.string({
      required: true,
      description: "The payment provider's id of the transaction. Unique in the account. Maximum 255 characters.",
    }),
    customer: optionalCustomer(t, 'The buyer. Defaults to the customer of the order, invoice or subscription.'),
    createContact: createContact(t),
    orderId: t.id({ description: 'The paid order, by global id or integer.' }),
    invoiceId: t.id({ description: 'The paid invoice, by global id or integer.' }),
    subscriptionId: t.id({ description: 'The paid subscription, by global id or integer.' }),
    status: t.field({ type: TransactionStatus, description: 'Status of the transaction. Defaults to WAITING.' }),
    type: t.string({ description: 'Kind of payment. Defaults to `one_time`. Maximum 255 characters.' }),
    amount: t.field({ type: 'Decimal', required: true, description: 'Amount of the payment.' }),
    currency: currency(t, 'that of the order, invoice or subscription, or else of the account'),
    createdAt: createdAt(t),
    ...providerEventField(t),
  }),
  run: transactions.record,
  payload: transactionPayload,
})

mutation('transactionUpdate', {
  needs: 'finance:write',
  description:
    'Changes the status of a transaction: from WAITING to PROCESSING, COMPLETED, CANCELLED or ERROR; from PROCESSING to COMPLETED, CANCELLED or ERROR; from COMPLETED to REFUNDED. Returns INVALID_STATE for any other transition. A completed transaction pays its invoice; a refund does not change the invoice.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The transaction, by global id or integer.' }),
    status: t.field({ type: TransactionStatus, required: true, description: 'New status.' }),
    ...providerEventField(t),
  }),
  run: transactions.update,
  payload: transactionPayload,
})

mutation('invoiceIssue', {
  needs: 'finance:write',
  alsoNeeds,
  description:
    'Issues an invoice with the next number of its prefix and a PDF, for an order or for a customer and lines. Returns INVALID_STATE for a cancelled order.',
  input: (t) => ({
    orderId: t.id({
      description:
        'The order to bill, by global id or integer. Not allowed together with `customer`, `lines`, `pricesInclVat` or `currency`.',
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
    id: t.id({ required: true, description: 'The invoice, by global id or integer.' }),
    amount: t.field({
      type: 'Decimal',
      description: 'Amount of the payment, in the currency of the invoice. Defaults to the open amount.',
    }),
    ...providerEventField(t),
  }),
  run: invoices.pay,
  payload: invoicePayload,
})

mutation('creditNoteIssue', {
  needs: 'finance:write',
  description:
    'Issues a credit note for all or a part of the remaining amount of an invoice, with the next number of its prefix and a PDF. The credited amount is no longer open. Returns VALIDATION_ERROR if the credit exceeds the remaining amount, in total or of a VAT rate.',
  input: (t) => ({
    invoiceId: t.id({ required: true, description: 'The invoice, by global id or integer.' }),
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
