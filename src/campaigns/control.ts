import type { Campaign } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { openRecipients, queueSources, type StopReason } from '../mail/index.ts'
import { lock, notFound } from './campaign-list.ts'
import { write } from './campaigns.ts'
import { fail } from './sending.ts'

interface Which {
  id: string | number
}

/**
 * Lets a campaign rest that is on its way: what is not handed over to the mail server within this moment waits. Its status
 * stays SENDING. Safe to repeat. Fails with NOT_FOUND where it is not on its way.
 */
export async function pause(ctx: Ctx, input: Which): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockSending(tx, input)
    if (before.pausedAt) return { campaign: before }
    await queueSources.pause(tx, before.id)
    return { campaign: await write(tx, before, { pausedAt: tx.clock.now() }) }
  })
}

/** Lets a campaign go on that rests. Safe to repeat. Fails with NOT_FOUND where it is not on its way. */
export async function resume(ctx: Ctx, input: Which): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockSending(tx, input)
    if (!before.pausedAt) return { campaign: before }
    const campaign = await write(tx, before, { pausedAt: null })
    await queueSources.open(tx, before.id)
    return { campaign }
  })
}

/**
 * Stops a campaign for good: its status becomes ERROR with the code CANCELLED, and whoever still waited for it is left out.
 * What the mail server has is out of reach. Announces `campaign.error`. Fails with NOT_FOUND for one that is neither on its
 * way nor stopped by an error, and for one that is cancelled already.
 */
export async function cancel(ctx: Ctx, input: Which): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    const isStopped = before.status === 'ERROR' && before.errorCode !== 'CANCELLED'
    if (before.status !== 'SENDING' && !isStopped) throw notFound('There is no such campaign that could be cancelled.')
    const campaign = await fail(tx, await write(tx, before, { pausedAt: null }), 'CANCELLED')
    await queueSources.remove(tx, before.id)
    await openRecipients.skipQueued(tx, before.id)
    return { campaign }
  })
}

/**
 * Sends a campaign to those of whom it is not known whether they got it: a process died, or a connection broke, while the
 * mail server had their message. Whoever had it gets it twice, under one Message-ID. Answers how many these are.
 *
 * Announces `campaign.sending` where there is anybody. Fails with NOT_FOUND for a campaign that is neither sent, on its way
 * nor stopped, and for a cancelled one.
 */
export async function sendUnknown(ctx: Ctx, input: Which): Promise<{ campaign: Campaign; count: number }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    const isBegun = before.status === 'SENT' || before.status === 'SENDING' || before.status === 'ERROR'
    if (!isBegun || before.errorCode === 'CANCELLED') throw notFound('There is no such campaign that was sent.')
    const count = await openRecipients.requeueUnknown(tx, before.id)
    if (count === 0 || before.status !== 'SENT') {
      if (count > 0 && before.status === 'SENDING' && !before.pausedAt) await queueSources.open(tx, before.id)
      return { campaign: before, count }
    }
    const campaign = await write(tx, before, { status: 'SENDING', sentAt: null })
    await emit(tx, 'campaign.sending', { campaignId: before.id })
    await queueSources.open(tx, before.id)
    return { campaign, count }
  })
}

/** Ends a campaign of which no recipient is open any more. Does nothing where one is, or where it rests. Announces `campaign.sent`. */
export async function settle(ctx: Ctx, campaignId: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const campaign = await lock(tx, campaignId)
    if (campaign.status !== 'SENDING' || campaign.pausedAt || (await openRecipients.hasOpen(tx, campaignId))) return
    await write(tx, campaign, { status: 'SENT', sentAt: tx.clock.now() })
    await emit(tx, 'campaign.sent', { campaignId })
    await queueSources.remove(tx, campaignId)
  })
}

/** Stops a campaign that cannot be sent on. Does nothing where it is not on its way. Announces `campaign.error`. */
export async function stop(ctx: Ctx, campaignId: number, reason: StopReason): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const campaign = await lock(tx, campaignId)
    if (campaign.status === 'SENDING') await fail(tx, campaign, reason)
  })
}

/**
 * The part of the mail room's statement that counts what was accepted, campaign by campaign. The campaigns are locked in
 * one order, so that two workers at once wait for each other and do not block each other.
 */
export function count(accepted: Sql): Sql {
  return sql`UPDATE campaign k SET sent_to = k.sent_to + a.n
    FROM (SELECT f.account_id, f.id, t.n FROM campaign f JOIN (${accepted}) t ON t.account_id = f.account_id AND t.campaign_id = f.id
      ORDER BY f.account_id, f.id FOR NO KEY UPDATE OF f) a
    WHERE k.account_id = a.account_id AND k.id = a.id`
}

async function lockSending(tx: Ctx, { id }: Which): Promise<Campaign> {
  const campaign = await lock(tx, id)
  if (campaign.status !== 'SENDING') throw notFound('There is no such campaign on its way.')
  return campaign
}
