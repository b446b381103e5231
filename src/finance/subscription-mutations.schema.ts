import { type InputBuilder, mutation, type Payload } from '../graphql/mutation.ts'
import { alsoNeeds, createContact, createdAt, currency, customer, providerEventField } from './recording.schema.ts'
import { BillingStatus, BillingSubscriptionType } from './subscription.schema.ts'
import type * as subscriptionList from './subscription-list.ts'
import * as subscriptions from './subscriptions.ts'

interface Result {
  subscription: subscriptionList.BillingSubscription
}

const subscriptionId = (t: InputBuilder) =>
  t.id({ required: true, description: 'The subscription, by global id or integer.' })
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
