import { page, route } from '../envelope/route.ts'
import { CreditNoteListDocument, InvoiceListDocument, TransactionListDocument } from '../generated/documents.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { periodFilter, queryWithPeriod } from '../input/period.ts'
import { creditNote, invoice, toCreditNote, toInvoice, toTransaction, transaction } from './billing.ts'

const group = 'Orders, financials, subscriptions'

const listTransactions = route('GET /v1/transactions', TransactionListDocument, {
  id: 'TRA-LIST',
  scopes: ['finance:read'],
  group,
  summary: 'List transactions, newest first',
  description:
    '`id_order` is an empty string if the transaction has no order, `id_invoice` is null if it has no invoice.',
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: queryWithPeriod(paging),
  variables: ({ query }) => ({ ...pageArguments(query), filter: { createdAt: periodFilter(query) } }),
  reply: page(transaction, ({ transactions }) => transactions, toTransaction),
})

const listInvoices = route('GET /v1/invoices', InvoiceListDocument, {
  id: 'INV-LIST',
  scopes: ['finance:read'],
  group,
  summary: 'List invoices, newest first',
  description: '`id_order` is an empty string if the invoice has no order.',
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: queryWithPeriod(paging),
  variables: ({ query }) => ({ ...pageArguments(query), filter: { createdAt: periodFilter(query) } }),
  reply: page(invoice, ({ invoices }) => invoices, toInvoice),
})

const listCreditNotes = route('GET /v1/credit-notes', CreditNoteListDocument, {
  id: 'CRN-LIST',
  scopes: ['finance:read'],
  group,
  summary: 'List credit notes, newest first',
  description: 'Amounts are negative. `id_order` is an empty string if the invoice has no order.',
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: queryWithPeriod(paging),
  variables: ({ query }) => ({ ...pageArguments(query), filter: { createdAt: periodFilter(query) } }),
  reply: page(creditNote, ({ creditNotes }) => creditNotes, toCreditNote),
})

/** Transactions, invoices and credit notes, from the specification's table “Orders, financials, subscriptions”. */
export const billingRoutes = [listTransactions, listInvoices, listCreditNotes]
