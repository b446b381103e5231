import { declareEvents } from './declarations.ts'

export const webhookEvents = declareEvents(
  { kind: 'WebhookEvent', needs: 'events:read', sample: { webhookId: 1 } },
  { 'webhook.test': 'A test message was sent to a webhook.' },
)
