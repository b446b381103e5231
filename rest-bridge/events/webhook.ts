import * as z from 'zod'
import { requireNode } from '../envelope/route.ts'
import type { WebhookCreateMutation, WebhookDeliveryRowFragment, WebhookRowFragment } from '../generated/documents.ts'
import { toRestEnum } from '../values/enums.ts'
import { isoMicroseconds, isoMicrosecondsOrNull, isoTime } from '../values/time.ts'

/** A webhook, alone and in a list. It does not contain the secret. */
export const webhook = z.strictObject({
  id: z.int(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string(),
  active: z.boolean(),
  disabled_at: isoTime.nullable(),
  disabled_reason: z.enum(['gone', 'failing']).nullable(),
  created_at: isoTime,
})

/** A created webhook, with its secret. */
export const newWebhook = webhook
  .pick({ id: true, url: true, events: true, active: true })
  .extend({ secret: z.string(), created_at: isoTime })

export const deliveryStatus = z.enum(['pending', 'delivered', 'failed'])

/** A message to a webhook, with its status and last attempt. */
export const delivery = z.strictObject({
  id: z.int(),
  message_id: z.string(),
  type: z.string(),
  status: deliveryStatus,
  attempts: z.int(),
  last_attempt_at: isoTime.nullable(),
  next_attempt_at: isoTime.nullable(),
  response_status: z.int().nullable(),
  response: z.string().nullable(),
  error: z.string().nullable(),
  created_at: isoTime,
  delivered_at: isoTime.nullable(),
})

export function toWebhook(node: WebhookRowFragment) {
  return {
    id: node.databaseId,
    url: node.url,
    events: [...node.eventPatterns],
    description: node.description,
    active: node.active,
    disabled_at: isoMicrosecondsOrNull(node.disabledAt),
    disabled_reason: node.disabledReason && toRestEnum(node.disabledReason),
    created_at: isoMicroseconds(node.createdAt),
  }
}

export function toNewWebhook(payload: NonNullable<WebhookCreateMutation['webhookCreate']>) {
  const { id, url, events, active, created_at } = toWebhook(requireNode(payload.webhook))
  return { id, url, events, active, secret: payload.secret ?? '', created_at }
}

export function toDelivery(node: WebhookDeliveryRowFragment) {
  return {
    id: node.databaseId,
    message_id: node.messageId,
    type: node.name,
    status: toRestEnum(node.status),
    attempts: node.attempts,
    last_attempt_at: isoMicrosecondsOrNull(node.lastAttemptAt),
    next_attempt_at: isoMicrosecondsOrNull(node.nextAttemptAt),
    response_status: node.responseStatus,
    response: node.response,
    error: node.error,
    created_at: isoMicroseconds(node.createdAt),
    delivered_at: isoMicrosecondsOrNull(node.deliveredAt),
  }
}
