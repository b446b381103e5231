import { column, type Export, word } from '../db/export.ts'
import { sql } from '../db/sql.ts'
import { type WebhookFilter, webhooks } from './webhooks/webhook-list.ts'

const { flag, json, text, time, number } = column

/** Webhooks, without their secrets. */
const allWebhooks: Export<WebhookFilter> = {
  needs: ['events:read'],
  list: webhooks,
  shape: () => ({
    row: sql`w.url, w.events, w.description, w.active, w.disabled_at, w.disabled_reason, w.created_at`,
    columns: [
      number('id'),
      text('url'),
      json('events', sql`to_json(p.events)`),
      text('description'),
      flag('active'),
      time('disabled_at'),
      text('disabled_reason', word(sql`p.disabled_reason`)),
      time('created_at'),
    ],
  }),
}

/** The exports of this module. */
export const eventExports = { WEBHOOKS: allWebhooks } as const
