import * as z from 'zod'
import { one, page, route } from '../envelope/route.ts'
import { SubscriptionListDocument, SubscriptionReadDocument } from '../generated/documents.ts'
import { enumFilter, queryId } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { periodFilter, queryWithPeriod } from '../input/period.ts'
import { toGraphEnum } from '../values/enums.ts'
import { subscription, subscriptionStatus, toSubscription } from './subscription.ts'

const group = 'Orders, financials, subscriptions'

const listSubscriptions = route('GET /v1/subscriptions', SubscriptionListDocument, {
  id: 'SUB-LIST',
  scopes: ['finance:read'],
  group,
  summary: 'List subscriptions, newest first',
  errors: ['INVALID_STATUS', 'INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: queryWithPeriod({
    status: enumFilter('INVALID_STATUS', 'status', subscriptionStatus),
    ...paging,
  }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: { createdAt: periodFilter(query), status: query.status && [toGraphEnum(query.status)] },
  }),
  reply: page(subscription, ({ billingSubscriptions }) => billingSubscriptions, toSubscription),
})

const readSubscription = route('GET /v1/subscription', SubscriptionReadDocument, {
  id: 'SUB-GET',
  scopes: ['finance:read'],
  group,
  summary: 'Get a subscription',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'subscription',
  query: z.object({ subscription_id: queryId }),
  variables: ({ query }) => ({ id: query.subscription_id }),
  reply: one(subscription, ({ billingSubscription: found }) => toSubscription(found)),
})

/** Subscriptions, from the specification's table “Orders, financials, subscriptions”. */
export const subscriptionRoutes = [listSubscriptions, readSubscription]
