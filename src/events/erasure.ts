import { type ErasureStep, mentions, refersTo, tableStep } from '../db/persons/erasure.ts'
import { type Sql, sql } from '../db/sql.ts'

/** Returns event data without the texts that it can contain: the value of a custom field, and the URL of a click. */
function impersonal(data: Sql): Sql {
  return sql`(${data} || CASE WHEN ${data} ? 'value' THEN '{"value": ""}' ELSE '{}' END::jsonb)
    || CASE WHEN ${data} ? 'url' THEN '{"url": ""}' ELSE '{}' END::jsonb`
}

const eventLog = tableStep({
  name: 'event log',
  table: 'outbox_event',
  key: 'id',
  keyType: 'bigint',
  change: (tx, person, inBatch) => tx.sql`
    UPDATE outbox_event t SET data = ${impersonal(sql`t.data`)}
    WHERE t.account_id = ${tx.sql.account} AND ${inBatch} AND (t.data ? 'value' OR t.data ? 'url')
      AND (${refersTo(person, sql`t.data`)} OR ${mentions(person, sql`t.data::text`)})`,
})

const deliveries = tableStep({
  name: 'webhook deliveries',
  table: 'webhook_delivery',
  key: 'id',
  keyType: 'bigint',
  change: async (tx, person, inBatch) => {
    // The reader that creates deliveries may still copy events that it read before they were changed.
    await tx.db.$queryRaw`SELECT FROM log_reader WHERE name = 'webhooks' FOR SHARE`
    // Another number of attempts invalidates the claim of a worker, which may be about to store what it has built.
    await tx.sql`
      UPDATE webhook_delivery t SET data = ${impersonal(sql`t.data`)}, body = NULL, response = NULL, error = NULL,
        attempts = t.attempts + CASE WHEN t.state = 'PENDING' AND t.attempts > 0 THEN 1 ELSE 0 END,
        due_at = CASE WHEN t.state = 'PENDING' AND t.attempts > 0
          THEN least(t.due_at, ${tx.clock.now()}::timestamptz + interval '1 minute') ELSE t.due_at END
      WHERE t.account_id = ${tx.sql.account} AND ${inBatch} AND (${refersTo(person, sql`t.data`)}
        OR ${mentions(person, sql`concat(t.data::text, t.body, t.response, t.error)`)})`
  },
})

const parkedEvents = tableStep({
  name: 'parked events',
  table: 'parked_event',
  key: 'position',
  keyType: 'bigint',
  change: (tx, person, inBatch) => tx.sql`
    UPDATE parked_event t SET data = ${impersonal(sql`t.data`)}, error = ''
    WHERE t.account_id = ${tx.sql.account} AND ${inBatch}
      AND (${refersTo(person, sql`t.data`)} OR ${mentions(person, sql`concat(t.data::text, t.error)`)})`,
})

/** What is removed from events and their deliveries. Deliveries keep the IDs, states and times. */
export const eventErasure: readonly ErasureStep[] = [eventLog, deliveries, parkedEvents]
