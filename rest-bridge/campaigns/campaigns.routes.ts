import * as z from 'zod'
import {
  CampaignContentSetDocument,
  CampaignCreateDocument,
  CampaignDeleteDocument,
  CampaignListDocument,
  CampaignReadDocument,
  CampaignScheduleDocument,
  CampaignSendDocument,
  CampaignStatsDocument,
  CampaignUnscheduleDocument,
  CampaignUpdateDocument,
} from '../generated/documents.ts'
import { flag, id, ids, queryId, refusing, someText, text } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { periodFilter, withPeriod } from '../period.ts'
import { percentage } from '../rates.ts'
import { one, page, route, written } from '../route.ts'
import {
  campaign,
  campaignInShort,
  clockTime,
  status,
  toCampaign,
  toCampaignInShort,
  toGraphStatus,
} from './campaign.ts'

const group = 'Campaigns'

/** Whom a campaign is for, as scheduling and sending take it. */
const audienceFields = {
  send_to_all: flag.optional(),
  incl_tag_ids: ids.optional(),
  excl_tag_ids: ids.optional(),
  incl_sequence_ids: ids.optional(),
  excl_sequence_ids: ids.optional(),
}
const sendBody = z.object({ campaign_id: id, ...audienceFields })
const scheduleBody = z.object({
  campaign_id: id,
  scheduled_for: text.meta({ examples: ['2026-12-24 18:00', '2026-12-24T18:00:00+01:00', '20261224T170000Z'] }),
  ...audienceFields,
})

/** The audience as the graph takes it; what was not sent stays as the campaign has it. */
function audienceInput(body: Omit<z.output<typeof sendBody>, 'campaign_id'>) {
  const filter = {
    includeTagIds: body.incl_tag_ids,
    excludeTagIds: body.excl_tag_ids,
    includeSequenceIds: body.incl_sequence_ids,
    excludeSequenceIds: body.excl_sequence_ids,
  }
  return { sendToAll: body.send_to_all, filter }
}

const meta = { subject: text.optional(), from_name: text.optional(), from_email: text.optional() }

/** What a campaign's fields are called in REST where the graph's name is another. */
const names = { id: 'campaign_id' }
const statusMessage = `status must be one of ${status.options.join(', ')}.`

const listCampaigns = route(CampaignListDocument, {
  id: 'CAM-LIST',
  method: 'GET',
  path: '/v1/campaigns',
  needs: ['campaigns:read'],
  group,
  summary: 'List campaigns, newest first',
  errors: ['INVALID_STATUS', 'INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: withPeriod({ status: refusing('INVALID_STATUS', statusMessage, status.optional()), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: { ...periodFilter(query), status: query.status && toGraphStatus(query.status) },
  }),
  reply: page(campaign, ({ campaigns }) => campaigns, toCampaign),
})

const readCampaign = route(CampaignReadDocument, {
  id: 'CAM-GET',
  method: 'GET',
  path: '/v1/campaign',
  needs: ['campaigns:read'],
  group,
  summary: 'Read a campaign',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'campaign',
  query: z.object({ campaign_id: queryId }),
  variables: ({ query }) => ({ id: query.campaign_id }),
  reply: one(campaign, ({ campaign: found }) => found && toCampaign(found)),
})

const count = z.int()
const readStats = route(CampaignStatsDocument, {
  id: 'CAM-STATS',
  method: 'GET',
  path: '/v1/campaign-stats',
  needs: ['campaigns:read'],
  group,
  summary: 'Read what became of a campaign, in real time',
  description: 'Rates are percentages: 40 means 40 %.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'campaign',
  query: z.object({ campaign_id: queryId }),
  variables: ({ query }) => ({ id: query.campaign_id }),
  reply: one(
    z.strictObject({
      sent_to: count,
      opens: count,
      clicks: count,
      unsubscribes: count,
      open_rate: z.number(),
      click_rate: z.number(),
      unsubscribe_rate: z.number(),
    }),
    ({ campaign: found }) => {
      if (!found) return null
      const { sent, opened, clicked, unsubscribed } = found.stats
      return {
        sent_to: sent,
        opens: opened,
        clicks: clicked,
        unsubscribes: unsubscribed,
        open_rate: percentage(opened, sent),
        click_rate: percentage(clicked, sent),
        unsubscribe_rate: percentage(unsubscribed, sent),
      }
    },
  ),
})

const createCampaign = route(CampaignCreateDocument, {
  id: 'CAM-CREATE',
  method: 'POST',
  path: '/v1/campaign',
  needs: ['campaigns:write'],
  group,
  summary: 'Create a campaign as a draft',
  description: "Its sender is the account's own where none is given.",
  status: 201,
  errors: ['VALIDATION_ERROR'],
  body: z.object({ name: someText.meta({ maxLength: 255 }), ...meta }),
  variables: ({ body }) => ({
    input: { name: body.name, subject: body.subject, fromName: body.from_name, fromEmail: body.from_email },
  }),
  reply: one(campaignInShort, ({ campaignCreate }) => toCampaignInShort(written(campaignCreate.campaign))),
})

