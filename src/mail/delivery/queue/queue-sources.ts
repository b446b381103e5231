import type { Ctx } from '../../../db/context.ts'
import { hint } from '../../../db/jobs/listen.ts'

/** Notification channel that wakes workers when there are messages to send. */
export const mailChannel = 'campanile_mail'

/** The campaign ID of the source that holds the messages of all sequences of an account. */
const sequencesSource = 0

/**
 * Opens a source, so that workers claim its messages: those of a campaign, or of the account's sequences. Call it after
 * the messages were queued and as the last statement: workers that claim from the source wait for the commit.
 */
export async function open(tx: Ctx, campaignId: number = sequencesSource): Promise<void> {
  const now = tx.clock.now()
  await tx.sql`
    INSERT INTO mail_source (account_id, campaign_id, due_at) VALUES (${tx.sql.account}::int, ${campaignId}::int, ${now}::timestamptz)
    ON CONFLICT (account_id, campaign_id) DO UPDATE SET is_open = true, due_at = excluded.due_at, stalled_at = NULL`
  await hint(tx, mailChannel)
}

/** Pauses a campaign: messages that are not in flight stay in the queue until the source is opened again. */
export async function pause(tx: Ctx, campaignId: number): Promise<void> {
  await tx.sql`
    UPDATE mail_source SET is_open = false WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId}`
}

/** Removes the source of a campaign that has ended. Messages that a worker has claimed become SKIPPED. */
export async function remove(tx: Ctx, campaignId: number): Promise<void> {
  await tx.sql`DELETE FROM mail_source WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId}`
}
