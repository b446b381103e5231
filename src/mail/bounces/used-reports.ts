import { createHash } from 'node:crypto'
import type { System } from '../../db/context.ts'
import { deleteOld } from '../../db/retention.ts'
import { sql } from '../../db/sql.ts'
import { maxProofAge } from './bounce-proofs.ts'

/** Returns whether a signed report was taken in before. `key` is unique to the report. */
export async function isUsed(system: System, key: string): Promise<boolean> {
  const rows = await system.db.$unscoped(
    'a report is not about an account before it is read',
    sql`SELECT 1 FROM used_report WHERE hash = ${hashOf(key)}`,
  )
  return rows.length > 0
}

/** Records that a signed report was taken in. */
export async function markUsed(system: System, key: string): Promise<void> {
  await system.db.$unscoped(
    'a report is not about an account before it is read',
    sql`INSERT INTO used_report (hash, used_at) VALUES (${hashOf(key)}, ${system.clock.now()}::timestamptz)
      ON CONFLICT DO NOTHING`,
  )
}

/** Deletes the records of reports whose signatures are too old to be accepted again. */
export async function forgetUsedReports(system: System): Promise<void> {
  const keptDays = Math.ceil(maxProofAge / (24 * 60 * 60)) + 1
  await deleteOld(system, { table: 'used_report', since: 'used_at', keptDays })
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
