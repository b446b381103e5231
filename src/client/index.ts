export type { ErrorCode, FieldErrorCode } from './error-codes.ts'
export { type GraphQLFormattedError, readErrors, type ServerError, SubscriptionError } from './errors.ts'
export {
  type IterateOptions,
  iterate,
  type ResumeInfo,
  type SubscriptionEvent,
  type SubscriptionIterator,
} from './iterate.ts'
export { type SubscribeOptions, type Subscription, subscribe } from './subscribe.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhook.ts'
export type * from './webhook-events.ts'
