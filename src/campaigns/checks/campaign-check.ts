import type { Campaign } from '../../../prisma/generated/client/client.ts'
import { quotas } from '../../account/index.ts'
import type { Ctx, Loader } from '../../db/context.ts'
import { join, sql } from '../../db/sql.ts'
import { zoneOf } from '../../db/zone.ts'
import { invalidFields, Refusal } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { monthOf } from '../../kernel/values/period.ts'
import { emailChecks, isMonthlyRecipient } from '../../mail/index.ts'
import {
  type Audience,
  audienceOfCampaign,
  findDeletedExclusions,
  getsTopic,
  isStored,
  membersOf,
  sizeOf,
} from '../audience/audience.ts'
import { byId, type StopCode } from '../definition/campaign-list.ts'
import { findHiddenBlocks } from './hidden-blocks.ts'
import { findRuleEffects, type RuleEffect } from './sending-rules-check.ts'

/** The codes of findings that stop a campaign, each with the error in which it stops. */
const stopCodes = {
  NO_SUBJECT: 'TEMPLATE_ERROR',
  SENDER_MISSING: 'TEMPLATE_ERROR',
  NO_CONTENT: 'TEMPLATE_ERROR',
  CONTENT_INVALID: 'TEMPLATE_ERROR',
  SENDER_UNVERIFIED: 'SENDER_REJECTED',
  AUDIENCE_INVALID: 'AUDIENCE_INVALID',
  NO_AUDIENCE: 'NO_RECIPIENTS',
  NO_OPTED_IN: 'NO_RECIPIENTS',
  QUOTA_EXCEEDED: 'QUOTA_EXCEEDED',
} as const satisfies Record<emailChecks.EmailErrorCode, StopCode> & Record<string, StopCode>

export type FindingCode = emailChecks.EmailFindingCode | keyof typeof stopCodes | 'BLOCK_HIDDEN' | RuleEffect['code']

/** Something that is wrong with a campaign. */
export interface Finding extends emailChecks.FindingDetails {
  readonly code: FindingCode
  readonly field: emailChecks.EmailFinding['field'] | RuleEffect['field'] | 'audience'
}

/** The result of the check of a campaign. */
export interface CampaignCheck {
  readonly findings: readonly Finding[]
}

/** Returns the error in which a campaign stops because of a finding. Undefined for a warning. */
const stopCodeFor = ({ code }: Finding): StopCode | undefined =>
  Object.hasOwn(stopCodes, code) ? stopCodes[code as keyof typeof stopCodes] : undefined

/** Whether sending the campaign stops because of a finding. */
export function isError(finding: Finding): boolean {
  return stopCodeFor(finding) !== undefined
}

/** Whether `campaignSend` accepts a campaign in this state. */
export function isSendable({ status, errorCode, archivedAt }: Campaign): boolean {
  if (archivedAt) return false
  return status === 'DRAFT' || status === 'SCHEDULED' || (status === 'ERROR' && errorCode !== 'CANCELLED')
}

/** Checks a campaign by id. Null if there is no such campaign or if it cannot be sent any more. */
export async function checkById(ctx: Ctx, id: string | number): Promise<CampaignCheck | null> {
  const campaign = await ctx.load(byId, idOf('Campaign', id))
  return campaign && checkCampaign(ctx, campaign)
}

/**
 * Finds what would stop a campaign if it were sent now, and what its recipients would notice. Null for a campaign that is
 * being sent, was sent, was cancelled or is archived. The number of statements does not depend on the number of campaigns.
 *
 * **Throws** RATE_LIMITED if too much content is waiting to be checked.
 */
export async function checkCampaign(ctx: Ctx, campaign: Campaign): Promise<CampaignCheck | null> {
  if (!isSendable(campaign)) return null
  const { emailId } = campaign
  const [ofEmail, ofAudience, ofRules] = await Promise.all([
    emailChecks.findEmailErrors(ctx, emailId),
    findAudienceErrors(ctx, campaign),
    findRuleEffects(ctx, campaign),
  ])
  const content = await emailChecks.checkContent(ctx, emailId, ofEmail)
  // Without an audience, it would be all of them.
  const hasAudience = ofAudience.every(({ code }) => code === 'QUOTA_EXCEEDED')
  const conditions = hasAudience ? content.conditions : []
  const hidden = await findHiddenBlocks(ctx, (await audienceOfCampaign(ctx, campaign)).key, conditions)
  const findings = [...ofEmail, ...ofAudience, ...ofRules, ...hidden.map(hiddenBlock), ...content.findings]
  return { findings: findings.sort((a, b) => Number(isError(b)) - Number(isError(a))) }
}

