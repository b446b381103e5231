import {
  BillingSubscriptionEvent,
  CreditNoteEvent,
  InvoiceEvent,
  OrderEvent,
  TransactionEvent,
} from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { CreditNoteType } from './credit-note.schema.ts'
import { creditNoteList, invoiceList, orderList, subscriptionList, transactionList } from './index.ts'
import { InvoiceType } from './invoice.schema.ts'
import { OrderType } from './order.schema.ts'
import { BillingSubscriptionType } from './subscription.schema.ts'
import { TransactionType } from './transaction.schema.ts'

builder.objectField(OrderEvent, 'order', (t) =>
  t.field({
    type: OrderType,
    nullable: true,
    description: 'The current state of the order. Null if it does not exist.',
    resolve: ({ data }, _args, ctx) => ctx.load(orderList.byId, data.orderId),
  }),
)

builder.objectField(TransactionEvent, 'transaction', (t) =>
  t.field({
    type: TransactionType,
    nullable: true,
    description: 'The current state of the transaction. Null if it does not exist.',
    resolve: ({ data }, _args, ctx) => ctx.load(transactionList.byId, data.transactionId),
  }),
)

builder.objectField(InvoiceEvent, 'invoice', (t) =>
  t.field({
    type: InvoiceType,
    nullable: true,
    description: 'The current state of the invoice. Null if it does not exist.',
    resolve: ({ data }, _args, ctx) => ctx.load(invoiceList.byId, data.invoiceId),
  }),
)

builder.objectField(CreditNoteEvent, 'creditNote', (t) =>
  t.field({
    type: CreditNoteType,
    nullable: true,
    description: 'The credit note. Null if it does not exist.',
    resolve: ({ data }, _args, ctx) => ctx.load(creditNoteList.byId, data.creditNoteId),
  }),
)

builder.objectField(BillingSubscriptionEvent, 'subscription', (t) =>
  t.field({
    type: BillingSubscriptionType,
    nullable: true,
    description: 'The current state of the billing subscription. Null if it does not exist.',
    resolve: ({ data }, _args, ctx) => ctx.load(subscriptionList.byId, data.subscriptionId),
  }),
)
