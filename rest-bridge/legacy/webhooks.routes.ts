import * as z from 'zod'
import { one, route } from '../envelope/route.ts'
import { newWebhook, toNewWebhook } from '../events/webhook.ts'
import { newWebhookInput } from '../events/webhooks.routes.ts'
import { WebhookCreateDocument } from '../generated/documents.ts'

const createWebhook = route('POST /webhook', WebhookCreateDocument, {
  id: 'LEG-WEB-CREATE',
  scopes: ['events:write'],
  group: 'Legacy',
  summary: 'Create a webhook',
  status: 201,
  errors: ['WEBHOOK_EXISTS', 'VALIDATION_ERROR'],
  ...newWebhookInput,
  reply: one(newWebhook.extend({ webhook_id: z.int() }), ({ webhookCreate }) => {
    const created = toNewWebhook(webhookCreate)
    return { ...created, webhook_id: created.id }
  }),
})

/** Webhooks of the legacy API. */
export const legacyWebhookRoutes = [createWebhook]
