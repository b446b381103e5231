import * as z from 'zod'
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
import { flag, id, moment, queryId, refusing, someText, text } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { one, page, route, written } from '../route.ts'
import { delivery, newWebhook, status, toDelivery, toNewWebhook, toWebhook, webhook } from './webhook.ts'

const group = 'Webhooks'

const names = { id: 'webhook_id' }

const events = z
  .array(someText, { error: 'must be an array of strings' })
  .max(1000, 'must hold at most 1000 names')
  .meta({ examples: [['contact.created', 'order.*']] })

/** What making a webhook takes. */
export const webhookFields = z.object({
  url: someText.meta({ maxLength: 2000 }),
  events: events.optional(),
  description: text.meta({ maxLength: 1000 }).optional(),
})

const createWebhook = route(WebhookCreateDocument, {
  id: 'WEB-CREATE',
  method: 'POST',
  path: '/v1/webhook',
  needs: ['events:write'],
  group,
  summary: 'Create a webhook',
  description:
    'Each message is a POST with the body `{id, type, timestamp, data}`, signed as Standard Webhooks says. `events` are names such as `contact.created`, beginnings such as `contact.*`, or `*`, which is the default. The secret is shown here and when it is rotated.',
  status: 201,
  errors: ['WEBHOOK_EXISTS', 'VALIDATION_ERROR'],
  body: webhookFields,
  variables: ({ body }) => ({ input: body }),
  reply: one(newWebhook, ({ webhookCreate }) => toNewWebhook(webhookCreate)),
})

const listWebhooks = route(WebhookListDocument, {
  id: 'WEB-LIST',
  method: 'GET',
  path: '/v1/webhooks',
  needs: ['events:read'],
  group,
  summary: 'List webhooks, newest first',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(webhook, ({ webhooks }) => webhooks, toWebhook),
})

const readWebhook = route(WebhookReadDocument, {
  id: 'WEB-GET',
  method: 'GET',
  path: '/v1/webhook',
  needs: ['events:read'],
  group,
  summary: 'Read a webhook',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'webhook',
  query: z.object({ webhook_id: queryId }),
  variables: ({ query }) => ({ id: query.webhook_id }),
  reply: one(webhook, ({ webhook: found }) => found && toWebhook(found)),
})

const updateWebhook = route(WebhookUpdateDocument, {
  id: 'WEB-UPDATE',
  method: 'PUT',
  path: '/v1/webhook',
  needs: ['events:write'],
  group,
  summary: 'Update a webhook',
  description:
    'Only what is sent changes. `rotate_secret` gives a new secret, which the answer then shows; for 24 hours both sign. A new `url` or secret requires the read scopes of all events that the webhook is sent.',
  errors: ['WEBHOOK_EXISTS', 'VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'webhook',
  names,
  body: z.object({
    webhook_id: id,
    ...webhookFields.partial().shape,
    active: flag.optional(),
    rotate_secret: flag.optional(),
  }),
  variables: ({ body: { webhook_id, rotate_secret, ...rest } }) => ({
    input: { id: webhook_id, ...rest, rotateSecret: rotate_secret },
  }),
  reply: one(
    webhook.extend({ updated: z.literal(true), secret: z.string().optional() }),
    ({ webhookUpdate: { webhook: found, secret } }) => ({
      ...toWebhook(written(found)),
      updated: true as const,
      ...(secret !== null && { secret }),
    }),
  ),
})

const deleteWebhook = route(WebhookDeleteDocument, {
  id: 'WEB-DELETE',
  method: 'DELETE',
  path: '/v1/webhook',
  needs: ['events:write'],
  group,
  summary: 'Delete a webhook',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'webhook',
  names,
  body: z.object({ webhook_id: id }),
  variables: ({ body }) => ({ input: { id: body.webhook_id } }),
  reply: one(z.strictObject({ id: z.int(), deleted: z.literal(true) }), ({ webhookDelete }) => ({
    id: webhookDelete.databaseId,
    deleted: true as const,
  })),
})

const statusMessage = `status must be one of ${status.options.join(', ')}.`

const listDeliveries = route(WebhookDeliveryListDocument, {
  id: 'WEB-DELIVERIES',
  method: 'GET',
  path: '/v1/webhook-deliveries',
  needs: ['events:read'],
  group,
  summary: 'List what was or will be sent to a webhook, newest first',
  description: 'Kept for 30 days. `response` is the beginning of the last answer.',
  errors: ['INVALID_STATUS', 'VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'webhook',
  query: z.object({
    webhook_id: queryId,
    status: refusing('INVALID_STATUS', statusMessage, status.optional()),
    ...paging,
  }),
  variables: ({ query }) => ({
    id: query.webhook_id,
    ...pageArguments(query),
    filter: { states: query.status && [query.status.toUpperCase() as Uppercase<z.output<typeof status>>] },
  }),
  reply: page(delivery, ({ webhook: found }) => found?.deliveries, toDelivery),
})

const testWebhook = route(WebhookTestDocument, {
  id: 'WEB-TEST',
  method: 'POST',
  path: '/v1/webhook-test',
  needs: ['events:write'],
  group,
  summary: 'Send a webhook a test message',
  description: 'Of the type `webhook.test`, whatever else it is told of. A webhook that is not active is NOT_FOUND.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'webhook',
  names,
  body: z.object({ webhook_id: id }),
  variables: ({ body }) => ({ input: { id: body.webhook_id } }),
  reply: one(delivery, ({ webhookTest }) => toDelivery(written(webhookTest.delivery))),
})

const replay = route(WebhookReplayDocument, {
  id: 'WEB-REPLAY',
  method: 'POST',
  path: '/v1/webhook-replay',
  needs: ['events:write'],
  group,
  summary: 'Send again what was sent, or missed',
  description:
    'One delivery (`delivery_id`), or what a webhook has missed since a moment (`webhook_id` and `since`): what was given up, and what happened while it was not active; 10,000 at once at most. Messages keep their `webhook-id` and their bytes.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'delivery',
  body: z.object({ delivery_id: id.optional(), webhook_id: id.optional(), since: moment.optional() }),
  variables: ({ body }) => ({
    input: { deliveryId: body.delivery_id, webhookId: body.webhook_id, since: body.since },
  }),
  reply: one(z.strictObject({ replayed: z.int() }), ({ webhookReplay: { replayed } }) => ({ replayed })),
})

/** Webhooks: the specification names them, and leaves their form open. */
export const webhookRoutes = [
  createWebhook,
  listWebhooks,
  readWebhook,
  updateWebhook,
  deleteWebhook,
  listDeliveries,
  testWebhook,
  replay,
]
