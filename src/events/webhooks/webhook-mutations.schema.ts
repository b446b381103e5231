import { deletedNode, type InputBuilder, mutation } from '../../graphql/mutation.ts'
import { webhookDeliveries, webhookList, webhooks } from '../index.ts'
import { EventTypeEnum } from '../log/event.schema.ts'
import { WebhookType } from './webhook.schema.ts'
import { DeliveryType } from './webhook-delivery.schema.ts'

const idField = (t: InputBuilder) => ({
  id: t.id({ required: true, description: 'Global ID or integer ID of the webhook.' }),
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
      resolve: ({ webhook }, _args, ctx) => ctx.load(webhookList.secretOf, webhook.id),
    }),
  }),
})

mutation('webhookUpdate', {
  needs: 'events:write',
  description:
    'Updates the fields of a webhook that are sent. While a webhook is inactive, no deliveries are created and pending ones are suspended. After an update of `url`, `events`, `eventPatterns` or `document`, the webhook receives only events that the key can read. A new `url` or secret requires the scopes of all events that the webhook receives. A new `url` also ends pending deliveries with the status FAILED. If they are more than 5,000, none is sent from then on, but some have the status PENDING for some minutes.\n\n**Throws** WEBHOOK_EXISTS if another webhook has the URL.',
  input: (t) => ({
    ...idField(t),
    url: t.string({ description: urlDescription }),
    ...settings(t),
    active: t.boolean({ description: 'Whether the webhook receives events.' }),
    rotateSecret: t.boolean({
      description:
        'If true, creates a new secret. For 24 hours, messages are signed with both secrets, so that a receiver can switch.',
    }),
  }),
  run: webhooks.update,
  outside: 'preparation',
  payload: (t) => ({
    webhook: t.expose('webhook', { type: WebhookType, description: 'The updated webhook.' }),
    secret: t.string({
      nullable: true,
      description: `${secretDescription} Null if it was not rotated.`,
      resolve: ({ webhook, isRotated }, _args, ctx) => (isRotated ? ctx.load(webhookList.secretOf, webhook.id) : null),
    }),
  }),
})

mutation('webhookDelete', {
  needs: 'events:write',
  description: 'Deletes a webhook and cancels its pending deliveries.',
  input: idField,
  run: webhooks.remove,
  payload: (t) => deletedNode(t, WebhookType),
})

mutation('webhookTest', {
  needs: 'events:write',
  description:
    'Sends a message of the type `webhook.test` to one webhook, regardless of its `events`.\n\n**Emits** `webhook.test`. **Throws** NOT_FOUND if the webhook does not exist, and INVALID_STATE if it is inactive.',
  input: idField,
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
    'Sends one delivery again, or all that a webhook has missed since a time: failed deliveries, and events that occurred while it was inactive. One request sends at most 10,000 messages; repeat it to send the rest. Messages keep their `webhook-id` and body, but the body is built again if the URL of the webhook has changed. Requires the scopes of the messages.',
  input: (t) => ({
    deliveryId: t.id({ description: 'Global ID or integer ID of one delivery, in any status.' }),
    webhookId: t.id({
      description:
        'Global ID or integer ID of a webhook; requires `since`. With `deliveryId`, the webhook to which the delivery must belong.',
    }),
    since: t.field({
      type: 'DateTime',
      description: 'Start time (inclusive). Events older than the retention of the log are not sent.',
    }),
  }),
  run: webhookDeliveries.replay,
  payload: (t) => ({ replayed: t.exposeInt('replayed', { description: 'Number of messages that are sent again.' }) }),
})
