export { type Fault, SubscriptionError } from './errors.ts'
export { type Delivery, type Following, type FollowOptions, iterate, type Resume } from './iterate.ts'
export { type SubscribeOptions, type Subscription, subscribe } from './subscribe.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhook.ts'
export type * from './webhook-events.ts'
