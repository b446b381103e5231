import { builder } from '../../graphql/builder.ts'
import { accountList, connectionOf } from '../../graphql/connection.ts'
import { filterKind, filterOf, relevanceDescription } from '../../graphql/filter.ts'
import { Node, nodeSource } from '../../graphql/node.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { webhookDeliveries, webhookDryRun, webhookList } from '../index.ts'
import { EventTypeEnum } from '../log/event.schema.ts'
import { eventObject, resourceFields } from '../log/event-object.schema.ts'
import { DeliveryConnection } from './webhook-delivery.schema.ts'
import { receivedTypes, type WebhookRow } from './webhook-list.ts'

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'Reason why the server disabled a webhook.',
  values: {
    GONE: { description: 'The endpoint responded with status 410.' },
    FAILING: { description: 'All attempts have failed for five days.' },
  },
})

export const WebhookType = builder.objectRef<WebhookRow>('Webhook').implement({
  description:
    'An endpoint that receives events, each as a POST request that is signed according to Standard Webhooks. The secret is returned only when the webhook is created and when the secret is rotated.',
  interfaces: [Node],
  fields: (t) => ({
    url: t.exposeString('url', { description: 'URL of the endpoint.' }),
    events: t.field({
      type: [EventTypeEnum],
      description:
        'Event types that the webhook receives: a pattern matches them, and the scopes of the webhook include them.',
      resolve: (webhook) => receivedTypes(webhook),
    }),
    eventPatterns: t.exposeStringList('events', {
      description:
        'Patterns that select the event types: types as messages spell them (`contact.created`), prefixes (`contact.*`), or `*` for all types, also future ones. Edits are matched only by their types, and by prefixes that no other types have (`tag.*`).',
    }),
    description: t.exposeString('description', { description: 'Description of the webhook; may be empty.' }),
    document: t.exposeString('document', {
      nullable: true,
      description:
        'GraphQL subscription that selects the data of the messages; null if they contain the resource as the REST API returns it.',
    }),
    active: t.exposeBoolean('active', { description: 'Whether the webhook receives events.' }),
    disabledAt: t.exposeTime('disabledAt', {
      nullable: true,
      description:
        'Time at which the server disabled the webhook; null if it did not, or if the webhook was activated again.',
    }),
    disabledReason: t.expose('disabledReason', {
      type: DisabledReason,
      nullable: true,
      description: 'Reason why the server disabled the webhook; null if it did not.',
    }),
    failingSince: t.exposeTime('failingSince', {
      nullable: true,
      description: 'Time of the first of the current failures; null if the last attempt succeeded.',
    }),
    lastSuccessAt: t.exposeTime('lastSuccessAt', {
      nullable: true,
      description: 'Time of the last successful attempt, updated at most once per minute; null if there is none.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the webhook was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last update of its settings.' }),
    deliveries: t.connection(DeliveryConnection, {
      description: 'Deliveries to the webhook, newest first by default. Deliveries are kept for 30 days.',
      resolve: ({ id }, args, ctx) => webhookDeliveries.listOfWebhook(ctx, id, args),
    }),
  }),
})

nodeSource(WebhookType, 'events:read', webhookList.byId)

filterKind('enum WebhookDisabledReason', [DisabledReason])

export const WebhookFilter = filterOf('WebhookFilterInput', 'webhooks', webhookList.webhookFilter, {
  id: 'The webhook itself.',
  url: 'URL of the endpoint.',
  description: 'Description. It exists if it is not empty.',
  active: 'Whether the webhook receives events.',
  events:
    'The webhook receives at least one of these event types: a pattern matches it, and the scopes of the webhook include it.',
  disabledReason: 'One of these reasons why the server disabled the webhook.',
  disabledAt: 'Time at which the server disabled the webhook. Any other webhook does not match.',
  failingSince: 'Time of the first of the current failures. A webhook whose last attempt succeeded does not match.',
  lastSuccessAt: 'Time of the last successful attempt. A webhook without one does not match.',
  createdAt: 'Time at which the webhook was created.',
  updatedAt: 'Time of the last update of its settings.',
  search: 'Words in any order, in the URL and the description.',
})

const WebhookConnection = connectionOf(WebhookType, {
  noun: 'webhooks',
  filter: WebhookFilter,
  orders: {
    CREATED_AT: 'Time at which the webhook was created.',
    UPDATED_AT: 'Time of the last update of its settings.',
    URL: 'URL, regardless of case.',
    RELEVANCE: relevanceDescription,
  },
})

const DryRun = builder.objectRef<{ body: string }>('WebhookDryRun').implement({
  description: 'Result of `webhookDryRun`: a message that was not sent.',
  fields: (t) => ({ body: t.exposeString('body', { description: 'Body of the message, as JSON text.' }) }),
})

readableWith('WebhookDryRun', 'events:read')

accountList('webhooks', WebhookConnection, webhookList.list)

builder.queryFields((t) => ({
  webhook: t.nodeById({
    type: WebhookType,
    description: 'Returns a webhook, or null if the account has none with this ID.',
  }),
  webhookDryRun: t.field({
    type: DryRun,
    description:
      'Returns the message of an event without sending it. Uses the last stored event of the type, or sample data if there is none. The key must have the scope of the event type.',
    args: {
      webhookId: t.arg.id({
        description: 'Global ID or integer ID of a webhook: returns the message that it would receive.',
      }),
      document: t.arg.string({
        description:
          'Subscription document: returns the message that a webhook with it would receive. Cannot be combined with `webhookId`.',
      }),
      type: t.arg({ type: EventTypeEnum, required: true, description: 'Type of the event.' }),
      subjectId: t.arg.id({
        description:
          'Global ID or integer ID of the subject, the first ID in the data of the event. Uses the last event of this subject.',
      }),
    },
    complexity: 100,
    resolve: (_root, args, ctx) => webhookDryRun(ctx, args),
  }),
}))

eventObject('WebhookEvent', 'A test message was sent to a webhook.', (t) => resourceFields(t, 'webhook', WebhookType))
