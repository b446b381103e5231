import { ContactType } from '../../contacts/people/contact.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder, type Schema } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf, listByParent } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { moneyField } from '../../graphql/schema/money.ts'
import { type InputBuilder, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { CustomerType, customerFields, purchaseFilterFields, purchaseRelevance } from '../customers/customer.schema.ts'
import {
  alsoNeeds,
  createContact,
  createdAt,
  currency,
  customer,
  providerEventField,
} from '../recording/recording.schema.ts'
import * as subscriptionList from './subscription-list.ts'
import * as subscriptions from './subscriptions.ts'

export const BillingStatus = builder.enumType('BillingSubscriptionStatus', {
  description: 'Status of a subscription.',
  values: {
    ACTIVE: { description: 'The sale has not ended, and its last payment did not fail.' },
    INACTIVE: { description: 'The subscription ended.' },
    ERROR: { description: 'The last payment failed.' },
  },
})

/** The fields that a subscription and its summary share. */
function summaryFields(t: PothosSchemaTypes.ObjectFieldBuilder<Schema, subscriptionList.BillingSubscription>) {
  return {
    status: t.expose('status', { type: BillingStatus, description: 'Current status.' }),
    name: t.exposeString('name', { description: 'Name of the plan.' }),
    amount: moneyField(t, 'amount', 'Amount of each payment.'),
    paymentSource: t.exposeString('paymentSource', { description: 'Means of payment. May be empty.' }),
    rateMonths: t.exposeInt('rateMonths', { description: 'Number of months between two payments.' }),
    trial: t.exposeBoolean('trial', { description: 'Whether the subscription is in its trial period.' }),
    paymentsLeft: t.exposeInt('paymentsLeft', {
      nullable: true,
      description: 'Number of payments that are left. Null if it is unlimited.',
    }),
    rebillDate: t.exposeTime('rebillDate', {
      nullable: true,
      description: 'Time at which the next payment is due. Null if unknown.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
  }
}

export const BillingSubscriptionType = builder
  .objectRef<subscriptionList.BillingSubscription>('BillingSubscription')
  .implement({
    description: 'A plan that a customer pays for at regular intervals.',
    interfaces: [Node],
    fields: (t) => ({
      idSubscription: t.exposeString('idSubscription', {
        description: "The payment provider's id of the subscription. Unique in the account.",
      }),
      ...summaryFields(t),
      updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change.' }),
      endedAt: t.exposeTime('endedAt', {
        nullable: true,
        description: 'Time at which the subscription ended. Null unless `status` is INACTIVE.',
      }),
      ...customerFields(t),
    }),
  })

const SubscriptionSummary = builder.objectRef<subscriptionList.BillingSubscription>('SubscriptionSummary').implement({
  description: 'The main fields of a subscription. They can be read with the scope `CONTACTS_READ`.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'The integer that the REST API calls `id`.' }),
    ...summaryFields(t),
  }),
})

readableWith('SubscriptionSummary', 'contacts:read')

builder.prismaObjectField(ContactType, 'subscriptionSummaries', (t) =>
  t.field({
    type: [SubscriptionSummary],
    description: `The active subscriptions of the contact, newest first. Maximum ${subscriptionList.maxSummaries}. Use \`billingSubscriptions\` to list all subscriptions.`,
    complexity: listCost('subscriptions'),
    resolve: ({ id }, _args, ctx) => ctx.load(subscriptionList.activeByContact, id),
  }),
)

nodeSource(BillingSubscriptionType, 'finance:read', subscriptionList.byId)

filterKind('enum BillingSubscriptionStatus', [BillingStatus])

export const BillingSubscriptionFilter = filterOf(
  'BillingSubscriptionFilterInput',
  'subscriptions',
  subscriptionList.subscriptionFilter,
  {
    id: 'The subscription itself.',
    idSubscription: "The payment provider's id of the subscription.",
    status: 'One of these statuses.',
    name: 'Name of the plan.',
    amount: 'Amount of each payment, in the currency of each subscription.',
    currency: 'Currency as a code of three letters, such as `EUR`.',
    paymentSource: 'Means of payment.',
    rateMonths: 'Number of months between two payments.',
    trial: 'Whether the subscription is in its trial period.',
    paymentsLeft: 'Number of payments that are left. An unlimited subscription does not match.',
    rebillDate: 'Time at which the next payment is due. A subscription without one does not match.',
    createdAt: 'Time of creation.',
    updatedAt: 'Time of the last change.',
    endedAt: 'Time at which the subscription ended. Other subscriptions do not match.',
    search:
      "Words in any order, in the payment provider's id of the subscription, the name of the plan and in the e-mail address, names, company and VAT number of the customer.",
    ...purchaseFilterFields,
  },
)

const BillingSubscriptionConnection = connectionOf(BillingSubscriptionType, {
  noun: 'subscriptions',
  filter: BillingSubscriptionFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    UPDATED_AT: 'Time of the last change.',
    NAME: 'Name, in the order of a dictionary.',
    AMOUNT: 'Amount of each payment, regardless of the currency.',
    STATUS: 'Status, alphabetically.',
    REBILL_DATE: 'Time at which the next payment is due. Subscriptions without one come first in ascending order.',
    RELEVANCE: purchaseRelevance,
  },
})

