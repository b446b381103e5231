import { AccountType } from '../account/account.schema.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { MoneyType } from '../graphql/money.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { PeriodType, rangeOfPeriod } from '../graphql/period.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
import { transactionList } from './index.ts'
import { InvoiceType } from './invoice.schema.ts'
import { OrderType } from './order.schema.ts'
import { BillingSubscriptionType } from './subscription.schema.ts'

export const TransactionStatus = builder.enumType('TransactionStatus', {
  description: 'Status of a transaction.',
  values: {
    WAITING: { description: 'The payment was initiated.' },
    PROCESSING: { description: 'The payment provider is processing the payment.' },
    COMPLETED: { description: 'The payment was received.' },
    REFUNDED: { description: 'The payment was received and then refunded.' },
    CANCELLED: { description: 'The payment was cancelled.' },
    ERROR: { description: 'The payment failed.' },
  },
})

export const TransactionType = builder.objectRef<transactionList.Transaction>('Transaction').implement({
  description: 'A payment, completed or not.',
  interfaces: [Node],
  fields: (t) => ({
    idTransaction: t.exposeString('idTransaction', {
      description: "The payment provider's id of the transaction. Unique in the account.",
    }),
    status: t.expose('status', { type: TransactionStatus, description: 'Current status.' }),
    type: t.exposeString('type', { description: 'Kind of payment, such as `one_time`.' }),
    amount: t.field({ type: MoneyType, description: 'Amount of the payment.', resolve: (transaction) => transaction }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the payment was initiated.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change.' }),
    order: t.node('orderId', { type: OrderType, description: 'The paid order. Null if the transaction has no order.' }),
    invoice: t.node('invoiceId', {
      type: InvoiceType,
      description: 'The paid invoice. Null if the transaction has no invoice.',
    }),
    subscription: t.node('subscriptionId', {
      type: BillingSubscriptionType,
      description: 'The paid subscription. Null if the transaction has no subscription.',
    }),
    ...customerFields(t),
  }),
})

nodeSource(TransactionType, 'finance:read', transactionList.byId)

export const TransactionFilter = builder.inputType('TransactionFilterInput', {
  description: 'Filters a list of transactions. A transaction must match all given conditions.',
  fields: (t) => ({
    status: t.field({ type: TransactionStatus, description: 'Returns only transactions with this status.' }),
    period: t.field({
      type: PeriodType,
      description: "Returns only transactions that were initiated in this period, in the account's time zone.",
    }),
    range: t.field(rangeOfPeriod),
  }),
})

const TransactionConnection = connectionOf(TransactionType, {
  noun: 'transactions',
  filter: TransactionFilter,
  orders: { CREATED_AT: 'Orders by `createdAt`.' },
})

builder.queryFields((t) => ({
  transaction: t.nodeById({
    type: TransactionType,
    description: 'Returns a transaction. Null if the account has no transaction with this id.',
  }),
  transactions: t.connection(TransactionConnection, {
    description: 'Lists the transactions of the account. Default order: newest first.',
    resolve: (_root, args, ctx) => transactionList.list(ctx, args),
  }),
}))

builder.prismaObjectField(AccountType, 'transactions', (t) =>
  t.connection(TransactionConnection, {
    description: 'The transactions of the account. Default order: newest first.',
    resolve: (_account, args, ctx) => transactionList.list(ctx, args),
  }),
)

builder.prismaObjectField(ContactType, 'transactions', (t) =>
  t.connection(TransactionConnection, {
    description: 'The transactions of the contact. Default order: newest first.',
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'contact', id, args),
  }),
)

builder.objectField(CustomerType, 'transactions', (t) =>
  t.connection(TransactionConnection, {
    description: 'The transactions of the customer. Default order: newest first.',
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'customer', id, args),
  }),
)

builder.objectField(OrderType, 'transactions', (t) =>
  t.connection(TransactionConnection, {
    description: 'The transactions of the order. Default order: newest first.',
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'order', id, args),
  }),
)

builder.objectField(InvoiceType, 'transactions', (t) =>
  t.connection(TransactionConnection, {
    description: 'The transactions of the invoice. Default order: newest first.',
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'invoice', id, args),
  }),
)

builder.objectField(BillingSubscriptionType, 'transactions', (t) =>
  t.connection(TransactionConnection, {
    description: 'The transactions of the subscription. Default order: newest first.',
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'subscription', id, args),
  }),
)
