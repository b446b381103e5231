import * as z from 'zod'
import { CampaignRecipientsDocument } from '../generated/documents.ts'
import { queryId } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { page, route } from '../route.ts'
import { isoMicroseconds } from '../time.ts'

const states = {
  queued: 'QUEUED',
  claimed: 'CLAIMED',
  handing_over: 'HANDING_OVER',
  sent: 'SENT',
  bounced: 'BOUNCED',
  failed: 'FAILED',
  skipped: 'SKIPPED',
  unknown: 'UNKNOWN',
} as const

/** How far a message has come, as REST calls it. */
const state = z.enum(Object.keys(states) as [keyof typeof states, ...(keyof typeof states)[]])
const time = z.iso.datetime({ precision: 6 }).nullable()
const toTime = (given: string | null) => (given === null ? null : isoMicroseconds(given))

const listRecipients = route(CampaignRecipientsDocument, {
  id: 'CAM-RECIPIENTS',
  method: 'GET',
  path: '/v1/campaign-recipients',
  needs: ['campaigns:read', 'contacts:read'],
  group: 'Campaigns',
  summary: 'List the recipients of a campaign, by contact, with what became of their messages',
  description:
    '`answer` is what the mail server said last, or why there was no answer. `unknown` may have been sent or not: a process died while it was handing it over.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'campaign',
  query: z.object({ campaign_id: queryId, state: state.optional(), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    id: query.campaign_id,
    filter: query.state && { states: [states[query.state]] },
  }),
  reply: page(
    z.strictObject({
      contact_id: z.int().nullable(),
      email: z.string(),
      state,
      attempts: z.int(),
      answer: z.string(),
      sent_at: time,
      opened_at: time,
      clicked_at: time,
      unsubscribed_at: time,
    }),
    ({ campaign }) => campaign?.recipients,
    ({ contact, ...message }) => ({
      contact_id: contact?.databaseId ?? null,
      email: contact?.email ?? '',
      state: message.state.toLowerCase() as Lowercase<typeof message.state>,
      attempts: message.attempts,
      answer: message.answer ?? '',
      sent_at: toTime(message.sentAt),
      opened_at: toTime(message.openedAt),
      clicked_at: toTime(message.clickedAt),
      unsubscribed_at: toTime(message.unsubscribedAt),
    }),
  ),
})

/** What the specification leaves out of its campaigns: whom one went to, each by itself. */
export const recipientRoutes = [listRecipients]
