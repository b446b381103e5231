import type { Campaign } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { openRecipients, queueSources } from '../../mail/index.ts'
import { lock } from '../definition/campaign-list.ts'
import { fail, updateRow } from '../definition/campaigns.ts'
import { enqueueRecipients } from '../definition/recipient-job.ts'

interface CampaignRef {
  id: string | number
}

/**
 * Pauses a campaign in status SENDING; the status stays SENDING. Messages that are being sent at this moment are still sent.
 * Idempotent. Emits `campaign.updated`. Throws INVALID_STATE if its status is not SENDING.
 */
export async function pause(ctx: Ctx, input: CampaignRef): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockSending(tx, input)
    if (before.pausedAt) return { campaign: before }
    await queueSources.pause(tx, before.id)
    const campaign = await updateRow(tx, before, { pausedAt: tx.clock.now() })
    await emit(tx, 'campaign.updated', { campaignId: campaign.id })
    return { campaign }
  })
}

/** Resumes a paused campaign. Idempotent. Emits `campaign.updated`. Throws INVALID_STATE if its status is not SENDING. */
export async function resume(ctx: Ctx, input: CampaignRef): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockSending(tx, input)
    if (!before.pausedAt) return { campaign: before }
    const campaign = await updateRow(tx, before, { pausedAt: null })
    await emit(tx, 'campaign.updated', { campaignId: campaign.id })
    if (campaign.snapshotEnd === null) await queueSources.open(tx, before.id)
    return { campaign }
  })
}

/**
 * Cancels a campaign permanently: its status becomes ERROR with the code CANCELLED, and its waiting recipients are skipped.
 * Messages that the mail server accepted cannot be recalled.
 *
 * Emits `campaign.error`. Throws INVALID_STATE unless its status is SENDING, or ERROR with another code than CANCELLED.
 */
export async function cancel(ctx: Ctx, input: CampaignRef): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    const isStopped = before.status === 'ERROR' && before.errorCode !== 'CANCELLED'
    if (before.status !== 'SENDING' && !isStopped)
      throw refuseValue('id', 'INVALID_STATE', 'There is no such campaign that can be cancelled.')
    const ended = await updateRow(tx, before, { pausedAt: null, snapshotPosition: null, snapshotEnd: null })
    const campaign = await fail(tx, ended, 'CANCELLED')
    await queueSources.remove(tx, before.id)
    if (!(await openRecipients.skipQueued(tx, before.id))) await enqueueRecipients(tx, before.id)
    return { campaign }
  })
}

async function lockSending(tx: Ctx, { id }: CampaignRef): Promise<Campaign> {
  const campaign = await lock(tx, id)
  if (campaign.status !== 'SENDING')
    throw refuseValue('id', 'INVALID_STATE', 'There is no such campaign that is being sent.')
  return campaign
}
