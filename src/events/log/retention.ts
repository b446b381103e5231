import type { ClientBase } from 'pg'
import type { PartitionedTable } from '../../db/upkeep/partitions.ts'

/**
 * The log is partitioned by day. A partition is dropped when it is older than the retention, all its events have a position,
 * and every reader has processed them. Cursors before that position then give CURSOR_EXPIRED.
 */
export function logPartitions(retentionDays: number): PartitionedTable {
  return {
    table: 'outbox_event',
    by: 'day',
    ahead: 3,
    expiry: { days: retentionDays, deletion: { which: 'position IS NOT NULL', mayDrop } },
  }
}

async function mayDrop(client: ClientBase, part: string, before: Date): Promise<boolean> {
  // Locks the counter first, as the sequencer does, to prevent a deadlock.
  await client.query('SELECT position FROM event_counter FOR UPDATE')
  const { rows } = await client.query<{ isStamped: boolean; last: string | null; slowest: string | null }>(
    `SELECT NOT EXISTS (SELECT FROM ${part} WHERE position IS NULL AND created_at < $1) AS "isStamped",
       (SELECT max(position)::text FROM ${part} WHERE created_at < $1) AS last,
       (SELECT min(position)::text FROM log_reader) AS slowest`,
    [before],
  )
  const { isStamped = false, last = null, slowest = null } = rows[0] ?? {}
  if (!isStamped) return false
  if (last === null) return true
  if (slowest !== null && BigInt(slowest) < BigInt(last)) return false
  await client.query('UPDATE event_counter SET dropped = GREATEST(dropped, $1)', [last])
  return true
}
