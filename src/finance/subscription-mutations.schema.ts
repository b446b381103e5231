import type { Schema } from '../graphql/builder.ts'
import { asOfNow, type InputBuilder, mutation } from '../graphql/mutation.ts'
import { subscriptionList, subscriptions } from './index.ts'
import { alsoNeeds, createContact, createdAt, currency, customer, reported } from './recording.schema.ts'
import { BillingStatus, BillingSubscriptionType } from './subscription.schema.ts'

interface Result {
  subscription: subscriptionList.BillingSubscription
}

const which = (t: InputBuilder) => t.id({ required: true, description: 'The subscription, by global id or integer.' })
const changed = (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, Result>) => ({
  subscription: t.field({
    type: BillingSubscriptionType,
    description: 'The subscription after this.',
    resolve: asOfNow(subscriptionList.byId, (result: Result) => result.subscription),
  }),
})

mutation('subscriptionRecord', {
  needs: 'finance:write',
  alsoNeeds,
  description:
    'Records a plan that is paid for again and again. Fails with VALIDATION_ERROR, also for an `idSubscription` that is taken.',
  input: (t) => ({
    idSubscription: t.string({
      required: true,
      description: "The payment provider's own name for it: 255 characters at most.",
    }),
    customer: customer(t),
    createContact: createContact(t),
    name: t.string({ required: true, description: "The plan's name: 255 characters at most." }),
    amount: t.field({ type: 'Decimal', required: true, description: 'What each payment comes to.' }),
    currency: currency(t, "the account's"),
    paymentSource: t.string({ description: 'What it is paid with: 255 characters at most.' }),
    rateMonths: t.int({ description: 'How many months lie between two payments, 120 at most: 1 where absent.' }),
    trial: t.boolean({ description: 'Whether it begins with a trial. No, where absent.' }),
    paymentsLeft: t.int({ description: 'How many payments are left; absent or null: there is no end.' }),
    rebillDate: t.field({
      type: 'DateTime',
      description: 'When the next payment is due: one rate after it was made where absent.',
    }),
    status: t.field({ type: BillingStatus, description: 'ACTIVE where absent.' }),
    createdAt: createdAt(t),
    ...reported(t),
  }),
  run: subscriptions.record,
  payload: changed,
})

mutation('subscriptionRenew', {
  needs: 'finance:write',
  description:
    'Takes a payment: one less is left, the next is due one rate later, a trial is over, an error is mended. After the last payment it ends. One that has ended is NOT_FOUND.',
  input: (t) => ({ id: which(t), ...reported(t) }),
  run: subscriptions.renew,
  payload: changed,
})

mutation('subscriptionFail', {
  needs: 'finance:write',
  description: 'Tells that a payment of an active subscription has failed. In any other status it is NOT_FOUND.',
  input: (t) => ({ id: which(t), ...reported(t) }),
  run: subscriptions.fail,
  payload: changed,
})

mutation('subscriptionEnd', {
  needs: 'finance:write',
  description: 'Ends a subscription. One that has ended is NOT_FOUND.',
  input: (t) => ({ id: which(t), ...reported(t) }),
  run: subscriptions.end,
  payload: changed,
})

mutation('subscriptionRestart', {
  needs: 'finance:write',
  description:
    'Makes a subscription active again that has ended, or whose payment had failed. An active one is NOT_FOUND.',
  input: (t) => ({
    id: which(t),
    paymentsLeft: t.int({ description: 'How many payments are left from now on; required where none are left.' }),
    rebillDate: t.field({ type: 'DateTime', description: 'When the next payment is due; absent: as before.' }),
    ...reported(t),
  }),
  run: subscriptions.restart,
  payload: changed,
})
