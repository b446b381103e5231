import type { System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { removeOld } from '../../db/upkeep/retention.ts'
import { uploadTimeoutMs } from './imports.ts'

const keptDays = 90

/**
 * Fails imports whose file was not uploaded, or that were not started after the upload, in time. Deletes imports, bulk jobs and
 * their errors after 90 days.
 */
export async function removeOldImports(system: System): Promise<void> {
  const { db, clock } = system
  const before = new Date(clock.now().getTime() - uploadTimeoutMs)
  await db.$unscoped(
    'imports without a file, and those that were not started, are searched in all accounts',
    sql`
      WITH ended AS (
        UPDATE contact_import SET status = 'FAILED', error = CASE status WHEN 'REVIEW'
            THEN 'The import was not started within 24 hours.' ELSE 'The file was not uploaded within 24 hours.' END,
          finished_at = ${clock.now()}::timestamptz
        WHERE status IN ('WAITING', 'UPLOADING', 'REVIEW') AND created_at < ${before}::timestamptz
        RETURNING account_id, id)
      DELETE FROM contact_import_chunk k USING ended WHERE k.account_id = ended.account_id AND k.import_id = ended.id`,
  )
  await removeOld(system, { table: 'contact_import', since: 'created_at', keptDays })
  await removeOld(system, { table: 'bulk_job', since: 'created_at', keptDays })
}
