import type { Schema } from '../graphql/builder.ts'
import { asOfNow, mutation } from '../graphql/mutation.ts'
import { CreditNoteType } from './credit-note.schema.ts'
import { creditNoteList, creditNotes, invoiceList, invoices, transactionList, transactions } from './index.ts'
import { InvoiceType } from './invoice.schema.ts'
import { alsoNeeds, createContact, createdAt, currency, lines, optionalCustomer, reported } from './recording.schema.ts'
import { TransactionStatus, TransactionType } from './transaction.schema.ts'

const changedTransaction = (
  t: PothosSchemaTypes.ObjectFieldBuilder<Schema, { transaction: transactionList.Transaction }>,
) => ({
  transaction: t.field({
    type: TransactionType,
    description: 'The transaction after this.',
    resolve: asOfNow(
      transactionList.byId,
      (result: { transaction: transactionList.Transaction }) => result.transaction,
    ),
  }),
})

const changedInvoice = (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, { invoice: invoiceList.Invoice }>) => ({
  invoice: t.field({
    type: InvoiceType,
    description: 'The invoice after this.',
    resolve: asOfNow(invoiceList.byId, (result: { invoice: invoiceList.Invoice }) => result.invoice),
  }),
})

mutation('transactionRecord', {
  needs: 'finance:write',
  alsoNeeds,
  description:
    'Records money that moves. Completed, it pays the invoice it names. Fails with NOT_FOUND for an order, invoice or subscription that is not there, and with VALIDATION_ERROR, also for an `idTransaction` that is taken and for more than the invoice has open.',
  input: (t) => ({
    idTransaction: t.string({
      required: true,
      description: "The payment provider's own name for it: 255 characters at most.",
    }),
    customer: optionalCustomer(t, 'Whose it is. Where absent, the order, invoice or subscription tells.'),
    createContact: createContact(t),
    orderId: t.id({ description: 'The order it pays for, by global id or integer.' }),
    invoiceId: t.id({ description: 'The invoice it pays, by global id or integer.' }),
    subscriptionId: t.id({ description: 'The subscription it pays for, by global id or integer.' }),
    status: t.field({ type: TransactionStatus, description: 'WAITING where absent.' }),
    type: t.string({ description: 'What kind of payment it is: `one_time` where absent.' }),
    amount: t.field({ type: 'Decimal', required: true, description: 'How much.' }),
    currency: currency(t, 'that of what it pays for, or the account’s'),
    createdAt: createdAt(t),
    ...reported(t),
  }),
  run: transactions.record,
  payload: changedTransaction,
})

mutation('transactionUpdate', {
  needs: 'finance:write',
  description:
    'Moves a transaction on: from WAITING to PROCESSING, COMPLETED, CANCELLED or ERROR, from PROCESSING to the last three, from COMPLETED to REFUNDED. Anything else is NOT_FOUND. Completed, it pays the invoice it names.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The transaction, by global id or integer.' }),
    status: t.field({ type: TransactionStatus, required: true, description: 'Where it is to stand.' }),
    ...reported(t),
  }),
  run: transactions.update,
  payload: changedTransaction,
})

mutation('invoiceIssue', {
  needs: 'finance:write',
  alsoNeeds,
  description:
    'Issues an invoice with the next number of its prefix, and its PDF: for an order, or for a customer with lines. A cancelled order is NOT_FOUND.',
  input: (t) => ({
    orderId: t.id({
      description: 'The order to bill, by global id or integer. Goes without customer, lines, currency.',
    }),
    customer: optionalCustomer(t, 'Whom to bill. Required where there is no order.'),
    createContact: createContact(t),
    lines: lines(t, 'What to bill: 500 at most. Required where there is no order.'),
    currency: currency(t, "the account's"),
    type: t.string({ description: 'What kind of sale it bills: `one_time` where absent.' }),
    prefix: t.string({ description: "What stands before its number: the billing profile's where absent." }),
    ...reported(t),
  }),
  run: invoices.issue,
  payload: changedInvoice,
})

mutation('invoicePay', {
  needs: 'finance:write',
  description:
    'Pays an invoice, or a part of it. One that is paid is NOT_FOUND; more than is open is VALIDATION_ERROR. A transaction that names the invoice pays it too, and needs nothing of this.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The invoice, by global id or integer.' }),
    amount: t.field({ type: 'Decimal', description: 'How much, in its currency: all that is open where absent.' }),
    ...reported(t),
  }),
  run: invoices.pay,
  payload: changedInvoice,
})

mutation('creditNoteIssue', {
  needs: 'finance:write',
  description:
    'Takes an invoice back, all that is left of it or a part, with the next number of its prefix, and its PDF. More than is left is VALIDATION_ERROR. What it takes back is no longer open.',
  input: (t) => ({
    invoiceId: t.id({ required: true, description: 'The invoice, by global id or integer.' }),
    lines: lines(t, 'What to take back, as positive prices: 500 at most.'),
    amount: t.field({
      type: 'Decimal',
      description:
        "How much to take back, VAT included, shared among the invoice's rates in proportion. Goes without lines; without both it is all that is left.",
    }),
    reason: t.string({ description: 'Why: 1,000 characters at most.' }),
    ...reported(t),
  }),
  run: creditNotes.issue,
  payload: (t) => ({
    creditNote: t.field({
      type: CreditNoteType,
      description: 'The credit note.',
      resolve: asOfNow(creditNoteList.byId, (result: { creditNote: creditNoteList.CreditNote }) => result.creditNote),
    }),
  }),
})
