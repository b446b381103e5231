import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/builder.ts'
import { connectionOf, orderOf } from '../../graphql/connection.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { webhookDeliveries } from '../index.ts'
import type { DeliveryRow } from './webhook-deliveries.ts'

const DeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'How far a message to a webhook has come.',
  values: {
    PENDING: { description: 'Is sent now or later; while its webhook is switched off it waits.' },
    DELIVERED: { description: 'The endpoint has taken it.' },
    FAILED: { description: 'Was given up; a replay sends it again.' },
  },
})

/** What is long about a delivery, read when it is asked for; nothing before the first attempt, whatever came after the row. */
const textsOf = async ({ id, attempts }: DeliveryRow, ctx: Ctx) =>
  attempts === 0 ? null : ctx.load(webhookDeliveries.textsOf, id)

export const DeliveryType = builder.objectRef<DeliveryRow>('WebhookDelivery').implement({
  description: 'One message to one webhook, and what became of it.',
  fields: (t) => ({
    id: t.id({ description: 'Opaque; unique among deliveries.', resolve: ({ id }) => String(id) }),
    messageId: t.exposeString('messageId', {
      description: 'What its header `webhook-id` says: the same for all attempts, replays and webhooks of one event.',
    }),
    type: t.exposeString('type', { description: 'What happened, such as `contact.created`.' }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When it happened.' }),
    state: t.expose('state', { type: DeliveryState, description: 'How far it has come.' }),
    attempts: t.exposeInt('attempts', { description: 'How often it was sent, or tried to.' }),
    lastAttemptAt: t.expose('attemptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last sent; null where it was not yet.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is sent again, at the earliest; null where it is not.',
      resolve: ({ state, dueAt }) => (state === 'PENDING' ? dueAt : null),
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status of the last answer; null where none came.',
    }),
    response: t.string({
      nullable: true,
      description: 'The beginning of the last answer, 16 KiB at most; null where none came.',
      complexity: 5,
      resolve: async (delivery, _args, ctx) => (await textsOf(delivery, ctx))?.response ?? null,
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why no answer came, or none that counts.' }),
    milliseconds: t.exposeInt('milliseconds', { nullable: true, description: 'How long the last attempt took.' }),
    body: t.string({
      nullable: true,
      description:
        'What is sent, to the letter, in every attempt; null before the first. Needs the scopes of all that it shows: that of the event, and those of the fields that a document selects.',
      complexity: 5,
      resolve: ({ id, attempts }, _args, ctx) => (attempts === 0 ? null : webhookDeliveries.bodyOf(ctx, id)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was decided to send it.' }),
    deliveredAt: t.expose('deliveredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the endpoint took it; null where it has not.',
    }),
  }),
})

readableWith('WebhookDelivery', 'events:read')

export const DeliveryConnection = connectionOf('WebhookDelivery', DeliveryType, 'deliveries')

export const DeliveryFilter = builder.inputType('WebhookDeliveryFilter', {
  description: 'Which deliveries a list is about.',
  fields: (t) => ({
    states: t.field({ type: [DeliveryState], description: 'Those that have come as far as any of these.' }),
  }),
})

export const DeliveryOrder = orderOf(
  'WebhookDelivery',
  'deliveries',
  { CREATED_AT: 'When it was decided to send them.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)
