import { ContactType } from '../../contacts/people/contact.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf, listByParent } from '../../graphql/schema/connection.ts'
import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { moneyField } from '../../graphql/schema/money.ts'
import { mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { InvoiceType } from '../billing/invoice.schema.ts'
import { CustomerType, customerFields, purchaseFilterFields, purchaseRelevance } from '../customers/customer.schema.ts'
import { OrderType } from '../orders/order.schema.ts'
import {
  alsoNeeds,
  createContact,
  createdAt,
  currency,
  optionalCustomer,
  providerEventField,
} from '../recording/recording.schema.ts'
import { BillingSubscriptionType } from '../subscriptions/subscription.schema.ts'
import * as transactionList from './transaction-list.ts'
import * as transactions from './transactions.ts'

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
    amount: moneyField(t, 'amount', 'Amount of the payment.'),
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

filterKind('enum TransactionStatus', [TransactionStatus])

export const TransactionFilter = filterOf('TransactionFilterInput', 'transactions', transactionList.transactionFilter, {
  id: 'The transaction itself.',
  idTransaction: "The payment provider's id of the transaction.",
  type: 'Kind of payment, such as `one_time`.',
  status: 'One of these statuses.',
  amount: 'Amount of the payment, in the currency of each transaction.',
  currency: 'Currency as a code of three letters, such as `EUR`.',
  createdAt: 'Time at which the payment was initiated.',
  updatedAt: 'Time of the last change.',
  orders: 'The paid order.',
  invoices: 'The paid invoice.',
  subscriptions: 'The paid subscription.',
  search:
    "Words in any order, in the payment provider's id of the transaction and in the e-mail address, names, company and VAT number of the customer.",
  ...purchaseFilterFields,
})

const TransactionConnection = connectionOf(TransactionType, {
  noun: 'transactions',
  filter: TransactionFilter,
  orders: {
    CREATED_AT: 'Time at which the payment was initiated.',
    UPDATED_AT: 'Time of the last change.',
    AMOUNT: 'Amount of the payment, regardless of the currency.',
    STATUS: 'Status, alphabetically.',
    RELEVANCE: purchaseRelevance,
  },
})

builder.queryFields((t) => ({
  transaction: t.nodeById({
    type: TransactionType,
    description: 'Returns a transaction. Null if the account has no transaction with this id.',
  }),
}))

accountList('transactions', TransactionConnection, transactionList.list)
listByParent(
  'transactions',
  TransactionConnection,
  {
    contact: ContactType,
    customer: CustomerType,
    order: OrderType,
    invoice: InvoiceType,
    subscription: BillingSubscriptionType,
  },
  transactionList.listOf,
)

const transactionPayload = (t: Payload<{ transaction: transactionList.Transaction }>) => ({
  transaction: t.expose('transaction', { type: TransactionType, description: 'The transaction after the change.' }),
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
    orderId: t.id({ description: idText('the paid order') }),
    invoiceId: t.id({ description: idText('the paid invoice') }),
    subscriptionId: t.id({ description: idText('the paid subscription') }),
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
    id: t.id(requiredId('the transaction')),
    status: t.field({ type: TransactionStatus, required: true, description: 'New status.' }),
    ...providerEventField(t),
  }),
  run: transactions.update,
  lock: transactions.lockForUpdate,
  payload: transactionPayload,
})
