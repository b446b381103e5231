import { AccountType } from '../account/account.schema.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { builder, type Schema } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { MoneyType } from '../graphql/money.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { idOf } from '../kernel/ids.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
import { subscriptionList } from './index.ts'

export const BillingStatus = builder.enumType('BillingSubscriptionStatus', {
  description: 'Where a subscription stands.',
  values: {
    ACTIVE: { description: 'Is paid for.' },
    INACTIVE: { description: 'Has ended.' },
    ERROR: { description: 'Its last payment has failed.' },
  },
})

/** What is told of a subscription wherever it is shown. */
function inShort(t: PothosSchemaTypes.ObjectFieldBuilder<Schema, subscriptionList.BillingSubscription>) {
  return {
    status: t.expose('status', { type: BillingStatus, description: 'Where it stands.' }),
    name: t.exposeString('name', { description: "The plan's name." }),
    amount: t.field({ type: MoneyType, description: 'What each payment comes to.', resolve: (plan) => plan }),
    paymentSource: t.exposeString('paymentSource', { description: 'What it is paid with; may be empty.' }),
    rateMonths: t.exposeInt('rateMonths', { description: 'How many months lie between two payments.' }),
    trial: t.exposeBoolean('trial', { description: 'Whether nothing was paid yet, for trying it out.' }),
    paymentsLeft: t.exposeInt('paymentsLeft', {
      nullable: true,
      description: 'How many payments are left; null where there is no end.',
    }),
    rebillDate: t.expose('rebillDate', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next payment is due; null where nobody said so.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }
}

export const BillingSubscriptionType = builder
  .objectRef<subscriptionList.BillingSubscription>('BillingSubscription')
  .implement({
    description: 'A plan that a customer pays for again and again.',
    interfaces: [Node],
    fields: (t) => ({
      idSubscription: t.exposeString('idSubscription', {
        description: "The payment provider's own name for it; unique in the account.",
      }),
      ...inShort(t),
      updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
      endedAt: t.expose('endedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it ended; null where it has not.',
      }),
      ...customerFields(t),
    }),
  })

const SubscriptionSummary = builder.objectRef<subscriptionList.BillingSubscription>('SubscriptionSummary').implement({
  description: 'A subscription in short, as it is shown with a contact.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'The integer that the REST API calls `id`.' }),
    ...inShort(t),
  }),
})

readableWith('SubscriptionSummary', 'contacts:read')

builder.prismaObjectField(ContactType, 'subscriptionSummaries', (t) =>
  t.field({
    type: [SubscriptionSummary],
    description: `Its active subscriptions in short, the newest first: ${subscriptionList.mostSummaries} at most. All of them, with all they have, are \`billingSubscriptions\`.`,
    complexity: listCost('subscriptions'),
    resolve: ({ id }, _args, ctx) => ctx.load(subscriptionList.activeOfContact, id),
  }),
)

nodeSource('BillingSubscription', 'finance:read', subscriptionList.byId)

export const BillingSubscriptionConnection = connectionOf(
  'BillingSubscription',
  BillingSubscriptionType,
  'subscriptions',
)

export const BillingSubscriptionFilter = builder.inputType('BillingSubscriptionFilter', {
  description: 'Which subscriptions a list is about; all conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: BillingStatus, description: 'Those that stand here.' }),
    period: t.field({ type: PeriodType, description: "When they were made, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
  }),
})

export const BillingSubscriptionOrder = orderOf(
  'BillingSubscription',
  'subscriptions',
  { CREATED_AT: 'When they were made.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  billingSubscription: t.field({
    type: BillingSubscriptionType,
    nullable: true,
    description: needing('finance:read', 'A subscription, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The subscription, by global id or integer.' }) },
    resolve: allowed('finance:read', (_root, { id }, ctx) =>
      ctx.load(subscriptionList.byId, idOf('BillingSubscription', id)),
    ),
  }),
  billingSubscriptions: t.field({
    type: BillingSubscriptionConnection,
    description: needing(
      'finance:read',
      'The subscriptions of the account, the newest first unless ordered otherwise.',
    ),
    args: listArgs(t.arg, BillingSubscriptionFilter, BillingSubscriptionOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_root, args, ctx) => subscriptionList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'billingSubscriptions', (t) =>
  t.field({
    type: BillingSubscriptionConnection,
    nullable: true,
    description: needing('finance:read', 'Its subscriptions, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, BillingSubscriptionFilter, BillingSubscriptionOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_account, args, ctx) => subscriptionList.list(ctx, args)),
  }),
)

builder.prismaObjectField(ContactType, 'billingSubscriptions', (t) =>
  t.field({
    type: BillingSubscriptionConnection,
    nullable: true,
    description: needing(
      'finance:read',
      'What it pays for again and again, the newest first unless ordered otherwise.',
    ),
    args: listArgs(t.arg, BillingSubscriptionFilter, BillingSubscriptionOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', ({ id }, args, ctx) => subscriptionList.listOf(ctx, 'contact', id, args)),
  }),
)

builder.objectField(CustomerType, 'billingSubscriptions', (t) =>
  t.field({
    type: BillingSubscriptionConnection,
    description: 'Its subscriptions, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, BillingSubscriptionFilter, BillingSubscriptionOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => subscriptionList.listOf(ctx, 'customer', id, args),
  }),
)
