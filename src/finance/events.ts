import { declareEvents } from '../events/index.ts'

const needs = 'finance:read'

export const financeEvents = {
  ...declareEvents(
    { kind: 'OrderEvent', needs, sample: { orderId: 1 } },
    {
      'order.created': 'An order was created.',
      'order.completed': 'An order was completed.',
      'order.cancelled': 'An order was cancelled.',
      'order.refunded': 'An order was refunded. If parts of it were refunded before, nothing is left of it now.',
      'order.partially_refunded': 'A part of an order was refunded, and a part of it is left.',
    },
  ),
  ...declareEvents(
    { kind: 'TransactionEvent', needs, sample: { transactionId: 1 } },
    {
      'transaction.completed': 'A transaction was completed.',
      'transaction.refunded': 'A transaction was refunded.',
      'transaction.error': 'A transaction failed.',
    },
  ),
  ...declareEvents(
    { kind: 'TransactionChangeEvent', needs, sample: { transactionId: 1 }, isEdit: true },
    {
      'transaction.created': 'A transaction was recorded, in any status.',
      'transaction.updated':
        'The status of a transaction became PROCESSING or CANCELLED. Other statuses have events of their own.',
    },
  ),
  ...declareEvents(
    { kind: 'BillingProfileChangeEvent', needs, sample: { accountId: 1 }, isEdit: true },
    { 'billing_profile.updated': 'The billing profile of the account was updated.' },
  ),
  ...declareEvents(
    { kind: 'InvoiceEvent', needs, sample: { invoiceId: 1 } },
    { 'invoice.created': 'An invoice was issued.', 'invoice.paid': 'An invoice was paid in full.' },
  ),
  ...declareEvents(
    { kind: 'CreditNoteEvent', needs, sample: { creditNoteId: 1 } },
    { 'credit_note.created': 'A credit note was issued.' },
  ),
  ...declareEvents(
    { kind: 'BillingSubscriptionEvent', needs, sample: { subscriptionId: 1 } },
    {
      'subscription.created': 'A billing subscription started.',
      'subscription.renewed': 'A billing subscription was paid for another period.',
      'subscription.payment_failed': 'The payment of a billing subscription failed.',
      'subscription.ended': 'A billing subscription ended.',
    },
  ),
}

type FinanceEvents = typeof financeEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends FinanceEvents {}
}
