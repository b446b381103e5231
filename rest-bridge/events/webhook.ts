import * as z from 'zod'
import type { WebhookDeliveryOfListFragment, WebhookOfListFragment } from '../generated/documents.ts'
import { written } from '../route.ts'
import { isoMicroseconds } from '../time.ts'

const moment = z.iso.datetime({ precision: 6 })

/** A webhook by itself, and as a row of a list: without its secret. */
export const webhook = z.strictObject({
  id: z.int(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string(),
  active: z.boolean(),
  disabled_at: moment.nullable(),
  disabled_reason: z.enum(['gone', 'failing']).nullable(),
  created_at: moment,
})

/** What making a webhook answers: the one time that its secret is shown. */
export const newWebhook = webhook
  .pick({ id: true, url: true, events: true, active: true })
  .extend({ secret: z.string(), created_at: moment })

/** What a message's state can be, as REST calls it. */
export const status = z.enum(['pending', 'delivered', 'failed'])

/** A message to a webhook, and what became of it. */
export const delivery = z.strictObject({
  id: z.int(),
  message_id: z.string(),
  type: z.string(),
  status,
  attempts: z.int(),
  last_attempt_at: moment.nullable(),
  next_attempt_at: moment.nullable(),
  response_status: z.int().nullable(),
  response: z.string().nullable(),
  error: z.string().nullable(),
  created_at: moment,
  delivered_at: moment.nullable(),
})

/** Gives a webhook without its secret. */
export function toWebhook(node: WebhookOfListFragment) {
  return {
    id: node.databaseId,
    url: node.url,
    events: [...node.events],
    description: node.description,
    active: node.active,
    disabled_at: orNull(node.disabledAt),
    disabled_reason: (node.disabledReason?.toLowerCase() ?? null) as 'gone' | 'failing' | null,
    created_at: isoMicroseconds(node.createdAt),
  }
}

/** Gives what making a webhook answers. */
export function toNewWebhook(made: { webhook: WebhookOfListFragment | null; secret: string | null }) {
  const { id, url, events, active, created_at } = toWebhook(written(made.webhook))
  return { id, url, events, active, secret: made.secret ?? '', created_at }
}

/** Gives a message and what became of it. */
export function toDelivery(node: WebhookDeliveryOfListFragment) {
  return {
    id: Number(node.id),
    message_id: node.messageId,
    type: node.type,
    status: node.state.toLowerCase() as z.output<typeof status>,
    attempts: node.attempts,
    last_attempt_at: orNull(node.lastAttemptAt),
    next_attempt_at: orNull(node.nextAttemptAt),
    response_status: node.responseStatus,
    response: node.response,
    error: node.error,
    created_at: isoMicroseconds(node.createdAt),
    delivered_at: orNull(node.deliveredAt),
  }
}

function orNull(time: string | null): string | null {
  return time === null ? null : isoMicroseconds(time)
}
