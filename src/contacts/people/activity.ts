import type { Ctx } from '../../db/context.ts'
import { isOneOf, sql } from '../../db/sql.ts'

/**
 * Sets the time of the last activity of contacts to now, in an open transaction: they opened or clicked a message, visited a
 * page, answered a form or ordered. Each contact is changed at most once an hour. Those that another transaction is changing are
 * left out, so that a page view or an open never waits. Emits no event.
 */
export async function recordActivity(tx: Ctx, contactIds: readonly (number | null)[]): Promise<void> {
  const ids = contactIds.filter((id) => id !== null)
  if (ids.length === 0) return
  const now = sql`${tx.clock.now()}::timestamptz`
  await tx.sql.later`
    WITH active AS (
      SELECT c.id FROM contact c WHERE c.account_id = ${tx.sql.account} AND ${isOneOf(sql`c.id`, ids)}
        AND (c.last_active_at IS NULL OR c.last_active_at < ${now} - interval '1 hour') FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE contact c SET last_active_at = ${now} FROM active
    WHERE c.account_id = ${tx.sql.account} AND c.id = active.id`
}