const updateCampaign = route(CampaignUpdateDocument, {
  id: 'CAM-UPDATE',
  method: 'PUT',
  path: '/v1/campaign',
  needs: ['campaigns:write'],
  group,
  summary: 'Change a draft',
  description:
    'Only the fields sent are changed. A campaign in `error` that reached no recipient becomes a draft again. Any other is NOT_FOUND.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'draft',
  names,
  body: z.object({ campaign_id: id, name: someText.meta({ maxLength: 255 }).optional(), ...meta }),
  variables: ({ body }) => ({
    input: {
      id: body.campaign_id,
      name: body.name,
      subject: body.subject,
      fromName: body.from_name,
      fromEmail: body.from_email,
    },
  }),
  reply: one(campaignInShort.extend({ updated: z.literal(true) }), ({ campaignUpdate }) => ({
    ...toCampaignInShort(written(campaignUpdate.campaign)),
    updated: true as const,
  })),
})

const setContent = route(CampaignContentSetDocument, {
  id: 'CAM-CONTENT',
  method: 'PUT',
  path: '/v1/campaign-content',
  needs: ['campaigns:write'],
  group,
  summary: 'Set what a draft sends',
  description:
    'Without `text`, the plain text is made from the HTML. A campaign in `error` that reached no recipient becomes a draft again; one that stopped because its content could not be rendered keeps its recipients. Any other is NOT_FOUND.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'draft',
  names,
  body: z.object({ campaign_id: id, html: someText, text: text.optional() }),
  variables: ({ body }) => ({ input: { id: body.campaign_id, html: body.html, text: body.text } }),
  reply: one(z.strictObject({ id: z.int(), updated: z.literal(true) }), ({ campaignContentSet }) => ({
    id: campaignContentSet.campaignDatabaseId,
    updated: true as const,
  })),
})

const scheduleCampaign = route(CampaignScheduleDocument, {
  id: 'CAM-SCHEDULE',
  method: 'POST',
  path: '/v1/campaign-schedule',
  needs: ['campaigns:write'],
  group,
  summary: 'Schedule a draft, or re-schedule a scheduled campaign',
  description:
    "Without an offset, `scheduled_for` is a time of the account's zone (Europe/Paris where none is set). Filters that are not sent stay as they are; without any filter and without `send_to_all` a campaign goes to nobody.",
  errors: ['INVALID_DATE', 'VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'campaign',
  names,
  body: scheduleBody,
  variables: ({ body }) => ({
    input: { id: body.campaign_id, scheduledFor: body.scheduled_for, audience: audienceInput(body) },
  }),
  reply: one(
    z.strictObject({ id: z.int(), status: z.literal('scheduled'), scheduled_for: clockTime }),
    ({ campaignSchedule: { campaignDatabaseId, campaign } }) => ({
      id: campaignDatabaseId,
      status: 'scheduled' as const,
      scheduled_for: written(campaign).scheduledForLocal ?? '',
    }),
  ),
})

const unscheduleCampaign = route(CampaignUnscheduleDocument, {
  id: 'CAM-UNSCHEDULE',
  method: 'POST',
  path: '/v1/campaign-unschedule',
  needs: ['campaigns:write'],
  group,
  summary: 'Make a scheduled campaign a draft again',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'scheduled campaign',
  names,
  body: z.object({ campaign_id: id }),
  variables: ({ body }) => ({ input: { id: body.campaign_id } }),
  reply: one(
    z.strictObject({ id: z.int(), status: z.literal('draft'), scheduled_for: z.null() }),
    ({ campaignUnschedule }) => ({
      id: campaignUnschedule.campaignDatabaseId,
      status: 'draft' as const,
      scheduled_for: null,
    }),
  ),
})

const sendCampaign = route(CampaignSendDocument, {
  id: 'CAM-SEND',
  method: 'POST',
  path: '/v1/campaign-send',
  needs: ['campaigns:write'],
  group,
  summary: 'Send a draft or a scheduled campaign now',
  description:
    'If subject, sender or content are missing, or the audience is empty, the answer is the same and the status becomes `error`. Such a campaign can be changed, sent again and deleted.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'campaign',
  names,
  body: sendBody,
  variables: ({ body }) => ({
    input: { id: body.campaign_id, audience: audienceInput(body), errorAsStatus: true },
  }),
  // The specification knows no other answer: what became of the campaign since is told by the campaign.
  reply: one(z.strictObject({ id: z.int(), status: z.literal('sending') }), ({ campaignSend }) => ({
    id: campaignSend.campaignDatabaseId,
    status: 'sending' as const,
  })),
})

const deleteCampaign = route(CampaignDeleteDocument, {
  id: 'CAM-DELETE',
  method: 'DELETE',
  path: '/v1/campaign',
  needs: ['campaigns:write'],
  group,
  summary: 'Delete a draft, or a campaign in `error` that reached no recipient',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CAMPAIGN_SCHEDULED'],
  finds: 'draft',
  names,
  body: z.object({ campaign_id: id }),
  variables: ({ body }) => ({ input: { id: body.campaign_id } }),
  reply: one(z.strictObject({ deleted: z.literal(true) }), () => ({ deleted: true as const })),
})

/** Campaigns themselves, of the specification's table “Campaigns”, and the two endpoints that it leaves out. */
export const campaignRoutes = [
  listCampaigns,
  readCampaign,
  readStats,
  createCampaign,
  updateCampaign,
  setContent,
  scheduleCampaign,
  unscheduleCampaign,
  sendCampaign,
  deleteCampaign,
]
