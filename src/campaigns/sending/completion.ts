import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { openRecipients, queueSources, type StopReason } from '../../mail/index.ts'
import { lock } from '../definition/campaign-list.ts'
import { fail, updateRow } from '../definition/campaigns.ts'

/** Completes a campaign that has no open recipients, unless it is paused. Emits `campaign.sent`. */
export async function completeIfDone(ctx: Ctx, campaignId: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const campaign = await lock(tx, campaignId)
    if (campaign.status !== 'SENDING' || campaign.pausedAt || (await openRecipients.hasOpen(tx, campaignId))) return
    await updateRow(tx, campaign, { status: 'SENT', sentAt: tx.clock.now() })
    await emit(tx, 'campaign.sent', { campaignId })
    await queueSources.remove(tx, campaignId)
  })
}

/** Stops a campaign that cannot be sent any further. Does nothing if its status is not SENDING. Emits `campaign.error`. */
export async function stop(ctx: Ctx, campaignId: number, reason: StopReason): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const campaign = await lock(tx, campaignId)
    if (campaign.status === 'SENDING') await fail(tx, campaign, reason)
  })
}

/**
 * The statement that adds accepted messages to the `sent_to` of their campaigns; mail delivery runs it as part of its own
 * statement. It locks the campaigns in one order, so that two workers cannot deadlock.
 */
export function addAccepted(accepted: Sql): Sql {
  return sql`UPDATE campaign k SET sent_to = k.sent_to + a.n
    FROM (SELECT f.account_id, f.id, t.n FROM campaign f JOIN (${accepted}) t ON t.account_id = f.account_id AND t.campaign_id = f.id
      ORDER BY f.account_id, f.id FOR NO KEY UPDATE OF f) a
    WHERE k.account_id = a.account_id AND k.id = a.id`
}
