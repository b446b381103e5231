import { declareEvents } from './declarations.ts'

const needs = 'events:read'

export const webhookEvents = {
  ...declareEvents(
    { kind: 'WebhookEvent', needs, sample: { webhookId: 1 } },
    { 'webhook.test': 'A test message was sent to a webhook.' },
  ),
  ...declareEvents(
    { kind: 'WebhookChangeEvent', needs, sample: { webhookId: 1 }, isEdit: true },
    {
      'webhook.created': 'A webhook was created.',
      'webhook.updated':
        'The settings of a webhook were updated, it was paused or activated, or its secret was rotated.',
      'webhook.disabled': 'A webhook was deactivated, because its endpoint returned 410 or was failing for five days.',
      'webhook.deleted': 'A webhook was deleted.',
    },
  ),
}
