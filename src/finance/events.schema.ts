import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { CreditNoteType } from './billing/credit-note.schema.ts'
import { InvoiceType } from './billing/invoice.schema.ts'
import { OrderType } from './orders/order.schema.ts'
import { BillingSubscriptionType } from './subscriptions/subscription.schema.ts'
import { TransactionType } from './transactions/transaction.schema.ts'

eventObject('OrderEvent', 'An event of an order.', (t) => resourceFields(t, 'order', OrderType))

eventObject('TransactionEvent', 'An event of a transaction.', (t) => resourceFields(t, 'transaction', TransactionType))

eventObject('InvoiceEvent', 'An event of an invoice.', (t) => resourceFields(t, 'invoice', InvoiceType))

eventObject('CreditNoteEvent', 'An event of a credit note.', (t) => resourceFields(t, 'creditNote', CreditNoteType))

eventObject('BillingSubscriptionEvent', 'An event of a billing subscription.', (t) =>
  resourceFields(t, 'subscription', BillingSubscriptionType),
)
