import { ContactType } from '../contacts/contact.schema.ts'
import { builder, type Schema } from '../graphql/builder.ts'
import { accountList, connectionOf, listByParent } from '../graphql/connection.ts'
import { filterKind, filterOf } from '../graphql/filter.ts'
import { moneyField } from '../graphql/money.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { CustomerType, customerFields, purchaseFilterFields, purchaseRelevance } from './customer.schema.ts'
import * as subscriptionList from './subscription-list.ts'

export const BillingStatus = builder.enumType('BillingSubscriptionStatus', {
  description: 'Status of a subscription.',
  values: {
    ACTIVE: { description: 'The subscription is active.' },
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
    CREATED_AT: 'Orders by `createdAt`.',
    UPDATED_AT: 'Orders by `updatedAt`.',
    NAME: 'Orders by `name`, case-insensitive.',
    AMOUNT: 'Orders by `amount`, regardless of the currency.',
    STATUS: 'Orders by `status`, alphabetically.',
    REBILL_DATE: 'Orders by `rebillDate`. Ascending, subscriptions without one come first.',
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
