import { eventObject, resourceFields } from '../events/log/event-object.schema.ts'
import { CreditNoteType } from './credit-note.schema.ts'
import { creditNoteList, invoiceList, orderList, subscriptionList, transactionList } from './index.ts'
import { InvoiceType } from './invoice.schema.ts'
import { OrderType } from './order.schema.ts'
import { BillingSubscriptionType } from './subscription.schema.ts'
import { TransactionType } from './transaction.schema.ts'

eventObject('OrderEvent', 'An event of an order.', (t) =>
  resourceFields(t, 'order', {
    type: OrderType,
    byId: orderList.byId,
    description: 'The current state of the order. Null if it does not exist.',
  }),
)

eventObject('TransactionEvent', 'An event of a transaction.', (t) =>
  resourceFields(t, 'transaction', {
    type: TransactionType,
    byId: transactionList.byId,
    description: 'The current state of the transaction. Null if it does not exist.',
  }),
)

eventObject('InvoiceEvent', 'An event of an invoice.', (t) =>
  resourceFields(t, 'invoice', {
    type: InvoiceType,
    byId: invoiceList.byId,
    description: 'The current state of the invoice. Null if it does not exist.',
  }),
)

eventObject('CreditNoteEvent', 'An event of a credit note.', (t) =>
  resourceFields(t, 'creditNote', {
    type: CreditNoteType,
    byId: creditNoteList.byId,
    description: 'The credit note. Null if it does not exist.',
  }),
)

eventObject('BillingSubscriptionEvent', 'An event of a billing subscription.', (t) =>
  resourceFields(t, 'subscription', {
    type: BillingSubscriptionType,
    byId: subscriptionList.byId,
    description: 'The current state of the billing subscription. Null if it does not exist.',
  }),
)
