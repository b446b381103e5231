import * as z from 'zod'
import type { CampaignRowFragment, CampaignSummaryFragment } from '../generated/documents.ts'
import { toRestEnum } from '../values/enums.ts'
import { isoMicroseconds, isoMicrosecondsOrNull, isoTime } from '../values/time.ts'

export const campaignStatus = z.enum(['draft', 'sending', 'sent', 'scheduled', 'error'])

/** A time `YYYY-MM-DD HH:MM:SS` in the time zone of the account. */
export const localTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

/** A campaign, alone and in a list. */
export const campaign = z.strictObject({
  id: z.int(),
  name: z.string(),
  subject: z.string(),
  from_name: z.string(),
  from_email: z.string(),
  status: campaignStatus,
  sent_to: z.int(),
  recipients_count: z.int(),
  sent_at: isoTime.nullable(),
  scheduled_for: localTime.nullable(),
  created_at: isoTime,
})

/** A campaign in the response of a create or update request. */
export const campaignSummary = campaign.pick({
  id: true,
  name: true,
  subject: true,
  from_name: true,
  from_email: true,
  status: true,
})

export function toCampaign(node: CampaignRowFragment) {
  return {
    ...toCampaignSummary(node),
    sent_to: node.sentTo,
    recipients_count: node.recipientsCount,
    sent_at: isoMicrosecondsOrNull(node.sentAt),
    scheduled_for: node.scheduledForLocal,
    created_at: isoMicroseconds(node.createdAt),
  }
}

export function toCampaignSummary(node: CampaignSummaryFragment) {
  return {
    id: node.databaseId,
    name: node.name,
    subject: node.subject,
    from_name: node.fromName,
    from_email: node.fromEmail,
    status: toRestEnum(node.status),
  }
}
