import {
  BillingSubscriptionEvent,
  CreditNoteEvent,
  InvoiceEvent,
  OrderEvent,
  TransactionEvent,
} from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { CreditNoteType } from './credit-note.schema.ts'
import { InvoiceType } from './invoice.schema.ts'
import { OrderType } from './order.schema.ts'
import { BillingSubscriptionType } from './subscription.schema.ts'
import { TransactionType } from './transaction.schema.ts'

builder.objectField(OrderEvent, 'order', (t) =>
  t.node(({ data }) => data.orderId, {
    type: OrderType,
    description: 'The current state of the order. Null if it does not exist.',
  }),
)

builder.objectField(TransactionEvent, 'transaction', (t) =>
  t.node(({ data }) => data.transactionId, {
    type: TransactionType,
    description: 'The current state of the transaction. Null if it does not exist.',
  }),
)

builder.objectField(InvoiceEvent, 'invoice', (t) =>
  t.node(({ data }) => data.invoiceId, {
    type: InvoiceType,
    description: 'The current state of the invoice. Null if it does not exist.',
  }),
)

builder.objectField(CreditNoteEvent, 'creditNote', (t) =>
  t.node(({ data }) => data.creditNoteId, {
    type: CreditNoteType,
    description: 'The credit note. Null if it does not exist.',
  }),
)

builder.objectField(BillingSubscriptionEvent, 'subscription', (t) =>
  t.node(({ data }) => data.subscriptionId, {
    type: BillingSubscriptionType,
    description: 'The current state of the billing subscription. Null if it does not exist.',
  }),
)
