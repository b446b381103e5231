import { sql } from '../db/sql.ts'
import type { System } from '../kernel/context.ts'
import { uploadMilliseconds } from './imports.ts'

/** How long it is known what came of an import. */
const keptMilliseconds = 90 * 24 * 60 * 60 * 1000

const batch = 1_000

/** Ends imports whose file never came, and forgets those of long ago with all that was wrong with their lines. */
export async function forgetOld({ db, clock }: System): Promise<void> {
  const before = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds)
  await db.$unscoped(
    'files that never came are looked for in all accounts',
    sql`
      WITH ended AS (
        UPDATE contact_import SET status = 'FAILED', error = 'No file came within a day.', finished_at = ${clock.now()}::timestamptz
        WHERE status IN ('WAITING', 'UPLOADING') AND created_at < ${before(uploadMilliseconds)}::timestamptz
        RETURNING account_id, id)
      DELETE FROM contact_import_chunk k USING ended WHERE k.account_id = ended.account_id AND k.import_id = ended.id`,
  )
  for (;;) {
    const gone = await db.$unscoped(
      'imports of long ago are looked for in all accounts',
      sql`
        DELETE FROM contact_import WHERE (account_id, id) IN (
          SELECT account_id, id FROM contact_import WHERE created_at < ${before(keptMilliseconds)}::timestamptz LIMIT ${batch}::int)
        RETURNING 1`,
    )
    if (gone.length < batch) return
  }
}
