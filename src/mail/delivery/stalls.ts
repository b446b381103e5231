import { newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { ports } from '../ports.ts'
import type { Source } from './claims.ts'

/** How long a campaign waits for a mail server that cannot be reached, in milliseconds. */
const longestStall = 24 * 60 * 60 * 1000

const reason = 'a worker serves all accounts'

/** Notes of what is due that no server takes it; kept in the database, so that a restart does not begin the count anew. */
export async function noteStalled(system: System): Promise<void> {
  const now = system.clock.now()
  await system.db.$unscoped(
    reason,
    sql`UPDATE mail_source SET stalled_at = ${now}::timestamptz WHERE is_open AND due_at <= ${now}::timestamptz AND stalled_at IS NULL`,
  )
}

/** Notes that messages are taken again. */
export async function unstall(system: System): Promise<void> {
  await system.db.$unscoped(reason, sql`UPDATE mail_source SET stalled_at = NULL WHERE stalled_at IS NOT NULL`)
}

/** Stops the campaigns that have waited for a server for too long; answers how many. */
export async function endStalled(system: System): Promise<number> {
  const since = new Date(system.clock.now().getTime() - longestStall)
  const sources = await system.db.$unscoped<Source>(
    reason,
    sql`SELECT account_id AS "accountId", campaign_id AS "campaignId" FROM mail_source
      WHERE is_open AND campaign_id <> 0 AND stalled_at < ${since}::timestamptz LIMIT 100`,
  )
  for (const source of sources) await ports.stopped(newCtx(system, source), source.campaignId, 'PROVIDER_DOWN')
  return sources.length
}
