export {
  type Client,
  type ClientOptions,
  createClient,
  type EventHandlers,
  type Iterate,
  type ResumeOptions,
  type Subscribe,
  type Subscription,
  type SubscriptionOptions,
  type TypedSubscriptionOptions,
} from './client.ts'
export type { EventOf, TypedDocument } from './document.ts'
export type { ErrorCode, FieldErrorCode } from './error-codes.ts'
export { type GraphQLFormattedError, readErrors, type ServerError, SubscriptionError } from './errors.ts'
export type { ResumeInfo, SubscriptionEvent, SubscriptionIterator } from './event-iterator.ts'
export { type IterateOptions, iterate, type SubscribeOptions, subscribe } from './subscribe.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhook.ts'
export type * from './webhook-events.ts'
