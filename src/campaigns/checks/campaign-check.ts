import type { Campaign } from '../../../prisma/generated/client/client.ts'
import { quotas } from '../../account/index.ts'
import type { Ctx, Loader } from '../../db/context.ts'
import { join, sql } from '../../db/sql.ts'
import { zoneOf } from '../../db/zone.ts'
import { invalidFields, Refusal } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { monthOf } from '../../kernel/values/period.ts'
import { contentReports, domainOf, emails, isMonthlyRecipient, senderDomains } from '../../mail/index.ts'
import {
  type Audience,
  audienceOfCampaign,
  findDeletedExclusions,
  isStored,
  membersOf,
  sizeOf,
} from '../audience/audience.ts'
import { byId, type StopCode } from '../definition/campaign-list.ts'

/** The codes of findings, each with the error in which the campaign would stop. A finding without one is a warning. */
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
  UNSUBSCRIBE_LINK_MISSING: null,
  MERGE_FIELD_UNKNOWN: null,
  MERGE_FIELD_BROKEN: null,
  SIZE_OVER_102_KB: null,
} as const satisfies Record<string, StopCode | null>

export type FindingCode = keyof typeof stopCodes

/** Something that is wrong with a campaign. */
export interface Finding {
  readonly code: FindingCode
  /** The input of a mutation that corrects it. */
  readonly field: 'subject' | 'fromEmail' | 'html' | 'text' | 'audience'
  /** What is wrong: a sentence, or the end of one that begins with the name of the field. */
  readonly problem: string
  readonly mergeField?: string
  /** Index of the merge field in the field, in UTF-16 code units. */
  readonly offset?: number
}

/** The result of the check of a campaign. */
export interface CampaignCheck {
  readonly findings: readonly Finding[]
}

/** Maximum size of a message's HTML that Gmail shows completely, in bytes. */
const maxHtmlBytes = 102_000

const codesOfFields = { subject: 'NO_SUBJECT', fromEmail: 'SENDER_MISSING', html: 'NO_CONTENT' } as const
type RequiredField = keyof typeof codesOfFields

/** Whether sending the campaign stops because of a finding. */
export function isError({ code }: Finding): boolean {
  return stopCodes[code] !== null
}

/** Returns the sentence of a finding. */
export function messageOf({ field, problem }: Finding): string {
  return /^[A-Z].*\.$/s.test(problem) ? problem : `${field} ${problem}.`
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
  const [ofEmail, ofAudience] = await Promise.all([
    findEmailErrors(ctx, campaign.emailId),
    findAudienceErrors(ctx, campaign),
  ])
  const hasContent = ofEmail.every(({ code }) => code !== 'NO_CONTENT')
  const ofContent = hasContent ? await findContentFaults(ctx, campaign.emailId) : []
  return { findings: [...ofEmail, ...ofAudience, ...ofContent].sort((a, b) => Number(isError(b)) - Number(isError(a))) }
}

/** Finds what is missing in an e-mail, and whether the account may send from its address. */
export async function findEmailErrors(ctx: Ctx, emailId: number): Promise<Finding[]> {
  const email = await ctx.load(emails.byId, emailId)
  if (!email) return [{ code: 'NO_CONTENT', field: 'html', problem: 'is not set yet' }]
  const missing = Object.entries(emails.findMissingFields(email) ?? {}).map(([name, [problem = '']]): Finding => {
    const field = name as RequiredField
    return { code: codesOfFields[field], field, problem }
  })
  const domain = domainOf(email.fromEmail)
  const isUnverified = email.fromEmail !== '' && (await ctx.load(senderDomains.isUnverified, domain))
  if (!isUnverified) return missing
  return [
    ...missing,
    { code: 'SENDER_UNVERIFIED', field: 'fromEmail', problem: senderDomains.unverifiedReason(domain) },
  ]
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
  return (first && stopCodes[first.code]) ?? undefined
}

/**
 * Returns the VALIDATION_ERROR for a campaign that stopped: the findings of its stop code. The audience is an input of
 * `send`. The other findings are about stored fields of the campaign.
 */
export function refusalOf(findings: readonly Finding[]): Refusal {
  const code = stopCodeOf(findings)
  const shown = findings.filter((finding) => stopCodes[finding.code] === code)
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
  const audience = audienceOfCampaign(campaign)
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
        async (key) => sql`SELECT ${key}::text AS key, count(*) FILTER (WHERE c.email_marketing
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

async function findContentFaults(ctx: Ctx, emailId: number): Promise<Finding[]> {
  const report = await ctx.load(contentReports, emailId)
  if (!report) return []
  if ('problem' in report) return [{ code: 'CONTENT_INVALID', ...report }]
  const { mergeFields, withoutUnsubscribeLink, htmlBytes } = report
  return [
    ...withoutUnsubscribeLink.map(
      ({ field, problem }): Finding => ({
        code: 'UNSUBSCRIBE_LINK_MISSING',
        field,
        problem: `${problem}, so an unsubscribe link is appended to each message`,
      }),
    ),
    ...mergeFields.map(
      ({ kind, ...fault }): Finding =>
        kind === 'UNKNOWN'
          ? { code: 'MERGE_FIELD_UNKNOWN', ...fault, problem: `contains the unknown merge field ${fault.mergeField}` }
          : {
              code: 'MERGE_FIELD_BROKEN',
              ...fault,
              problem: `contains ${fault.mergeField}, which is not a valid merge field and is sent unchanged`,
            },
    ),
    ...(htmlBytes > maxHtmlBytes ? [oversize(htmlBytes)] : []),
  ]
}

function oversize(htmlBytes: number): Finding {
  const kilobytes = Math.ceil(htmlBytes / 1_000)
  return {
    code: 'SIZE_OVER_102_KB',
    field: 'html',
    problem: `has a size of about ${kilobytes} kB in a message; Gmail hides what exceeds 102 kB`,
  }
}
