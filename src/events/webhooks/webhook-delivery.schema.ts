import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/builder.ts'
import { connectionOf } from '../../graphql/connection.ts'
import { largeNodeSource, Node } from '../../graphql/node.ts'
import { webhookDeliveries } from '../index.ts'
import type { DeliveryRow } from './webhook-deliveries.ts'

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
const loadTexts = async ({ id, attempts }: DeliveryRow, ctx: Ctx) =>
  attempts === 0 ? null : ctx.load(webhookDeliveries.deliveryTexts, id)

export const DeliveryType = builder.objectRef<DeliveryRow>('WebhookDelivery').implement({
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
    type: t.exposeString('type', { description: 'Type of the event, such as `contact.created`.' }),
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
        'Exact body of every attempt; null before the first. Requires the scope of the event and the scopes of all fields in the body.',
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

export const DeliveryFilter = builder.inputType('WebhookDeliveryFilterInput', {
  description: 'Filter of webhook deliveries.',
  fields: (t) => ({
    statuses: t.field({ type: [DeliveryStatus], description: 'Deliveries with any of these statuses.' }),
  }),
})

export const DeliveryConnection = connectionOf(DeliveryType, {
  noun: 'deliveries',
  filter: DeliveryFilter,
  orders: { CREATED_AT: 'Time at which the delivery was created.' },
})
