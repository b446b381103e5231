import * as z from 'zod'
import { legacyRoute, one } from '../envelope/route.ts'
import { newWebhook, toNewWebhook } from '../events/webhook.ts'
import { createWebhook } from '../events/webhooks.routes.ts'
import { WebhookCreateDocument } from '../generated/documents.ts'

/** Webhooks of the legacy API. */
export const legacyWebhookRoutes = [
  legacyRoute('LEG-WEB-CREATE', createWebhook, WebhookCreateDocument, {
    reply: one(newWebhook.extend({ webhook_id: z.int() }), ({ webhookCreate }) => {
      const created = toNewWebhook(webhookCreate)
      return { ...created, webhook_id: created.id }
    }),
  }),
]
