import type { Campaign } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { zoneOf } from '../../db/zone.ts'
import { emit } from '../../events/index.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { emailChecks, emails, openRecipients, queueSources, recompilation } from '../../mail/index.ts'
import { audienceOfCampaign } from '../audience/audience.ts'
import {
  type Finding,
  findInvalidAudience,
  isSendable,
  noRecipients,
  refusalOf,
  stopCodeOf,
} from '../checks/campaign-check.ts'
import { byId, lock, type StopCode } from '../definition/campaign-list.ts'
import {
  type CampaignAudienceInput,
  changeAudience,
  fail,
  mustNotBeArchived,
  updateRow,
} from '../definition/campaigns.ts'
import { enqueueRecipients } from '../definition/recipient-job.ts'
import { formatLocalTime, parseLocalTime, parseScheduleTime } from './schedule-time.ts'
import { beginSnapshot } from './snapshot.ts'

interface SendInput {
  id: string | number
  audience?: CampaignAudienceInput | null | undefined
}

/**
 * Schedules a draft, or reschedules a scheduled campaign. `scheduledFor` without an offset is local time in the account's
 * time zone; with `inContactZones`, it is local time in the time zone of each contact, and sending begins in the first one.
 *
 * Emits `campaign.scheduled`. Throws INVALID_DATE for a time that is malformed, does not exist or is in the past, or that has an
 * offset although it is local to contacts, and INVALID_STATE for a campaign that is being sent, was sent, failed or is archived.
 */
export async function schedule(
  ctx: Ctx,
  input: SendInput & { scheduledFor: string; inContactZones?: boolean | null | undefined },
): Promise<{ campaign: Campaign }> {
  const scheduledFor = parseScheduleTime(input.scheduledFor, await zoneOf(ctx))
  if (!scheduledFor) {
    throw refuseValue(
      'scheduledFor',
      'INVALID_DATE',
      'The time must exist and have a format like 2026-12-24 18:00, 2026-12-24T18:00:00+01:00 or 20261224T170000Z.',
    )
  }
  if (scheduledFor <= ctx.clock.now())
    throw refuseValue('scheduledFor', 'INVALID_DATE', 'The time must be in the future.')
  const inZones = input.inContactZones ? parseLocalTime(input.scheduledFor) : null
  if (inZones === undefined)
    throw refuseValue('scheduledFor', 'INVALID_DATE', 'A time in the time zones of contacts must have no offset.')
  const now = ctx.clock.now()
  const times = inZones
    ? { scheduledFor: inZones.firstAt > now ? inZones.firstAt : now, localTime: inZones.local }
    : { scheduledFor, localTime: null }
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status !== 'DRAFT' && before.status !== 'SCHEDULED') throw alreadySent()
    mustNotBeArchived(before)
    const audience = await changeAudience(tx, before, input.audience)
    const campaign = await updateRow(tx, before, { ...audience, ...times, status: 'SCHEDULED' })
    await emit(tx, 'campaign.scheduled', { campaignId: campaign.id })
    return { campaign }
  })
}

/** Makes a scheduled campaign a draft again. Emits `campaign.unscheduled`. Throws INVALID_STATE if it is not scheduled. */
export async function unschedule(ctx: Ctx, input: { id: string | number }): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status !== 'SCHEDULED') throw refuseValue('id', 'INVALID_STATE', 'There is no such scheduled campaign.')
    const campaign = await updateRow(tx, before, { status: 'DRAFT', scheduledFor: null, localTime: null })
    await emit(tx, 'campaign.unscheduled', { campaignId: campaign.id })
    return { campaign }
  })
}

/**
 * Sends a campaign now. Accepts a draft, a scheduled campaign, and a failed one, which continues with its open recipients.
 * Emits `campaign.sending`.
 *
 * Throws VALIDATION_ERROR, and changes nothing, if subject, sender or content are missing or its audience is empty. With
 * `errorAsStatus` such a campaign ends in ERROR instead (see `startSending`). Throws QUOTA_EXCEEDED, which changes nothing
 * either, and INVALID_STATE for a campaign that is being sent, was sent, was cancelled or is archived.
 */