/** Returns the finding for a campaign without recipients. */
export function noRecipients(code: 'NO_AUDIENCE' | 'NO_OPTED_IN'): Finding {
  return {
    code,
    field: 'audience',
    problem: 'must include at least one contact that consented to marketing e-mail',
  }
}

/** Returns the error with which a campaign stops: that of the first finding. Undefined if there is none. */
export function stopCodeOf([first]: readonly Finding[]): StopCode | undefined {
  return first && stopCodeFor(first)
}

/**
 * Returns the VALIDATION_ERROR for a campaign that stopped: the findings of its stop code. The audience is an input of
 * `send`. The other findings are about stored fields of the campaign.
 */
export function refusalOf(findings: readonly Finding[]): Refusal {
  const code = stopCodeOf(findings)
  const shown = findings.filter((finding) => stopCodeFor(finding) === code)
  return invalidFields(
    shown.map(({ field, problem: message }) => ({
      ...(field === 'audience' ? { path: field } : { path: 'id', member: field }),
      ...{ code: 'INVALID_VALUE', message },
    })),
  )
}

/**
 * Finds what the audience excludes although it was deleted: the campaign would reach more contacts than intended. Also finds
 * a filter that became invalid, because the segments in it were changed.
 */
export async function findInvalidAudience(ctx: Ctx, audience: Audience): Promise<Finding[]> {
  const finding = (problem: string): Finding => ({ code: 'AUDIENCE_INVALID', field: 'audience', problem })
  try {
    const deleted = await findDeletedExclusions(ctx, audience)
    return deleted.map(({ type, id }) => finding(`excludes the ${type} ${id}, which was deleted`))
  } catch (error) {
    if (!(error instanceof Refusal) || error.fields.length === 0) throw error
    return error.fields.map(({ path, message }) => finding(`has a ${path} that ${message}`))
  }
}

async function findAudienceErrors(ctx: Ctx, campaign: Campaign): Promise<Finding[]> {
  // It continues with the recipients that it has.
  if (campaign.recipientsCount > 0) return []
  const audience = await audienceOfCampaign(ctx, campaign)
  const { key } = audience
  const errors = await findInvalidAudience(ctx, audience)
  if (errors.length > 0) return errors
  const { total, optIn } = await ctx.load(sizeOf, key)
  if (optIn === 0) return [noRecipients(total === 0 ? 'NO_AUDIENCE' : 'NO_OPTED_IN')]
  const [recipients, messages] = await Promise.all([
    quotas.quotaOf(ctx, 'monthly_recipients'),
    quotas.quotaOf(ctx, 'emails'),
  ])
  const exceeds = ({ remaining }: quotas.Quota, count: number) => remaining !== null && count > remaining
  const isOverRecipients = exceeds(recipients, optIn) && exceeds(recipients, await ctx.load(newRecipientsOf, key))
  return [
    ...(isOverRecipients ? [quotaFinding('monthly_recipients', recipients)] : []),
    ...(exceeds(messages, optIn) ? [quotaFinding('emails', messages)] : []),
  ]
}

function quotaFinding(slot: quotas.Slot, { limit }: quotas.Quota): Finding {
  return { code: 'QUOTA_EXCEEDED', field: 'audience', problem: quotas.exhaustedMessage(slot, limit ?? 0) }
}

/** Loads by key how many opted-in contacts of audiences are not in this month's quota of recipients yet. One statement. */
export const newRecipientsOf: Loader<string, number> = {
  otherwise: () => 0,
  batch: async (ctx, keys) => {
    const month = monthOf(ctx.clock.now(), await zoneOf(ctx))
    const each = await Promise.all(
      keys.map(
        async (
          key,
        ) => sql`SELECT ${key}::text AS key, count(*) FILTER (WHERE c.email_marketing AND ${getsTopic(ctx, key)}
          AND NOT ${isMonthlyRecipient(ctx, month, sql`c.id`)})::int AS count ${await membersOf(ctx, key)}`,
      ),
    )
    const rows = await ctx.sql.limited(each.length, keys.every(isStored))<{
      key: string
      count: number
    }>`${join(each, ' UNION ALL ')}`
    return new Map(rows.map(({ key, count }) => [key, count]))
  },
}

function hiddenBlock(path: string): Finding {
  return { code: 'BLOCK_HIDDEN', field: 'content', path, problem: `has a block at ${path} that no recipient sees` }
}
