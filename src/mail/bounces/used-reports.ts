import { createHash } from 'node:crypto'
import type { System } from '../../db/context.ts'
import { deleteOld } from '../../db/retention.ts'
import { sql } from '../../db/sql.ts'
import { maxSignatureAgeSeconds } from './webhook-signatures.ts'

/** Returns whether a signed report was recorded before. `key` is unique to the report. */
export async function isReportUsed(system: System, key: string): Promise<boolean> {
  const rows = await system.db.$unscoped(
    'a report is not about an account before it is read',
    sql`SELECT 1 FROM used_report WHERE hash = ${hashOf(key)}`,
  )
  return rows.length > 0
}

/** Stores that a signed report was recorded. */
export async function markReportUsed(system: System, key: string): Promise<void> {
  await system.db.$unscoped(
    'a report is not about an account before it is read',
    sql`INSERT INTO used_report (hash, used_at) VALUES (${hashOf(key)}, ${system.clock.now()}::timestamptz)
      ON CONFLICT DO NOTHING`,
  )
}

/** Deletes the keys of reports whose signatures have expired. */
export async function deleteUsedReports(system: System): Promise<void> {
  const keptDays = Math.ceil(maxSignatureAgeSeconds / (24 * 60 * 60)) + 1
  await deleteOld(system, { table: 'used_report', since: 'used_at', keptDays })
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