export async function send(
  ctx: Ctx,
  { errorAsStatus, ...input }: SendInput & { errorAsStatus?: boolean | null | undefined },
): Promise<{ campaign: Campaign }> {
  const { emailId = 0 } = (await ctx.load(byId, idOf('Campaign', input.id))) ?? {}
  return recompilation.withCurrentContent(ctx, emailId, (fix) =>
    inTransaction(ctx, async (tx) => {
      const before = await lock(tx, input.id)
      mustNotBeArchived(before)
      if (!isSendable(before)) throw alreadySent()
      await fix(tx)
      const ready = await updateRow(tx, before, {
        ...(await changeAudience(tx, before, input.audience)),
        ...{ scheduledFor: null, localTime: null },
      })
      const { campaign, errors } = await startSending(tx, ready)
      if (errors.length > 0 && !errorAsStatus) throw refusalOf(errors)
      return { campaign }
    }),
  )
}

/**
 * Starts sending a campaign whose row the caller has locked, and whose e-mail it has fixed (`withCurrentContent`). The contacts
 * that match its audience now, and that consented to marketing e-mail, become its recipients. In a large account, a job adds
 * most of them after this transaction, and sending begins when it is done. A campaign that was started before continues with
 * the recipients it has.
 *
 * Returns the campaign in status ERROR, with the errors that were found, if subject, sender or content are missing
 * (TEMPLATE_ERROR), if the domain of the sender is not verified but the server requires it (SENDER_REJECTED), if the audience
 * excludes something that was deleted or became invalid (AUDIENCE_INVALID), or if there are no recipients (NO_RECIPIENTS).
 *
 * Emits `campaign.sending` or `campaign.error`. Throws QUOTA_EXCEEDED. It locks rows that mail delivery waits for, so the
 * caller must commit soon after it.
 */
export async function startSending(
  tx: Ctx,
  campaign: Campaign,
): Promise<{ campaign: Campaign; errors: readonly Finding[] }> {
  const stop = async (errors: readonly Finding[], code: StopCode) => ({
    campaign: await fail(tx, campaign, code),
    errors,
  })
  const errors = await emailChecks.findEmailErrors(tx, campaign.emailId)
  const stopCode = stopCodeOf(errors)
  if (stopCode) return stop(errors, stopCode)
  const audience = await audienceOfCampaign(tx, campaign)
  const isResumed = campaign.recipientsCount > 0
  const invalid = isResumed ? [] : await findInvalidAudience(tx, audience)
  if (invalid.length > 0) return stop(invalid, 'AUDIENCE_INVALID')
  const { recipientsCount, snapshotEnd } = isResumed ? campaign : await beginSnapshot(tx, campaign)
  const isComplete = snapshotEnd === null
  if (isComplete && recipientsCount === 0) return stop([noRecipients('NO_OPTED_IN')], 'NO_RECIPIENTS')
  const sending = await updateRow(tx, campaign, { status: 'SENDING', errorCode: null, pausedAt: null })
  await emit(tx, 'campaign.sending', { campaignId: campaign.id })
  if (isResumed) {
    await emails.resetRenderFailures(tx, campaign.emailId)
    const retried = await openRecipients.retryNow(tx, campaign.id, 0)
    if (retried !== undefined) await enqueueRecipients(tx, campaign.id, retried)
  }
  if (isComplete) await queueSources.open(tx, campaign.id)
  else await enqueueRecipients(tx, campaign.id)
  return { campaign: sending, errors: [] }
}

/**
 * Sends a campaign again to the recipients in state UNKNOWN: a process died, or a connection broke, while the mail server
 * had their message. A recipient that got the message gets it twice, under one Message-ID. Returns their number.
 *
 * Emits `campaign.sending` if a sent campaign starts again. Throws INVALID_STATE unless its status is SENT, SENDING or ERROR,
 * and for a campaign that was cancelled or is archived.
 */
export async function sendUnknown(
  ctx: Ctx,
  input: { id: string | number },
): Promise<{ campaign: Campaign; count: number }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    const isStarted = before.status === 'SENT' || before.status === 'SENDING' || before.status === 'ERROR'
    if (!isStarted || before.errorCode === 'CANCELLED')
      throw refuseValue('id', 'INVALID_STATE', 'There is no such campaign that was sent.')
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

/** The scheduled time as local time in the account's time zone, `YYYY-MM-DD HH:MM:SS`; null if there is none. */
export async function formatScheduledFor(ctx: Ctx, { scheduledFor }: Campaign): Promise<string | null> {
  return scheduledFor && formatLocalTime(scheduledFor, await zoneOf(ctx))
}

function alreadySent() {
  return refuseValue('id', 'INVALID_STATE', 'There is no such campaign that can be sent.')
}
