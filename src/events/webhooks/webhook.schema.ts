import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf, relevanceDescription } from '../../graphql/schema/filter.ts'
import { deletedNode, type InputBuilder, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { EventTypeEnum } from '../feed/event.schema.ts'
import { eventObject, resourceFields } from '../feed/event-object.schema.ts'
import { dryRun } from './dry-run.ts'
import { byId, list, lock, receivedTypes, secretOf, type WebhookRow, webhookFilter } from './webhook-list.ts'
import * as webhooks from './webhooks.ts'

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
  }),
})

nodeSource(WebhookType, 'events:read', byId)

filterKind('enum WebhookDisabledReason', [DisabledReason])

export const WebhookFilter = filterOf('WebhookFilterInput', 'webhooks', webhookFilter, {
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
    URL: 'URL, in the order of a dictionary.',
    RELEVANCE: relevanceDescription,
  },
})

const DryRun = builder.objectRef<{ body: string }>('WebhookDryRun').implement({
  description: 'Result of `webhookDryRun`: a message that was not sent.',
  fields: (t) => ({ body: t.exposeString('body', { description: 'Body of the message, as JSON text.' }) }),
})

readableWith('WebhookDryRun', 'events:read')

accountList('webhooks', WebhookConnection, list)

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
        description: idText('a webhook: returns the message that it would receive'),
      }),
      document: t.arg.string({
        description:
          'Subscription document: returns the message that a webhook with it would receive. Cannot be combined with `webhookId`.',
      }),
      type: t.arg({ type: EventTypeEnum, required: true, description: 'Type of the event.' }),
      subjectId: t.arg.id({
        description: `${idText('the subject')} It is the first ID in the data of the event. The last event of this subject is used.`,
      }),
    },
    complexity: 50,
    resolve: (_root, args, ctx) => dryRun(ctx, args),
  }),
}))

eventObject('WebhookChangeEvent', 'A webhook was created, updated, deactivated or deleted.', (t) =>
  resourceFields(t, 'webhook', WebhookType),
)

eventObject('WebhookEvent', 'A test message was sent to a webhook.', (t) => resourceFields(t, 'webhook', WebhookType))

/** The input field that identifies a webhook. */
export const webhookId = (t: InputBuilder) => ({
  id: t.id(requiredId('the webhook')),
})

const settings = (t: InputBuilder) => ({
  events: t.field({
    type: [EventTypeEnum],
    description:
      'Event types that the webhook receives. Replaces the earlier ones. Cannot be combined with `eventPatterns`. A new webhook without either receives all types except edits.',
  }),
  eventPatterns: t.stringList({
    description:
      'Patterns of the event types that the webhook receives: `*` for all types, also future ones, prefixes such as `contact.*`, and types such as `contact.created`. Edits are matched only by their types, such as `campaign.updated`, and by prefixes that no other types have, such as `tag.*`. Replaces the earlier ones.',
  }),
  description: t.string({ description: 'Description of the webhook. Maximum 1,000 characters.' }),
  document: t.string({
    description:
      'GraphQL subscription on the field `events`, without arguments and variables, that selects the data of the messages. An empty string removes it. Without a document, messages contain the resource as the REST API returns it.',
  }),
})

const urlDescription =
  'URL of the endpoint: http or https, maximum 2,000 characters, without credentials or a fragment. It must be on the public Internet, unless the server allows private addresses.'

const secretDescription =
  'Secret with which the messages are signed: `whsec_` followed by Base64. It is not returned again.'

mutation('webhookCreate', {
  needs: 'events:write',
  description:
    'Creates a webhook. It receives only events that the key can read. An account can have 100 webhooks.\n\n**Throws** WEBHOOK_EXISTS if the account already has a webhook with this URL.',
  input: (t) => ({ url: t.string({ required: true, description: urlDescription }), ...settings(t) }),
  run: webhooks.create,
  outside: 'preparation',
  payload: (t) => ({
    webhook: t.expose('webhook', { type: WebhookType, description: 'The created webhook.' }),
    secret: t.string({
      nullable: true,
      description: secretDescription,
      resolve: ({ webhook }, _args, ctx) => ctx.load(secretOf, webhook.id),
    }),
  }),
})

mutation('webhookUpdate', {
  needs: 'events:write',
  description:
    'Updates the fields of a webhook that are sent. While a webhook is inactive, no deliveries are created and pending ones are suspended. After an update of `url`, `events`, `eventPatterns` or `document`, the webhook receives only events that the key can read. A new `url` or secret needs the scopes of all events that the webhook receives. A new `url` also ends pending deliveries with the status FAILED. If they are more than 5,000, none is sent from then on, but some have the status PENDING for some minutes.\n\n**Throws** WEBHOOK_EXISTS if another webhook has the URL.',
  input: (t) => ({
    ...webhookId(t),
    url: t.string({ description: urlDescription }),
    ...settings(t),
    active: t.boolean({ description: 'Whether the webhook receives events.' }),
    rotateSecret: t.boolean({
      description:
        'If true, creates a new secret. For 24 hours, messages are signed with both secrets, so that a receiver can switch.',
    }),
  }),
  run: webhooks.update,
  lock: (tx, { id }) => lock(tx, id),
  outside: 'preparation',
  payload: (t) => ({
    webhook: t.expose('webhook', { type: WebhookType, description: 'The updated webhook.' }),
    secret: t.string({
      nullable: true,
      description: `${secretDescription} Null if it was not rotated.`,
      resolve: ({ webhook, isRotated }, _args, ctx) => (isRotated ? ctx.load(secretOf, webhook.id) : null),
    }),
  }),
})

mutation('webhookDelete', {
  needs: 'events:write',
  description: 'Deletes a webhook and cancels its pending deliveries.',
  input: webhookId,
  run: webhooks.remove,
  payload: (t) => deletedNode(t, WebhookType),
})
