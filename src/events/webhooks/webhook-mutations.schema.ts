import { asOfNow, type InputBuilder, mutation } from '../../graphql/mutation.ts'
import { webhookDeliveries, webhookList, webhooks } from '../index.ts'
import { WebhookType } from './webhook.schema.ts'
import { DeliveryType } from './webhook-delivery.schema.ts'
import type { WebhookRow } from './webhook-list.ts'

const idField = (t: InputBuilder) => ({
  id: t.id({ required: true, description: 'The webhook, by global id or integer.' }),
})

const settings = (t: InputBuilder) => ({
  events: t.stringList({
    description:
      'What it is told of: names of events such as `contact.created`, beginnings such as `contact.*`, or `*`. A new one is told of everything when absent.',
  }),
  description: t.string({ description: 'What it is for: 1,000 characters at most.' }),
  document: t.string({
    description:
      'A GraphQL subscription on the field `events`, without arguments and variables: what it selects of an event is what a message says. Empty text, or none in a new one: what the REST API shows.',
  }),
})

const address =
  'An http or https URL, 2,000 characters at most, without a login or fragment, on the public Internet unless the server is told otherwise.'

/** The webhook of a result as it is now. */
const webhookField = asOfNow<{ webhook: WebhookRow }, WebhookRow>(webhookList.byId, (result) => result.webhook)

const secretText = 'What its messages are signed with: `whsec_` and Base64. Keep it.'

mutation('webhookCreate', {
  needs: 'events:write',
  description:
    'Adds an address that is told of events, no more than the key may read. Fails with WEBHOOK_EXISTS where the account has one with this URL. An account has 100 at most.',
  input: (t) => ({ url: t.string({ required: true, description: address }), ...settings(t) }),
  run: webhooks.create,
  payload: (t) => ({
    webhook: t.field({ type: WebhookType, description: 'The new webhook.', resolve: webhookField }),
    secret: t.string({
      nullable: true,
      description: secretText,
      resolve: ({ webhook }, _args, ctx) => ctx.load(webhookList.secretOf, webhook.id),
    }),
  }),
})

mutation('webhookUpdate', {
  needs: 'events:write',
  description:
    'Changes a webhook: only what is sent. While it is switched off nothing new is laid before it, and what is pending waits. From a change of what it is told, or where, it is told no more than the key may read. Another address or secret needs the scopes of all that the webhook was told; what is pending is then given up. Fails with WEBHOOK_EXISTS where another one has the URL.',
  input: (t) => ({
    ...idField(t),
    url: t.string({ description: address }),
    ...settings(t),
    active: t.boolean({ description: 'Whether it is told of events.' }),
    rotateSecret: t.boolean({ description: 'Gives it a new secret; for 24 hours the old one signs beside it.' }),
  }),
  run: webhooks.update,
  payload: (t) => ({
    webhook: t.field({ type: WebhookType, description: 'The webhook, changed.', resolve: webhookField }),
    secret: t.string({
      nullable: true,
      description: `${secretText} Null where it was not changed.`,
      resolve: ({ webhook, isRotated }, _args, ctx) => (isRotated ? ctx.load(webhookList.secretOf, webhook.id) : null),
    }),
  }),
})

mutation('webhookRotateSecret', {
  needs: 'events:write',
  description:
    'Gives a webhook a new secret. For 24 hours its messages carry two signatures, one by the old secret, so that a receiver can change over. Needs the scopes of all that the webhook is told.',
  input: idField,
  run: webhooks.rotateSecret,
  payload: (t) => ({
    webhook: t.field({ type: WebhookType, description: 'The webhook.', resolve: webhookField }),
    secret: t.string({
      nullable: true,
      description: secretText,
      resolve: ({ webhook }, _args, ctx) => ctx.load(webhookList.secretOf, webhook.id),
    }),
  }),
})

mutation('webhookDelete', {
  needs: 'events:write',
  description: 'Deletes a webhook. Nothing more is sent to it.',
  input: idField,
  run: webhooks.remove,
  payload: (t) => ({ databaseId: t.exposeInt('databaseId', { description: 'The integer that the webhook had.' }) }),
})

mutation('webhookTest', {
  needs: 'events:write',
  description:
    'Sends a webhook, and no other, a message of the type `webhook.test`, whatever it is told of. Fails with NOT_FOUND where it is switched off.',
  input: idField,
  run: webhookDeliveries.test,
  payload: (t) => ({
    delivery: t.field({
      type: DeliveryType,
      description:
        'The message on its way, as it was when it was made; the list of deliveries tells what became of it.',
      resolve: ({ delivery }) => delivery,
    }),
  }),
})

mutation('webhookReplay', {
  needs: 'events:write',
  description:
    'Sends again: one delivery, or what a webhook has missed since a moment: what was given up, and what happened while it was switched off. 10,000 at once at most; asked again it goes on with the rest. Messages keep their names and their bytes; what was made for another address is made anew. Needs the scopes of what is sent.',
  input: (t) => ({
    deliveryId: t.id({ description: 'One delivery, whatever became of it.' }),
    webhookId: t.id({
      description:
        'Or a webhook, by global id or integer; goes with `since`. Beside a delivery: the one that it belongs to.',
    }),
    since: t.field({ type: 'DateTime', description: 'From when on; the log remembers some days.' }),
  }),
  run: webhookDeliveries.replay,
  payload: (t) => ({ replayed: t.exposeInt('replayed', { description: 'How many messages are sent again.' }) }),
})
