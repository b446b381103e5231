import { createHash } from 'node:crypto'
import type { System } from '../../db/context.ts'
import { hashOf } from '../../db/requests/idempotency.ts'
import { sql } from '../../db/sql.ts'
import { removeOld } from '../../db/upkeep/retention.ts'
import { maxSignatureAgeSeconds } from './webhook-signatures.ts'

/** What identifies a signed request. */
interface ReportKey {
  /** Text that is unique to the request. */
  readonly key: string
  /** The content, if the signature does not cover it. */
  readonly content?: unknown
}

/**
 * Returns whether a signed request was recorded before: as it is, or with other content, for which someone used its signature
 * again.
 */
export async function findUse(system: System, report: ReportKey): Promise<'none' | 'same' | 'other'> {
  const rows = await system.db.$unscoped<{ hash: Uint8Array }>(
    'a report is not about an account before it is read',
    sql`SELECT hash FROM used_report WHERE hash = ANY(${hashesOf(report)}::bytea[])`,
  )
  if (rows.length === 0) return 'none'
  return rows.length < hashesOf(report).length ? 'other' : 'same'
}

/** Time after which a request that was not recorded completely, because its process ended, can be claimed again. */
const claimTtlMs = 60_000

/**
 * Claims a signed request before it is recorded, so that of several at a time with one signature, in any process, only one is.
 * Returns false if another request has the claim.
 */
export async function claimReport(system: System, { key }: ReportKey): Promise<boolean> {
  const now = system.clock.now()
  const rows = await system.db.$unscoped(
    'a report is not about an account before it is read',
    sql`INSERT INTO used_report AS u (hash, used_at) VALUES (${claimOf(key)}, ${now}::timestamptz)
      ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at
        WHERE u.used_at <= ${new Date(now.getTime() - claimTtlMs)}::timestamptz
      RETURNING hash`,
  )
  return rows.length > 0
}

/** Releases the claim of a request, whether it was recorded or not. */
export async function releaseReport(system: System, { key }: ReportKey): Promise<void> {
  await system.db.$unscoped(
    'a report is not about an account before it is read',
    sql`DELETE FROM used_report WHERE hash = ${claimOf(key)}`,
  )
}

/** Stores that a signed request was recorded. */
export async function markReportUsed(system: System, report: ReportKey): Promise<void> {
  await system.db.$unscoped(
    'a report is not about an account before it is read',
    sql`INSERT INTO used_report (hash, used_at)
      SELECT hash, ${system.clock.now()}::timestamptz FROM unnest(${hashesOf(report)}::bytea[]) AS h(hash)
      ON CONFLICT DO NOTHING`,
  )
}

/** Deletes the keys of reports whose signatures have expired. */
export async function removeUsedReports(system: System): Promise<void> {
  const keptDays = Math.ceil(maxSignatureAgeSeconds / (24 * 60 * 60)) + 1
  await removeOld(system, { table: 'used_report', since: 'used_at', keptDays })
}

function claimOf(key: string): Buffer {
  return createHash('sha256').update(`claim ${key}`).digest()
}

/** Returns the hash of the key, and that of the key with the content. */
function hashesOf({ key, content }: ReportKey): Buffer[] {
  const texts = content === undefined ? [key] : [key, `${key} ${hashOf(content)}`]
  return texts.map((text) => createHash('sha256').update(text).digest())
}
