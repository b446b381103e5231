import * as z from 'zod'
import { SubscriptionListDocument, SubscriptionReadDocument } from '../generated/documents.ts'
import { queryId, refusing } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { periodFilter, withPeriod } from '../period.ts'
import { one, page, route } from '../route.ts'
import { subscription, subscriptionStatus, toGraphSubscriptionStatus, toSubscription } from './subscription.ts'

const group = 'Orders, financials, subscriptions'
const statusMessage = `status must be one of ${subscriptionStatus.options.join(', ')}.`

const listSubscriptions = route(SubscriptionListDocument, {
  id: 'SUB-LIST',
  method: 'GET',
  path: '/v1/subscriptions',
  needs: ['finance:read'],
  group,
  summary: 'List subscriptions, newest first',
  errors: ['INVALID_STATUS', 'INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: withPeriod({ status: refusing('INVALID_STATUS', statusMessage, subscriptionStatus.optional()), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: { ...periodFilter(query), status: query.status && toGraphSubscriptionStatus(query.status) },
  }),
  reply: page(subscription, ({ billingSubscriptions }) => billingSubscriptions, toSubscription),
})

const readSubscription = route(SubscriptionReadDocument, {
  id: 'SUB-GET',
  method: 'GET',
  path: '/v1/subscription',
  needs: ['finance:read'],
  group,
  summary: 'Read a subscription',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'subscription',
  query: z.object({ subscription_id: queryId }),
  variables: ({ query }) => ({ id: query.subscription_id }),
  reply: one(subscription, ({ billingSubscription: found }) => found && toSubscription(found)),
})

/** Subscriptions, of the specification's table “Orders, financials, subscriptions”. */
export const subscriptionRoutes = [listSubscriptions, readSubscription]
