import type { Ctx } from '../../db/context.ts'
import { hint } from '../../db/listen.ts'

/** The channel on which processes hear that there is something to send. */
export const mailChannel = 'campanile_mail'

/** The source that stands for all sequences of an account. */
export const ofSequences = 0

/**
 * Lets the messages of a campaign, or of the account's sequences, be sent: called after the transaction has put them into
 * the queue. To be called late: whoever claims from the source waits for the commit.
 */
export async function open(tx: Ctx, campaignId: number = ofSequences): Promise<void> {
  const now = tx.clock.now()
  await tx.sql`
    INSERT INTO mail_source (account_id, campaign_id, due_at) VALUES (${tx.sql.account}::int, ${campaignId}::int, ${now}::timestamptz)
    ON CONFLICT (account_id, campaign_id) DO UPDATE SET is_open = true, due_at = excluded.due_at, stalled_at = NULL`
  await hint(tx, mailChannel)
}

/** Lets a campaign rest: what is not handed over yet waits until it is opened again. */
export async function rest(tx: Ctx, campaignId: number): Promise<void> {
  await tx.sql`
    UPDATE mail_source SET is_open = false WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId}`
}

/** Takes a campaign off the list: it is through, or given up. What is left of it in a worker's hands is not sent any more. */
export async function forget(tx: Ctx, campaignId: number): Promise<void> {
  await tx.sql`DELETE FROM mail_source WHERE account_id = ${tx.sql.account} AND campaign_id = ${campaignId}`
}
