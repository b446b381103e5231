import { newCtx, type System } from '../../../db/context.ts'
import { sql } from '../../../db/sql.ts'
import { ports } from '../../ports.ts'
import type { QueueSource } from './claims.ts'

/** How long a campaign waits for a mail server that cannot be reached. */
const maxStallMs = 24 * 60 * 60 * 1000

const reason = 'a worker serves all accounts'

/** Records the time at which due sources began to wait for a mail server. Stored, so that a restart does not reset it. */
export async function markStalledSources(system: System): Promise<void> {
  const now = system.clock.now()
  await system.db.$unscoped(
    reason,
    sql`UPDATE mail_source SET stalled_at = ${now}::timestamptz WHERE is_open AND due_at <= ${now}::timestamptz AND stalled_at IS NULL`,
  )
}

/** Clears these times, because a mail server accepts messages again. */
export async function clearStalledSources(system: System): Promise<void> {
  await system.db.$unscoped(reason, sql`UPDATE mail_source SET stalled_at = NULL WHERE stalled_at IS NOT NULL`)
}

/** Stops the campaigns that have waited longer than `maxStallMs` with PROVIDER_DOWN. Returns their number, at most 100. */
export async function stopStalledCampaigns(system: System): Promise<number> {
  const since = new Date(system.clock.now().getTime() - maxStallMs)
  const sources = await system.db.$unscoped<QueueSource>(
    reason,
    sql`SELECT account_id AS "accountId", campaign_id AS "campaignId" FROM mail_source
      WHERE is_open AND campaign_id <> 0 AND stalled_at < ${since}::timestamptz LIMIT 100`,
  )
  for (const source of sources) await ports.stopCampaign(newCtx(system, source), source.campaignId, 'PROVIDER_DOWN')
  return sources.length
}
