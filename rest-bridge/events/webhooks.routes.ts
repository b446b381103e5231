import * as z from 'zod'
import { deletedId, one, page, requireNode, route } from '../envelope/route.ts'
import {
  WebhookCreateDocument,
  WebhookDeleteDocument,
  WebhookDeliveryListDocument,
  WebhookListDocument,
  WebhookReadDocument,
  WebhookReplayDocument,
  WebhookTestDocument,
  WebhookUpdateDocument,
} from '../generated/documents.ts'
import { dateTime, enumFilter, flag, id, nonEmptyText, queryId, text } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { toGraphEnum } from '../values/enums.ts'
import { delivery, deliveryStatus, newWebhook, toDelivery, toNewWebhook, toWebhook, webhook } from './webhook.ts'

const group = 'Webhooks'

const fieldNames = { id: 'webhook_id' }
const eventsName = { event_patterns: 'events' }

const events = z
  .array(nonEmptyText, { error: 'must be an array of strings' })
  .max(1000, 'must contain at most 1000 names')
  .meta({ examples: [['contact.created', 'order.*']] })

const webhookFields = z.object({
  url: nonEmptyText.meta({ maxLength: 2000 }),
  events: events.optional(),
  description: text.meta({ maxLength: 1000 }).optional(),
})

export const createWebhook = route('POST /v1/webhook', WebhookCreateDocument, {
  id: 'WEB-CREATE',
  scopes: ['events:write'],
  group,
  summary: 'Create a webhook',
  description:
    'Each message is a POST with the body `{id, type, timestamp, data}`, signed according to Standard Webhooks. `events` contains event types such as `contact.created`, patterns such as `contact.*`, or `*` (the default). The secret is returned only here and when it is rotated.',
  status: 201,
  errors: ['WEBHOOK_EXISTS', 'VALIDATION_ERROR'],
  fieldNames: eventsName,
  body: webhookFields,
  variables: ({ body: { events: eventPatterns, ...rest } }) => ({ input: { ...rest, eventPatterns } }),
  reply: one(newWebhook, ({ webhookCreate }) => toNewWebhook(webhookCreate)),
})

const listWebhooks = route('GET /v1/webhooks', WebhookListDocument, {
  id: 'WEB-LIST',
  scopes: ['events:read'],
  group,
  summary: 'List webhooks, newest first',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(webhook, ({ webhooks }) => webhooks, toWebhook),
})

const readWebhook = route('GET /v1/webhook', WebhookReadDocument, {
  id: 'WEB-GET',
  scopes: ['events:read'],
  group,
  summary: 'Get a webhook',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'webhook',
  query: z.object({ webhook_id: queryId }),
  variables: ({ query }) => ({ id: query.webhook_id }),
  reply: one(webhook, ({ webhook: found }) => toWebhook(found)),
})

const updateWebhook = route('PUT /v1/webhook', WebhookUpdateDocument, {
  id: 'WEB-UPDATE',
  scopes: ['events:write'],
  group,
  summary: 'Update a webhook',
  description:
    'Updates only the fields that are sent. `rotate_secret` creates a new secret and returns it; for 24 hours, messages are signed with both secrets. A new `url` or secret requires the read scopes of all events that the webhook receives.',
  errors: ['WEBHOOK_EXISTS', 'VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'webhook',
  fieldNames: { ...fieldNames, ...eventsName },
  body: z.object({
    webhook_id: id,
    ...webhookFields.partial().shape,
    active: flag.optional(),
    rotate_secret: flag.optional(),
  }),
  variables: ({ body: { webhook_id, rotate_secret, events: eventPatterns, ...rest } }) => ({
    input: { id: webhook_id, ...rest, eventPatterns, rotateSecret: rotate_secret },
  }),
  reply: one(
    webhook.extend({ updated: z.literal(true), secret: z.string().optional() }),
    ({ webhookUpdate: { webhook: found, secret } }) => ({
      ...toWebhook(requireNode(found)),
      updated: true as const,
      ...(secret !== null && { secret }),
    }),
  ),
})

const deleteWebhook = route('DELETE /v1/webhook', WebhookDeleteDocument, {
  id: 'WEB-DELETE',
  scopes: ['events:write'],
  group,
  summary: 'Delete a webhook',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'webhook',
  fieldNames,
  body: z.object({ webhook_id: id }),
  variables: ({ body }) => ({ input: { id: body.webhook_id } }),
  reply: deletedId(({ webhookDelete }) => webhookDelete.deletedWebhookDatabaseId),
})

const listDeliveries = route('GET /v1/webhook-deliveries', WebhookDeliveryListDocument, {
  id: 'WEB-DELIVERIES',
  scopes: ['events:read'],
  group,
  summary: 'List the deliveries of a webhook, newest first',
  description:
    'Deliveries are kept for 30 days. `response` is the start of the last response of the endpoint, up to 16 KiB.',
  errors: ['INVALID_STATUS', 'VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'webhook',
  query: z.object({
    webhook_id: queryId,
    status: enumFilter('INVALID_STATUS', 'status', deliveryStatus),
    ...paging,
  }),
  variables: ({ query }) => ({
    id: query.webhook_id,
    ...pageArguments(query),
    filter: { status: query.status && [toGraphEnum(query.status)] },
  }),
  reply: page(delivery, ({ webhook: found }) => found?.deliveries, toDelivery),
})

const testWebhook = route('POST /v1/webhook-test', WebhookTestDocument, {
  id: 'WEB-TEST',
  scopes: ['events:write'],
  group,
  summary: 'Send a test message to a webhook',
  description:
    'The message has the type `webhook.test`, regardless of the `events` of the webhook. An inactive webhook returns NOT_FOUND.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'webhook',
  fieldNames,
  body: z.object({ webhook_id: id }),
  variables: ({ body }) => ({ input: { id: body.webhook_id } }),
  reply: one(delivery, ({ webhookTest }) => toDelivery(requireNode(webhookTest.delivery))),
})

const replayDeliveries = route('POST /v1/webhook-replay', WebhookReplayDocument, {
  id: 'WEB-REPLAY',
  scopes: ['events:write'],
  group,
  summary: 'Resend one delivery, or the missed messages of a webhook',
  description:
    'Send `delivery_id` to resend one delivery. Send `webhook_id` and `since` to resend what a webhook has missed since then: failed deliveries, and events that occurred while it was inactive (maximum 10,000 per request). Resent messages keep their `webhook-id` and body.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'delivery',
  body: z.object({ delivery_id: id.optional(), webhook_id: id.optional(), since: dateTime.optional() }),
  variables: ({ body }) => ({
    input: { deliveryId: body.delivery_id, webhookId: body.webhook_id, since: body.since },
  }),
  reply: one(z.strictObject({ replayed: z.int() }), ({ webhookReplay: { replayed } }) => ({ replayed })),
})

/** Webhooks. The specification mentions them but does not specify their endpoints. */
export const webhookRoutes = [
  createWebhook,
  listWebhooks,
  readWebhook,
  updateWebhook,
  deleteWebhook,
  listDeliveries,
  testWebhook,
  replayDeliveries,
]
