import type { Campaign, Email } from '../../prisma/generated/client/client.ts'
import { zoneOf } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { invalid, type Refusal, refuse } from '../kernel/errors.ts'
import { domainOf, emails, openRecipients, queueSources, recipients, senderDomains } from '../mail/index.ts'
import { audienceOfCampaign, membersOf } from './audience.ts'
import { lock, notFound } from './campaign-list.ts'
import { audienceOver, type GivenAudience, reopen, write } from './campaigns.ts'
import { asClock, readScheduleTime } from './schedule-time.ts'

/** How long the audience of one campaign may take to be written down: millions of recipients are one statement. */
export const longestBeginning = 15 * 60_000

export interface SendInput {
  id: string | number
  audience?: GivenAudience | null | undefined
}

/**
 * Plans a draft for later, or a planned campaign for another time. `scheduledFor` is read on the clocks of the account's
 * zone where it has no offset. Announces `campaign.scheduled`.
 *
 * Fails with INVALID_DATE for a time that cannot be read, does not exist or has passed, and with NOT_FOUND for a campaign
 * that is on its way, sent or failed.
 */
export async function schedule(ctx: Ctx, input: SendInput & { scheduledFor: string }): Promise<{ campaign: Campaign }> {
  const scheduledFor = readScheduleTime(input.scheduledFor, await zoneOf(ctx))
  if (!scheduledFor) {
    throw refuse(
      'INVALID_DATE',
      'The time must exist, and be written like 2026-12-24 18:00, 2026-12-24T18:00:00+01:00 or 20261224T170000Z.',
    )
  }
  if (scheduledFor <= ctx.clock.now()) throw refuse('INVALID_DATE', 'The time must be in the future.')
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status !== 'DRAFT' && before.status !== 'SCHEDULED') throw alreadySent()
    const audience = audienceOver(before, input.audience)
    const campaign = await write(tx, before, { ...audience, status: 'SCHEDULED', scheduledFor })
    await emit(tx, 'campaign.scheduled', { campaignId: campaign.id })
    return { campaign }
  })
}

/** Makes a planned campaign a draft again. Announces `campaign.unscheduled`. Fails with NOT_FOUND where it is not planned. */
export async function unschedule(ctx: Ctx, input: { id: string | number }): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status !== 'SCHEDULED') throw notFound('There is no such scheduled campaign.')
    const campaign = await write(tx, before, { status: 'DRAFT', scheduledFor: null })
    await emit(tx, 'campaign.unscheduled', { campaignId: campaign.id })
    return { campaign }
  })
}

/**
 * Makes a draft again of a campaign that failed before it reached anyone, so that what it lacked can be mended. Emits
 * `campaign.unscheduled`. Throws NOT_FOUND for any other.
 */
export async function revise(ctx: Ctx, input: { id: string | number }): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const campaign = await reopen(tx, await lock(tx, input.id))
    if (!campaign) throw notFound('There is no such campaign that failed before it was sent to anyone.')
    return { campaign }
  })
}

/**
 * Sends a campaign now: a draft, a planned one, or one that failed, whose open recipients are then resumed. Emits
 * `campaign.sending`.
 *
 * Throws VALIDATION_ERROR, and changes nothing, if subject, sender or content are missing or its audience is empty. With
 * `errorAsStatus` such a campaign ends in ERROR instead (see `begin`). Throws QUOTA_EXCEEDED, which changes nothing either,
 * and NOT_FOUND for a campaign that is on its way, sent or cancelled.
 */
export async function send(
  ctx: Ctx,
  { errorAsStatus, ...input }: SendInput & { errorAsStatus?: boolean | null | undefined },
): Promise<{ campaign: Campaign }> {
  return inTransaction(
    ctx,
    async (tx) => {
      const before = await lock(tx, input.id)
      const isFailed = before.status === 'ERROR' && before.errorCode !== 'CANCELLED'
      if (before.status !== 'DRAFT' && before.status !== 'SCHEDULED' && !isFailed) throw alreadySent()
      const ready = await write(tx, before, { ...audienceOver(before, input.audience), scheduledFor: null })
      const campaign = await begin(tx, ready)
      if (campaign.status === 'ERROR' && !errorAsStatus) throw await reasonNotToSend(tx, campaign)
      return { campaign }
    },
    longestBeginning,
  )
}

