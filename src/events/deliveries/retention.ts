import type { System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { removeOld } from '../../db/upkeep/retention.ts'

/** Deliveries are deleted after this time. */
const keptDays = 30

const deleteBatchSize = 5_000

/** Deletes old deliveries and those of deleted webhooks, in batches. */
export async function forgetOldDeliveries(system: System): Promise<void> {
  await removeOld(system, { table: 'webhook_delivery', since: 'created_at', keptDays })
  for (let deleted = deleteBatchSize; deleted === deleteBatchSize; ) {
    const rows = await system.db.$unscoped(
      'deletes the deliveries of deleted webhooks of all accounts',
      sql`
      WITH RECURSIVE known AS (
        (SELECT account_id, webhook_id FROM webhook_delivery ORDER BY account_id, webhook_id LIMIT 1)
        UNION ALL
        SELECT next.* FROM known CROSS JOIN LATERAL (
          SELECT d.account_id, d.webhook_id FROM webhook_delivery d
          WHERE (d.account_id, d.webhook_id) > (known.account_id, known.webhook_id)
          ORDER BY d.account_id, d.webhook_id LIMIT 1) next
      ), orphan AS (
        SELECT d.account_id, d.id FROM known k JOIN webhook_delivery d USING (account_id, webhook_id)
        WHERE NOT EXISTS (SELECT FROM webhook w WHERE w.account_id = k.account_id AND w.id = k.webhook_id) LIMIT ${deleteBatchSize}
      )
      DELETE FROM webhook_delivery d USING orphan o WHERE d.account_id = o.account_id AND d.id = o.id RETURNING d.id`,
    )
    deleted = rows.length
  }
}

/** Returns the number of due deliveries and the age of the oldest in seconds. */
export async function countDeliveries(system: System): Promise<{ due: number; oldestSeconds: number }> {
  const now = system.clock.now()
  const [row] = await system.db.$unscoped<{ due: number; oldestSeconds: number }>(
    'metrics cover the queue of all accounts',
    sql`SELECT count(*)::int AS due,
          coalesce(extract(epoch FROM ${now}::timestamptz - min(d.due_at)), 0)::float8 AS "oldestSeconds"
        FROM webhook_delivery d JOIN webhook w ON w.account_id = d.account_id AND w.id = d.webhook_id
          AND w.generation = d.generation AND w.active
        WHERE d.state = 'PENDING' AND d.due_at <= ${now}::timestamptz`,
  )
  return row ?? { due: 0, oldestSeconds: 0 }
}
