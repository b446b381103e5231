import { sql } from '../../db/sql.ts'
import type { Reader } from '../log/readers.ts'
import { matching } from './webhook-events.ts'
import { isToldOf } from './webhook-list.ts'
import { deliveriesChannel } from './webhooks.ts'

/** The name of a message about an event `e`: one for all webhooks, attempts and replays, so that a repeat can be told. */
export const messageIdOfEvent = sql`'msg_' || left(encode(sha256(convert_to(e.account_id || ':' || e.id, 'UTF8')), 'hex'), 32)`

/** Each event type with the patterns that name it and the scope it needs, as rows to join with. */
export const types = sql`jsonb_to_recordset(${JSON.stringify(
  matching.filter(({ type }) => type !== 'webhook.test'),
)}::jsonb) AS t(type text, patterns text[], needs text)`

/** Whether a webhook `w` is to be told of an event of the type `t`. */
export const isWanted = isToldOf(sql`t.patterns`, sql`t.needs`)

/**
 * Lays each event before the webhooks of its account: one statement for all events that a reader gets at once. Telling
 * them is the work of `deliver.ts`. The lock waits for a webhook that is given another address at this moment. A test is not laid before anyone: its delivery is made with it.
 */
export const webhookFanOut: Reader = {
  name: 'webhooks',
  read: async (tx, events) => {
    const [first, last] = [events[0], events.at(-1)]
    if (!first || !last) return
    const now = tx.clock.now()
    const made = await tx.db.$executeRaw`
      INSERT INTO webhook_delivery
        (account_id, webhook_id, event_id, position, message_id, type, data, occurred_at, due_at, created_at, generation)
      SELECT e.account_id, w.id, e.id, e.position, ${messageIdOfEvent}, e.type, e.data, e.created_at, ${now}::timestamptz,
        ${now}::timestamptz, w.generation
      FROM outbox_event e JOIN ${types} ON t.type = e.type
      JOIN webhook w ON w.account_id = e.account_id AND w.active AND ${isWanted}
      WHERE e.position BETWEEN ${first.position} AND ${last.position} ORDER BY e.position, w.id
      FOR KEY SHARE OF w
      ON CONFLICT (account_id, webhook_id, event_id) DO NOTHING`
    if (made > 0) tx.afterCommit(() => tx.notify?.(deliveriesChannel))
  },
}
