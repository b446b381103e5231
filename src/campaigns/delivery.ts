import type { Campaign } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { refuse } from '../kernel/errors.ts'
import { openRecipients, queueSources, type StopReason } from '../mail/index.ts'
import { lock } from './campaign-list.ts'
import { fail, mustNotBeArchived, updateRow } from './campaigns.ts'
import { enqueueRecipients } from './recipient-job.ts'

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
      throw refuse('INVALID_STATE', 'There is no such campaign that can be cancelled.')
    const ended = await updateRow(tx, before, { pausedAt: null, snapshotPosition: null, snapshotEnd: null })
    const campaign = await fail(tx, ended, 'CANCELLED')
    await queueSources.remove(tx, before.id)
    if (!(await openRecipients.skipQueued(tx, before.id))) await enqueueRecipients(tx, before.id)
    return { campaign }
  })
}

/**
 * Sends a campaign again to the recipients in state UNKNOWN: a process died, or a connection broke, while the mail server
 * had their message. A recipient that got the message gets it twice, under one Message-ID. Returns their number.
 *
 * Emits `campaign.sending` if a sent campaign starts again. Throws INVALID_STATE unless its status is SENT, SENDING or ERROR,
 * and for a campaign that was cancelled or is archived.
 */
export async function sendUnknown(ctx: Ctx, input: CampaignRef): Promise<{ campaign: Campaign; count: number }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    const isStarted = before.status === 'SENT' || before.status === 'SENDING' || before.status === 'ERROR'
    if (!isStarted || before.errorCode === 'CANCELLED')
      throw refuse('INVALID_STATE', 'There is no such campaign that was sent.')
    mustNotBeArchived(before)
    const count = await openRecipients.requeueUnknown(tx, before.id)
    if (count === 0 || before.status !== 'SENT') {
      if (count > 0 && before.status === 'SENDING' && !before.pausedAt) await queueSources.open(tx, before.id)
      return { campaign: before, count }
    }
    const campaign = await updateRow(tx, before, { status: 'SENDING', sentAt: null })
    await emit(tx, 'campaign.sending', { campaignId: before.id })
    await queueSources.open(tx, before.id)
    return { campaign, count }
  })
}

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

async function lockSending(tx: Ctx, { id }: CampaignRef): Promise<Campaign> {
  const campaign = await lock(tx, id)
  if (campaign.status !== 'SENDING') throw refuse('INVALID_STATE', 'There is no such campaign that is being sent.')
  return campaign
}
