import type { ClientBase } from 'pg'
import type { Partitioned } from '../../db/partitions.ts'

/**
 * The log is kept by the day. A day is dropped when it is old enough, all of it has been stamped, and every reader is past
 * it; from then on an older cursor is refused, for what came after it is not all there any more.
 */
export function logPartitions(retentionDays: number): Partitioned {
  return {
    table: 'outbox_event',
    by: 'day',
    ahead: 3,
    expiry: { days: retentionDays, which: 'position IS NOT NULL', mayDrop },
  }
}

async function mayDrop(client: ClientBase, part: string, before: Date): Promise<boolean> {
  // The counter first, as who stamps does: otherwise each could wait for the other.
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
