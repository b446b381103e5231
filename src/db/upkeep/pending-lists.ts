import { type Loop, loop } from '../../kernel/work/loop.ts'
import type { System } from '../context.ts'
import { sql } from '../sql.ts'

/** Interval at which pending lists are emptied, in milliseconds: searches read them from beginning to end. */
const intervalMs = 2_000

/**
 * Merges the pending lists of all GIN indexes into them. New rows are appended to such a list, and without this the statement
 * that makes it too long merges it, which takes up to 350 ms: an import of one account would delay a change of another. Indexes
 * of another role are skipped, since only their owner may do this.
 */
async function emptyPendingLists({ db }: Pick<System, 'db'>): Promise<void> {
  await db.$unscoped(
    'indexes are about tables, not about accounts',
    sql`SELECT gin_clean_pending_list(i.oid::regclass)::text FROM pg_class i JOIN pg_am m ON m.oid = i.relam
      WHERE i.relnamespace = current_schema()::text::regnamespace AND i.relkind = 'i' AND m.amname = 'gin'
        AND pg_has_role(i.relowner, 'USAGE')`,
  )
}

/** Starts a loop that keeps the pending lists of GIN indexes short. */
export function keepPendingListsShort(system: System): Loop {
  const work = async () => {
    await emptyPendingLists(system)
    return false
  }
  return loop('pending lists', work, { log: system.log, every: intervalMs })
}
