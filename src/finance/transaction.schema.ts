import { AccountType } from '../account/account.schema.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { MoneyType } from '../graphql/money.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { idOf } from '../kernel/ids.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
import { invoiceList, orderList, subscriptionList, transactionList } from './index.ts'
import { InvoiceType } from './invoice.schema.ts'
import { OrderType } from './order.schema.ts'
import { BillingSubscriptionType } from './subscription.schema.ts'

export const TransactionStatus = builder.enumType('TransactionStatus', {
  description: 'Where a transaction stands.',
  values: {
    WAITING: { description: 'Was initiated.' },
    PROCESSING: { description: 'Is with the payment provider.' },
    COMPLETED: { description: 'The money has come.' },
    REFUNDED: { description: 'The money had come, and was given back.' },
    CANCELLED: { description: 'Was given up.' },
    ERROR: { description: 'Has failed.' },
  },
})

export const TransactionType = builder.objectRef<transactionList.Transaction>('Transaction').implement({
  description: 'Money that moves, or was meant to.',
  interfaces: [Node],
  fields: (t) => ({
    idTransaction: t.exposeString('idTransaction', {
      description: "The payment provider's own name for it; unique in the account.",
    }),
    status: t.expose('status', { type: TransactionStatus, description: 'Where it stands.' }),
    type: t.exposeString('type', { description: 'What kind of payment it is, such as `one_time`.' }),
    amount: t.field({ type: MoneyType, description: 'How much.', resolve: (transaction) => transaction }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was initiated.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    order: t.field({
      type: OrderType,
      nullable: true,
      description: 'What it pays for; null where it names no order.',
      resolve: ({ orderId }, _args, ctx) => (orderId === null ? null : ctx.load(orderList.byId, orderId)),
    }),
    invoice: t.field({
      type: InvoiceType,
      nullable: true,
      description: 'What it pays; null where it names no invoice.',
      resolve: ({ invoiceId }, _args, ctx) => (invoiceId === null ? null : ctx.load(invoiceList.byId, invoiceId)),
    }),
    subscription: t.field({
      type: BillingSubscriptionType,
      nullable: true,
      description: 'What it pays for; null where it names no subscription.',
      resolve: ({ subscriptionId }, _args, ctx) =>
        subscriptionId === null ? null : ctx.load(subscriptionList.byId, subscriptionId),
    }),
    ...customerFields(t),
  }),
})

nodeSource('Transaction', 'finance:read', transactionList.byId)

export const TransactionConnection = connectionOf('Transaction', TransactionType, 'transactions')

export const TransactionFilter = builder.inputType('TransactionFilter', {
  description: 'Which transactions a list is about; all conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: TransactionStatus, description: 'Those that stand here.' }),
    period: t.field({ type: PeriodType, description: "When they were initiated, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
  }),
})

export const TransactionOrder = orderOf(
  'Transaction',
  'transactions',
  { CREATED_AT: 'When they were initiated.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  transaction: t.field({
    type: TransactionType,
    nullable: true,
    description: needing('finance:read', 'A transaction, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The transaction, by global id or integer.' }) },
    resolve: allowed('finance:read', (_root, { id }, ctx) => ctx.load(transactionList.byId, idOf('Transaction', id))),
  }),
  transactions: t.field({
    type: TransactionConnection,
    description: needing('finance:read', 'The transactions of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, TransactionFilter, TransactionOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_root, args, ctx) => transactionList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'transactions', (t) =>
  t.field({
    type: TransactionConnection,
    nullable: true,
    description: needing('finance:read', 'Its transactions, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, TransactionFilter, TransactionOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_account, args, ctx) => transactionList.list(ctx, args)),
  }),
)

builder.prismaObjectField(ContactType, 'transactions', (t) =>
  t.field({
    type: TransactionConnection,
    nullable: true,
    description: needing('finance:read', 'What it has paid, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, TransactionFilter, TransactionOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', ({ id }, args, ctx) => transactionList.listOf(ctx, 'contact', id, args)),
  }),
)

builder.objectField(CustomerType, 'transactions', (t) =>
  t.field({
    type: TransactionConnection,
    description: 'Its transactions, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, TransactionFilter, TransactionOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'customer', id, args),
  }),
)

builder.objectField(OrderType, 'transactions', (t) =>
  t.field({
    type: TransactionConnection,
    description: 'Its transactions, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, TransactionFilter, TransactionOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'order', id, args),
  }),
)

builder.objectField(InvoiceType, 'transactions', (t) =>
  t.field({
    type: TransactionConnection,
    description: 'Its transactions, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, TransactionFilter, TransactionOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'invoice', id, args),
  }),
)

builder.objectField(BillingSubscriptionType, 'transactions', (t) =>
  t.field({
    type: TransactionConnection,
    description: 'Its transactions, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, TransactionFilter, TransactionOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => transactionList.listOf(ctx, 'subscription', id, args),
  }),
)
