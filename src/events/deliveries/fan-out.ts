import { type Sql, sql } from '../../db/sql.ts'
import type { Reader } from '../log/readers.ts'
import { patternTable } from '../webhooks/event-patterns.ts'
import { receivesEvent } from '../webhooks/webhook-list.ts'
import { deliveriesChannel } from '../webhooks/webhooks.ts'

/** The `webhook-id` of an event `e`. It is the same for all webhooks, attempts and replays, so receivers detect repeats. */
export const messageIdOfEvent = sql`'msg_' || left(encode(sha256(convert_to(e.account_id || ':' || e.id, 'UTF8')), 'hex'), 32)`

/** Returns the event types as rows `t` to join with: type, patterns that match it, required scope. */
export function eventTypeRows(): Sql {
  const rows = patternTable().filter(({ type }) => type !== 'webhook.test')
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS t(type text, patterns text[], needs text)`
}

/** True if the webhook `w` receives events of the type `t`. */
export const isSubscribed = receivesEvent(sql`t.patterns`, sql`t.needs`)

/**
 * Creates the deliveries of each event, with one statement for all events of a batch. `delivery-worker.ts` sends them. The
 * lock waits for a concurrent update of the URL. A `webhook.test` is skipped, because its delivery already exists.
 */
export const webhookFanOut: Reader = {
  name: 'webhooks',
  read: async (tx, events) => {
    const [first, last] = [events[0], events.at(-1)]
    if (!first || !last) return
    const now = tx.clock.now()
    const created = await tx.db.$executeRaw`
      INSERT INTO webhook_delivery
        (account_id, webhook_id, event_id, position, message_id, type, data, occurred_at, due_at, created_at, generation)
      SELECT e.account_id, w.id, e.id, e.position, ${messageIdOfEvent}, e.type, e.data, e.created_at, ${now}::timestamptz,
        ${now}::timestamptz, w.generation
      FROM outbox_event e JOIN ${eventTypeRows()} ON t.type = e.type
      JOIN webhook w ON w.account_id = e.account_id AND w.active AND ${isSubscribed}
      WHERE e.position BETWEEN ${first.position} AND ${last.position} ORDER BY e.position, w.id
      FOR KEY SHARE OF w
      ON CONFLICT (account_id, webhook_id, event_id) DO NOTHING`
    if (created > 0) tx.afterCommit(() => tx.notify(deliveriesChannel))
  },
}
