import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { idText } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { largeNodeSource, Node } from '../../graphql/schema/node.ts'
import { EventTypeEnum } from '../feed/event.schema.ts'
import { isEventType } from '../types/event-types.ts'
import { WebhookType, webhookId } from '../webhooks/webhook.schema.ts'
import * as webhookDeliveries from './deliveries.ts'

const DeliveryStatus = builder.enumType('WebhookDeliveryStatus', {
  description: 'Status of a webhook delivery.',
  values: {
    PENDING: {
      description: 'An attempt is in progress or scheduled. Attempts are suspended while the webhook is inactive.',
    },
    DELIVERED: { description: 'The endpoint responded with a 2xx status.' },
    FAILED: { description: 'No further attempt is made. `webhookReplay` sends the message again.' },
  },
})

/** Loads the long fields of a delivery. Returns null before the first attempt, so that it agrees with the row. */
const loadTexts = async ({ id, attempts }: webhookDeliveries.DeliveryRow, ctx: Ctx) =>
  attempts === 0 ? null : ctx.load(webhookDeliveries.deliveryTexts, id)

const DeliveryType = builder.objectRef<webhookDeliveries.DeliveryRow>('WebhookDelivery').implement({
  description: 'A message to a webhook, with its status and last attempt.',
  interfaces: [Node],
  fields: (t) => ({
    databaseId: t.float({
      description:
        'Integer ID of the delivery: the `id` in the REST API. A Float, because it can exceed the range of Int.',
      resolve: ({ id }) => Number(id),
    }),
    messageId: t.exposeString('messageId', {
      description:
        'Value of the header `webhook-id`. It is the same for all attempts, replays and webhooks of one event.',
    }),
    type: t.field({
      type: EventTypeEnum,
      nullable: true,
      description: 'Type of the event; null if only another version of the server knows it.',
      resolve: ({ type }) => (isEventType(type) ? type : null),
    }),
    name: t.exposeString('type', {
      description: 'Type of the event as the message spells it, such as `contact.created`.',
    }),
    occurredAt: t.exposeTime('occurredAt', { description: 'Time of the event.' }),
    status: t.expose('status', { type: DeliveryStatus, description: 'Status of the delivery.' }),
    attempts: t.exposeInt('attempts', { description: 'Number of attempts, including replays.' }),
    lastAttemptAt: t.exposeTime('attemptedAt', {
      nullable: true,
      description: 'Time of the last attempt; null before the first.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Earliest time of the next attempt; null if none is scheduled.',
      resolve: ({ status, dueAt }) => (status === 'PENDING' ? dueAt : null),
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'HTTP status of the last response; null if there was none.',
    }),
    response: t.string({
      nullable: true,
      description: 'Start of the body of the last response, up to 16 KiB; null if there was none.',
      complexity: 5,
      resolve: async (delivery, _args, ctx) => (await loadTexts(delivery, ctx))?.response ?? null,
    }),
    error: t.exposeString('error', {
      nullable: true,
      description:
        'Reason of the last failure, such as a timeout; null if the last attempt got a response that was not a redirect.',
    }),
    milliseconds: t.exposeInt('milliseconds', {
      nullable: true,
      description: 'Duration of the last attempt in milliseconds; null before the first.',
    }),
    body: t.string({
      nullable: true,
      description:
        'Exact body of every attempt; null before the first. Needs the scope of the event and the scopes of all fields in the body.',
      complexity: 5,
      resolve: ({ id, attempts }, _args, ctx) => (attempts === 0 ? null : webhookDeliveries.readBody(ctx, id)),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the delivery was created.' }),
    deliveredAt: t.exposeTime('deliveredAt', {
      nullable: true,
      description: 'Time of the successful attempt; null if there is none.',
    }),
  }),
})

largeNodeSource(DeliveryType, 'events:read', webhookDeliveries.byId)

filterKind('enum EventType', [EventTypeEnum])
filterKind('enum WebhookDeliveryStatus', [DeliveryStatus])

const DeliveryFilter = filterOf('WebhookDeliveryFilterInput', 'deliveries', webhookDeliveries.deliveryFilter, {
  messageId: 'Value of the header `webhook-id`.',
  type: 'One of these event types.',
  status: 'One of these statuses.',
  attempts: 'Number of attempts, including replays.',
  responseStatus: 'HTTP status of the last response. A delivery without a response does not match.',
  error: 'Reason of the last failure. It exists if the last attempt failed without a response or with a redirect.',
  milliseconds: 'Duration of the last attempt. A delivery without an attempt does not match.',
  occurredAt: 'Time of the event.',
  lastAttemptAt: 'Time of the last attempt. A delivery without an attempt does not match.',
  createdAt: 'Time at which the delivery was created.',
  deliveredAt: 'Time of the successful attempt. A delivery without one does not match.',
})

const DeliveryConnection = connectionOf(DeliveryType, {
  noun: 'deliveries',
  filter: DeliveryFilter,
  orders: { CREATED_AT: 'Time at which the delivery was created.' },
})

builder.objectField(WebhookType, 'deliveries', (t) =>
  t.connection(DeliveryConnection, {
    description: 'Deliveries to the webhook, newest first by default. Deliveries are kept for 30 days.',
    resolve: ({ id }, args, ctx) => webhookDeliveries.listOfWebhook(ctx, id, args),
  }),
)

mutation('webhookTest', {
  needs: 'events:write',
  description:
    'Sends a message of the type `webhook.test` to one webhook, regardless of its `events`.\n\n**Emits** `webhook.test`. **Throws** NOT_FOUND if the webhook does not exist, and INVALID_STATE if it is inactive.',
  input: webhookId,
  run: webhookDeliveries.test,
  payload: (t) => ({
    delivery: t.expose('delivery', {
      type: DeliveryType,
      description: 'The created delivery. Query the deliveries of the webhook for its result.',
    }),
  }),
})

mutation('webhookReplay', {
  needs: 'events:write',
  description:
    'Sends one delivery again, or all that a webhook has missed since a time: failed deliveries, and events that occurred while it was inactive. One request sends at most 10,000 messages; repeat it to send the rest. Messages keep their `webhook-id` and body, but the body is built again if the URL of the webhook has changed. Needs the scopes of the messages.',
  input: (t) => ({
    deliveryId: t.id({ description: idText('one delivery, in any status') }),
    webhookId: t.id({
      description: `${idText('a webhook')} Requires \`since\`. With \`deliveryId\`, the webhook to which the delivery must belong.`,
    }),
    since: t.field({
      type: 'DateTime',
      description: 'Start time (inclusive). Events older than the retention of the log are not sent.',
    }),
  }),
  run: webhookDeliveries.replay,
  payload: (t) => ({ replayed: t.exposeInt('replayed', { description: 'Number of messages that are sent again.' }) }),
})
