import * as z from 'zod'
import type { CampaignInShortFragment, CampaignOfListFragment } from '../generated/documents.ts'
import { isoMicroseconds } from '../time.ts'

const statuses = {
  draft: 'DRAFT',
  sending: 'SENDING',
  sent: 'SENT',
  scheduled: 'SCHEDULED',
  error: 'ERROR',
} as const

/** Where a campaign stands, as REST calls it. */
export const status = z.enum(Object.keys(statuses) as [keyof typeof statuses, ...(keyof typeof statuses)[]])

/** Gives a status as the graph calls it. */
export function toGraphStatus(word: z.output<typeof status>) {
  return statuses[word]
}

/** Gives a status as REST calls it. */
export function toStatus<Status extends (typeof statuses)[keyof typeof statuses]>(given: Status) {
  return given.toLowerCase() as Lowercase<Status>
}

/** `YYYY-MM-DD HH:MM:SS`, on the clocks of the account's zone. */
export const clockTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

/** A campaign by itself, and as a row of a list. */
export const campaign = z.strictObject({
  id: z.int(),
  name: z.string(),
  subject: z.string(),
  from_name: z.string(),
  from_email: z.string(),
  status,
  sent_to: z.int(),
  recipients_count: z.int(),
  sent_at: z.iso.datetime({ precision: 6 }).nullable(),
  scheduled_for: clockTime.nullable(),
  created_at: z.iso.datetime({ precision: 6 }),
})

/** What writing a campaign answers. */
export const campaignInShort = campaign.pick({
  id: true,
  name: true,
  subject: true,
  from_name: true,
  from_email: true,
  status: true,
})

/** Gives a campaign by itself. */
export function toCampaign(node: CampaignOfListFragment) {
  return {
    ...toCampaignInShort(node),
    sent_to: node.sentTo,
    recipients_count: node.recipientsCount,
    sent_at: node.sentAt === null ? null : isoMicroseconds(node.sentAt),
    scheduled_for: node.scheduledForLocal,
    created_at: isoMicroseconds(node.createdAt),
  }
}

/** Gives what writing a campaign answers. */
export function toCampaignInShort(node: Omit<CampaignInShortFragment, '__typename' | ' $fragmentName'>) {
  return {
    id: node.databaseId,
    name: node.name,
    subject: node.subject,
    from_name: node.fromName,
    from_email: node.fromEmail,
    status: toStatus(node.status),
  }
}
