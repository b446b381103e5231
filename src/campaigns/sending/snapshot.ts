import type { Campaign } from '../../../prisma/generated/client/client.ts'
import { quotas } from '../../account/index.ts'
import type { Ctx, System } from '../../db/context.ts'
import { runBatches } from '../../db/jobs/jobs.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { Refusal, refuse } from '../../kernel/errors.ts'
import { openRecipients, queueSources, recipients } from '../../mail/index.ts'
import { audienceOfCampaign, getsTopic, hasOptedIn, memberTest } from '../audience/audience.ts'
import { findInvalidAudience, newRecipientsOf } from '../checks/campaign-check.ts'
import { campaignTable, type StopCode } from '../definition/campaign-list.ts'
import { fail, updateRow } from '../definition/campaigns.ts'
import { enqueueRecipients, type RecipientJobPayload, recipientJob } from '../definition/recipient-job.ts'

/**
 * Begins the recipient snapshot of a campaign, whose row the caller has locked, with its first part. It is complete if
 * `snapshotEnd` is null; otherwise the caller enqueues the job that adds the other parts. No recipient is added if the audience
 * has none. **Throws** QUOTA_EXCEEDED if the whole audience exceeds the monthly quota of recipients.
 */
export async function beginSnapshot(tx: Ctx, campaign: Campaign): Promise<Campaign> {
  const snapshotEnd = await recipients.lastContactId(tx)
  const begun = await addNextPart(tx, { ...campaign, recipientsCount: 0, snapshotPosition: 0, snapshotEnd })
  if (begun.snapshotEnd === null) return begun
  const { key } = await audienceOfCampaign(tx, campaign)
  if (begun.recipientsCount === 0 && !(await hasOptedIn(tx, key))) return updateRow(tx, begun, noSnapshot)
  await mustHaveQuota(tx, key)
  return begun
}

/** The columns of a campaign of which no snapshot is being made. */
const noSnapshot = { snapshotPosition: null, snapshotEnd: null }

async function mustHaveQuota(tx: Ctx, audienceKey: string): Promise<void> {
  const { limit, remaining } = await quotas.quotaOf(tx, 'monthly_recipients')
  if (limit === null || remaining === null) return
  if ((await tx.load(newRecipientsOf, audienceKey)) > remaining)
    throw refuse('QUOTA_EXCEEDED', quotas.exhaustedMessage('monthly_recipients', limit))
}

/** Adds the next part of a snapshot that is being made. Returns the campaign, whose `snapshotEnd` is null after the last part. */
async function addNextPart(tx: Ctx, campaign: Campaign): Promise<Campaign> {
  const { id, recipientsCount } = campaign
  const [position, end] = [campaign.snapshotPosition ?? 0, campaign.snapshotEnd ?? 0]
  // A former snapshot may have left recipients that got no message.
  const isEmpty = position > 0 || (await openRecipients.removeUnsent(tx, id))
  if (!isEmpty) return updateRow(tx, campaign, { recipientsCount, snapshotPosition: 0, snapshotEnd: end })
  const part = { position, end: await recipients.endOfPart(tx, { position, end }) }
  const { key } = await audienceOfCampaign(tx, campaign)
  const isMember = sql`${await memberTest(tx, key)} AND ${getsTopic(tx, key)}`
  const added = await recipients.addRecipients(tx, campaign, part, isMember)
  const progress = part.end < end ? { snapshotPosition: part.end, snapshotEnd: end } : noSnapshot
  return updateRow(tx, campaign, { recipientsCount: recipientsCount + added, ...progress })
}

/** Background jobs of this module, keyed by job name. */
export const campaignJobs = {
  /** Changes the recipients of a campaign in batches: adds, makes due, skips or removes them, as its status requires. */
  [recipientJob]: async (system: System, { accountId, campaignId, retryAfter }: RecipientJobPayload): Promise<void> => {
    let position = retryAfter
    await runBatches(system, accountId, {
      next: async (ctx) => {
        if (position === undefined) return changeNextRecipients(ctx, campaignId)
        position = await inTransaction(ctx, (tx) => openRecipients.retryNow(tx, campaignId, position ?? 0))
        return position === undefined
      },
      enqueueNext: (tx) => enqueueRecipients(tx, campaignId, position),
    })
  },
}

/**
 * Changes the next batch of recipients in a transaction of its own. Returns true if none are left. A snapshot that exceeds the
 * quota stops the campaign.
 */
async function changeNextRecipients(ctx: Ctx, campaignId: number): Promise<boolean> {
  try {
    return await inTransaction(ctx, (tx) => changeBatch(tx, campaignId))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'QUOTA_EXCEEDED') throw error
    return inTransaction(ctx, async (tx) => {
      const campaign = await findLocked(tx, campaignId)
      return !isInSnapshot(campaign) || stop(tx, campaign, 'QUOTA_EXCEEDED')
    })
  }
}

async function changeBatch(tx: Ctx, campaignId: number): Promise<boolean> {
  const campaign = await findLocked(tx, campaignId)
  if (isInSnapshot(campaign)) return extendSnapshot(tx, campaign)
  if (campaign?.status === 'ERROR' && campaign.errorCode === 'CANCELLED')
    return openRecipients.skipQueued(tx, campaignId)
  const isOver = campaign && (campaign.recipientsCount > 0 || campaign.status === 'SENDING')
  return isOver || openRecipients.removeUnsent(tx, campaignId)
}

async function extendSnapshot(tx: Ctx, before: Campaign): Promise<boolean> {
  const campaign = await addNextPart(tx, before)
  // Checked after the recipients were added, so that a deletion that they did not see is found.
  const invalid = await findInvalidAudience(tx, await audienceOfCampaign(tx, campaign))
  if (invalid.length > 0) return stop(tx, campaign, 'AUDIENCE_INVALID')
  if (campaign.snapshotEnd !== null) return false
  if (campaign.recipientsCount === 0) return stop(tx, campaign, 'NO_RECIPIENTS')
  await emit(tx, 'campaign.updated', { campaignId: campaign.id })
  if (!campaign.pausedAt) await queueSources.open(tx, campaign.id)
  return true
}

/** Stops a campaign whose snapshot cannot be completed. Its recipients are removed, because others are missing. */
async function stop(tx: Ctx, campaign: Campaign, code: StopCode): Promise<boolean> {
  await fail(tx, await updateRow(tx, campaign, { ...noSnapshot, recipientsCount: 0, pausedAt: null }), code)
  return false
}

async function findLocked(tx: Ctx, id: number): Promise<Campaign | undefined> {
  const [campaign] = await campaignTable.select(tx, sql`AND k.id = ${id} FOR UPDATE`)
  return campaign as Campaign | undefined
}

function isInSnapshot(campaign: Campaign | undefined): campaign is Campaign & { snapshotEnd: number } {
  return campaign?.status === 'SENDING' && campaign.snapshotEnd !== null
}
