import type { System } from '../db/context.ts'
import { deleteOld } from '../db/retention.ts'
import { sql } from '../db/sql.ts'
import { uploadMilliseconds } from './imports.ts'

/** How long it is known what came of an import. */
const keptDays = 90

/** Ends imports whose file never came, and forgets those of long ago with all that was wrong with their lines. */
export async function forgetOld(system: System): Promise<void> {
  const { db, clock } = system
  const before = new Date(clock.now().getTime() - uploadMilliseconds)
  await db.$unscoped(
    'files that never came are looked for in all accounts',
    sql`
      WITH ended AS (
        UPDATE contact_import SET status = 'FAILED', error = 'No file came within a day.', finished_at = ${clock.now()}::timestamptz
        WHERE status IN ('WAITING', 'UPLOADING') AND created_at < ${before}::timestamptz
        RETURNING account_id, id)
      DELETE FROM contact_import_chunk k USING ended WHERE k.account_id = ended.account_id AND k.import_id = ended.id`,
  )
  await deleteOld(system, { table: 'contact_import', since: 'created_at', keptDays })
}