/**
 * Sets a campaign on its way, whose row the caller has locked: whoever is in its audience at this moment, and has agreed to
 * marketing e-mail, becomes a recipient. One that was on its way before goes on with the recipients it had.
 *
 * Without subject, sender or content it becomes an error (TEMPLATE_ERROR), from a sender domain that is not verified as the
 * server requires (SENDER_REJECTED), and so it does with nobody to send it to
 * (NO_RECIPIENTS): that is an outcome, no failure. Announces `campaign.sending` or `campaign.error`. Fails with
 * QUOTA_EXCEEDED. Nothing but what is quick may come after it in the transaction.
 */
export async function begin(tx: Ctx, campaign: Campaign): Promise<Campaign> {
  const email = await tx.load(emails.byId, campaign.emailId)
  if (!isComplete(email)) return fail(tx, campaign, 'TEMPLATE_ERROR')
  if (await isUnverified(tx, email)) return fail(tx, campaign, 'SENDER_REJECTED')
  const { key } = audienceOfCampaign(campaign)
  const isResumed = campaign.recipientsCount > 0
  const recipientsCount = isResumed
    ? campaign.recipientsCount
    : await recipients.createSnapshot(tx, campaign, membersOf(tx, key))
  if (recipientsCount === 0) return fail(tx, campaign, 'NO_RECIPIENTS')
  const sending = await write(tx, campaign, { status: 'SENDING', errorCode: null, pausedAt: null, recipientsCount })
  await emit(tx, 'campaign.sending', { campaignId: campaign.id })
  if (isResumed) {
    await emails.resetRenderFailures(tx, campaign.emailId)
    await openRecipients.retryNow(tx, campaign.id)
  }
  await queueSources.open(tx, campaign.id)
  return sending
}

/** Stops a campaign, whose row the caller has locked, for a reason that can be told. Announces `campaign.error`. */
export async function fail(
  tx: Ctx,
  campaign: Campaign,
  errorCode: NonNullable<Campaign['errorCode']>,
): Promise<Campaign> {
  const failed = await write(tx, campaign, { status: 'ERROR', errorCode })
  await emit(tx, 'campaign.error', { campaignId: campaign.id, errorCode })
  await queueSources.pause(tx, campaign.id)
  return failed
}

/** When a campaign is planned for, on the clocks of the account's zone: `YYYY-MM-DD HH:MM:SS`; null where it is not. */
export async function clockTimeOf(ctx: Ctx, { scheduledFor }: Campaign): Promise<string | null> {
  return scheduledFor && asClock(scheduledFor, await zoneOf(ctx))
}

function isComplete(email: Email | null): email is Email {
  return email !== null && emails.findMissingFields(email) === undefined
}

/** Why `begin` ended in ERROR, as a VALIDATION_ERROR to throw. */
async function reasonNotToSend(tx: Ctx, { emailId }: Campaign): Promise<Refusal> {
  const email = await tx.load(emails.byId, emailId)
  const missing = email && emails.findMissingFields(email)
  if (missing) return invalid(missing)
  if (email && (await isUnverified(tx, email))) {
    return invalid({ fromEmail: [senderDomains.unverifiedReason(domainOf(email.fromEmail))] })
  }
  return invalid({ audience: ['must include at least one contact that agreed to marketing e-mail'] })
}

async function isUnverified(tx: Ctx, { fromEmail }: Email): Promise<boolean> {
  return (await senderDomains.listUnverified(tx, [domainOf(fromEmail)])).size > 0
}

function alreadySent() {
  return notFound('There is no such campaign that could still be sent.')
}