builder.queryFields((t) => ({
  billingSubscription: t.nodeById({
    type: BillingSubscriptionType,
    description: 'Returns a subscription. Null if the account has no subscription with this id.',
  }),
}))

accountList('billingSubscriptions', BillingSubscriptionConnection, subscriptionList.list)
listByParent(
  'billingSubscriptions',
  BillingSubscriptionConnection,
  { contact: ContactType, customer: CustomerType },
  subscriptionList.listOf,
)

interface Result {
  subscription: subscriptionList.BillingSubscription
}

const subscriptionId = (t: InputBuilder) => t.id(requiredId('the subscription'))
const subscriptionPayload = (t: Payload<Result>) => ({
  subscription: t.expose('subscription', {
    type: BillingSubscriptionType,
    description: 'The subscription after the change.',
  }),
})

mutation('subscriptionRecord', {
  needs: 'finance:write',
  alsoNeeds,
  description:
    'Records a subscription. Returns VALIDATION_ERROR for invalid input, also if another subscription has the same `idSubscription`.',
  input: (t) => ({
    idSubscription: t.string({
      required: true,
      description: "The payment provider's id of the subscription. Unique in the account. Maximum 255 characters.",
    }),
    customer: customer(t),
    createContact: createContact(t),
    name: t.string({ required: true, description: 'Name of the plan. Maximum 255 characters.' }),
    amount: t.field({ type: 'Decimal', required: true, description: 'Amount of each payment.' }),
    currency: currency(t, "the account's"),
    paymentSource: t.string({ description: 'Means of payment. Maximum 255 characters.' }),
    rateMonths: t.int({ description: 'Number of months between two payments. Defaults to 1. Maximum 120.' }),
    trial: t.boolean({ description: 'Whether the subscription starts with a trial period. Defaults to false.' }),
    paymentsLeft: t.int({ description: 'Number of payments that are left. Defaults to unlimited.' }),
    rebillDate: t.field({
      type: 'DateTime',
      description: 'Time at which the next payment is due. Defaults to `rateMonths` after the creation.',
    }),
    status: t.field({ type: BillingStatus, description: 'Status of the subscription. Defaults to ACTIVE.' }),
    createdAt: createdAt(t),
    ...providerEventField(t),
  }),
  run: subscriptions.record,
  payload: subscriptionPayload,
})

mutation('subscriptionRenew', {
  needs: 'finance:write',
  description:
    'Records a payment: decrements `paymentsLeft`, moves `rebillDate` by `rateMonths` (in a month that is too short for its day, to the last day), ends a trial, and sets the status to ACTIVE. After the last payment the subscription ends. Returns INVALID_STATE if the subscription ended.',
  input: (t) => ({ id: subscriptionId(t), ...providerEventField(t) }),
  run: subscriptions.renew,
  payload: subscriptionPayload,
})

mutation('subscriptionFail', {
  needs: 'finance:write',
  description:
    'Records a failed payment: sets an active subscription to ERROR. Returns INVALID_STATE if its status is not ACTIVE.',
  input: (t) => ({ id: subscriptionId(t), ...providerEventField(t) }),
  run: subscriptions.fail,
  payload: subscriptionPayload,
})

mutation('subscriptionEnd', {
  needs: 'finance:write',
  description: 'Sets a subscription to INACTIVE. Returns INVALID_STATE if it ended already.',
  input: (t) => ({ id: subscriptionId(t), ...providerEventField(t) }),
  run: subscriptions.end,
  payload: subscriptionPayload,
})

mutation('subscriptionRestart', {
  needs: 'finance:write',
  description: 'Sets a subscription in status INACTIVE or ERROR to ACTIVE. Returns INVALID_STATE if it is active.',
  input: (t) => ({
    id: subscriptionId(t),
    paymentsLeft: t.int({
      description: 'Number of payments that are left. Defaults to the stored number; required if that is 0.',
    }),
    rebillDate: t.field({
      type: 'DateTime',
      description: 'Time at which the next payment is due. Defaults to the stored time.',
    }),
    ...providerEventField(t),
  }),
  run: subscriptions.restart,
  payload: subscriptionPayload,
})
