import * as z from 'zod'
import { page, route } from '../envelope/route.ts'
import { CampaignRecipientsDocument } from '../generated/documents.ts'
import { queryId } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { toGraphEnum, toRestEnum } from '../values/enums.ts'
import { isoMicrosecondsOrNull, isoTime } from '../values/time.ts'

const state = z.enum(['queued', 'claimed', 'handing_over', 'sent', 'bounced', 'failed', 'skipped', 'unknown'])
type RestState = z.output<typeof state>

/** The graph has another word for one state. */
const toGraphState = (given: RestState) => (given === 'handing_over' ? ('SENDING' as const) : toGraphEnum(given))
const toRestState = (given: ReturnType<typeof toGraphState>): RestState =>
  given === 'SENDING' ? 'handing_over' : toRestEnum(given)

const nullableTime = isoTime.nullable()

const listRecipients = route('GET /v1/campaign-recipients', CampaignRecipientsDocument, {
  id: 'CAM-RECIPIENTS',
  scopes: ['campaigns:read', 'contacts:read'],
  group: 'Campaigns',
  summary: 'List the recipients of a campaign',
  description:
    'Ordered by contact. `answer` is the last response of the mail server, or the reason why there was none. The state `unknown` means that a process stopped during the delivery attempt, so the message may or may not have been sent.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'campaign',
  query: z.object({ campaign_id: queryId, state: state.optional(), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    id: query.campaign_id,
    filter: query.state && { state: [toGraphState(query.state)] },
  }),
  reply: page(
    z.strictObject({
      contact_id: z.int().nullable(),
      email: z.string(),
      state,
      attempts: z.int(),
      answer: z.string(),
      sent_at: nullableTime,
      opened_at: nullableTime,
      clicked_at: nullableTime,
      unsubscribed_at: nullableTime,
    }),
    ({ campaign }) => campaign?.recipients,
    ({ contact, ...message }) => ({
      contact_id: contact?.databaseId ?? null,
      email: contact?.email ?? '',
      state: toRestState(message.state),
      attempts: message.attempts,
      answer: message.answer ?? '',
      sent_at: isoMicrosecondsOrNull(message.sentAt),
      opened_at: isoMicrosecondsOrNull(message.openedAt),
      clicked_at: isoMicrosecondsOrNull(message.clickedAt),
      unsubscribed_at: isoMicrosecondsOrNull(message.unsubscribedAt),
    }),
  ),
})

/** Recipients of a campaign, an addition to the specification. */
export const recipientRoutes = [listRecipients]
