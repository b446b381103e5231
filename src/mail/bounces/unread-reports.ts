import type { System } from '../../db/context.ts'
import { raw, sql } from '../../db/sql.ts'
import { removeOld } from '../../db/upkeep/retention.ts'

/** How long a report that could not be read is kept, how many, and how many bytes of each. */
const keptDays = 30
const maxReports = 1_000
const maxBytes = 64 * 1024

/** Why a report was kept. UNREADABLE: it names no recipient. NO_MESSAGE: no message of this server belongs to it. */
type UnreadReason = 'UNREADABLE' | 'NO_MESSAGE'

/** A returned message that could not be read or assigned. */
interface UnreadReport {
  readonly id: bigint
  readonly receivedAt: Date
  readonly reason: UnreadReason
  readonly size: number
}

/** How many reports this process has kept since its start. */
const kept: Record<UnreadReason, number> = { UNREADABLE: 0, NO_MESSAGE: 0 }

/** Returns the numbers of kept reports since the start of the process, by reason. */
export function readUnread() {
  return Object.entries(kept).map(([reason, value]) => ({ labels: { reason: reason.toLowerCase() }, value }))
}

const why = 'a report that could not be read belongs to no account'

/** Keeps the begin of a report for operators. The oldest are deleted when there are more than 1,000. */
export async function keepUnread(system: System, reason: UnreadReason, source: Uint8Array): Promise<void> {
  kept[reason] += 1
  system.log.info({ reason, bytes: source.length }, 'a returned message could not be read or assigned')
  await system.db.$unscoped(
    why,
    sql`INSERT INTO unread_report (received_at, reason, source)
      VALUES (${system.clock.now()}::timestamptz, ${reason}, ${Buffer.from(source.subarray(0, maxBytes))}::bytea)`,
  )
  await system.db.$unscoped(
    why,
    sql`DELETE FROM unread_report WHERE id <= (SELECT id FROM unread_report ORDER BY id DESC OFFSET ${raw(String(maxReports))} LIMIT 1)`,
  )
}

/** Lists the kept reports, the newest first. */
export function listUnread(system: Pick<System, 'db'>): Promise<UnreadReport[]> {
  return system.db.$unscoped<UnreadReport>(
    why,
    sql`SELECT id, received_at AS "receivedAt", reason, length(source) AS size FROM unread_report ORDER BY id DESC`,
  )
}

/** Returns the source of a kept report. Undefined if there is none. */
export async function findUnread(system: Pick<System, 'db'>, id: bigint): Promise<Uint8Array | undefined> {
  const [row] = await system.db.$unscoped<{ source: Uint8Array }>(
    why,
    sql`SELECT source FROM unread_report WHERE id = ${String(id)}::bigint`,
  )
  return row?.source
}

/** Deletes reports that are older than 30 days. */
export async function removeOldUnread(system: System): Promise<void> {
  await removeOld(system, { table: 'unread_report', since: 'received_at', keptDays })
}
