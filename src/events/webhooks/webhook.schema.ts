import { builder } from '../../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../../graphql/connection.ts'
import { needing } from '../../graphql/mutation.ts'
import { Node, nodeSource } from '../../graphql/node.ts'
import { allowed } from '../../graphql/query.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { idOf } from '../../kernel/ids.ts'
import { webhookDeliveries, webhookDryRun, webhookList } from '../index.ts'
import { EventTypeEnum } from '../log/event.schema.ts'
import { WebhookEvent } from '../log/event-kinds.schema.ts'
import { DeliveryConnection, DeliveryFilter, DeliveryOrder } from './webhook-delivery.schema.ts'
import type { WebhookRow } from './webhook-list.ts'

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'Why a webhook was switched off without anyone asking for it.',
  values: {
    GONE: { description: 'Its endpoint has answered 410, which asks for no more.' },
    FAILING: { description: 'Its endpoint has taken nothing for five days.' },
  },
})

export const WebhookType = builder.objectRef<WebhookRow>('Webhook').implement({
  description:
    'An address that is told of events, each by a signed POST (Standard Webhooks). Its secret is shown when it is made and when it is changed.',
  interfaces: [Node],
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Where the messages go.' }),
    events: t.exposeStringList('events', {
      description:
        'What it is told of: names of events such as `contact.created`, beginnings such as `contact.*`, or `*`.',
    }),
    description: t.exposeString('description', { description: 'What it is for; may be empty.' }),
    document: t.exposeString('document', {
      nullable: true,
      description:
        "The GraphQL subscription that selects what its messages say; null where they say what the event's resource looks like in the REST API.",
    }),
    active: t.exposeBoolean('active', { description: 'Whether it is told of events.' }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was switched off by the server; null where it was not, or was switched on again.',
    }),
    disabledReason: t.expose('disabledReason', {
      type: DisabledReason,
      nullable: true,
      description: 'Why it was; null where it was not.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when its endpoint has taken nothing; null where it has taken its last message.',
    }),
    lastSuccessAt: t.expose('lastSuccessAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its endpoint last took a message, to the minute; null where it never has.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its settings were last changed.' }),
    deliveries: t.field({
      type: DeliveryConnection,
      description: 'What was or will be sent to it, the newest first unless ordered otherwise. Kept for 30 days.',
      args: listArgs(t.arg, DeliveryFilter, DeliveryOrder),
      complexity: pageCost,
      resolve: ({ id }, args, ctx) => webhookDeliveries.listOfWebhook(ctx, id, args),
    }),
  }),
})

nodeSource('Webhook', 'events:read', webhookList.byId)

export const WebhookConnection = connectionOf('Webhook', WebhookType, 'webhooks')

export const WebhookFilter = builder.inputType('WebhookFilter', {
  description: 'Which webhooks a list is about; all conditions must hold.',
  fields: (t) => ({
    active: t.boolean({ description: 'Those that are, or are not, told of events.' }),
    event: t.field({
      type: EventTypeEnum,
      description: 'Those that have asked for this event, by whatever pattern, and may be told of it.',
    }),
    search: t.string({ description: 'Those whose address contains this text, in whatever case.' }),
  }),
})

export const WebhookOrder = orderOf(
  'Webhook',
  'webhooks',
  { CREATED_AT: 'When they were made.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

const DryRun = builder.objectRef<{ body: string }>('WebhookDryRun').implement({
  description: 'A message that is not sent.',
  fields: (t) => ({ body: t.exposeString('body', { description: 'What it would say: JSON text.' }) }),
})

readableWith('WebhookDryRun', 'events:read')

builder.queryFields((t) => ({
  webhook: t.field({
    type: WebhookType,
    nullable: true,
    description: needing('events:read', 'A webhook, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The webhook, by global id or integer.' }) },
    resolve: allowed('events:read', (_root, { id }, ctx) => ctx.load(webhookList.byId, idOf('Webhook', id))),
  }),
  webhooks: t.field({
    type: WebhookConnection,
    description: needing('events:read', 'The webhooks of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, WebhookFilter, WebhookOrder),
    complexity: pageCost,
    resolve: allowed('events:read', (_root, args, ctx) => webhookList.list(ctx, args)),
  }),
  webhookDryRun: t.field({
    type: DryRun,
    description: needing(
      'events:read',
      'What a message would say; nothing is sent. It tells of the last event of the type that the log remembers, or of one that could be where there is none. The key must be allowed to read what the event is about.',
    ),
    args: {
      webhookId: t.arg.id({ description: 'What this webhook would be told, by global id or integer.' }),
      document: t.arg.string({ description: 'Or what a webhook with this document would be told.' }),
      type: t.arg({ type: EventTypeEnum, required: true, description: 'Of what kind of event.' }),
      subjectId: t.arg.id({
        description: 'About what: the first of the ids that the event has, as global id or integer.',
      }),
    },
    complexity: 100,
    resolve: allowed('events:read', (_root, args, ctx) => webhookDryRun(ctx, args)),
  }),
}))

builder.objectField(WebhookEvent, 'webhook', (t) =>
  t.field({
    type: WebhookType,
    nullable: true,
    description: 'The webhook; null where it is gone.',
    resolve: ({ data }, _args, ctx) => ctx.load(webhookList.byId, data.webhookId),
  }),
)
