import * as z from 'zod'
import { deleted, one, page, requireNode, route } from '../envelope/route.ts'
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
import { enumFilter, flag, id, ids, nonEmptyText, queryId, text } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { periodFilter, queryWithPeriod } from '../input/period.ts'
import { toGraphEnum } from '../values/enums.ts'
import { percentage } from '../values/rates.ts'
import { campaign, campaignStatus, campaignSummary, localTime, toCampaign, toCampaignSummary } from './campaign.ts'

const group = 'Campaigns'

/** The audience fields of the bodies of campaign-schedule and campaign-send. */
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

/** Returns the GraphQL input of the audience. Fields that were not sent keep the value of the campaign. */
function toAudienceInput(body: Omit<z.output<typeof sendBody>, 'campaign_id'>) {
  const lists = {
    includeTagIds: body.incl_tag_ids,
    excludeTagIds: body.excl_tag_ids,
    includeSequenceIds: body.incl_sequence_ids,
    excludeSequenceIds: body.excl_sequence_ids,
  }
  return { sendToAll: body.send_to_all, lists }
}

const emailFields = { subject: text.optional(), from_name: text.optional(), from_email: text.optional() }

const fieldNames = { id: 'campaign_id' }

const listCampaigns = route('GET /v1/campaigns', CampaignListDocument, {
  id: 'CAM-LIST',
  scopes: ['campaigns:read'],
  group,
  summary: 'List campaigns, newest first',
  errors: ['INVALID_STATUS', 'INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: queryWithPeriod({ status: enumFilter('INVALID_STATUS', 'status', campaignStatus), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: { createdAt: periodFilter(query), status: query.status && [toGraphEnum(query.status)] },
  }),
  reply: page(campaign, ({ campaigns }) => campaigns, toCampaign),
})

const readCampaign = route('GET /v1/campaign', CampaignReadDocument, {
  id: 'CAM-GET',
  scopes: ['campaigns:read'],
  group,
  summary: 'Get a campaign',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'campaign',
  query: z.object({ campaign_id: queryId }),
  variables: ({ query }) => ({ id: query.campaign_id }),
  reply: one(campaign, ({ campaign: found }) => toCampaign(found)),
})

const count = z.int()

const readStats = route('GET /v1/campaign-stats', CampaignStatsDocument, {
  id: 'CAM-STATS',
  scopes: ['campaigns:read'],
  group,
  summary: 'Get campaign statistics',
  description: 'The statistics are read in real time. Rates are percentages: 40 means 40%.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'campaign',
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

const createCampaign = route('POST /v1/campaign', CampaignCreateDocument, {
  id: 'CAM-CREATE',
  scopes: ['campaigns:write'],
  group,
  summary: 'Create a campaign as a draft',
  description: '`from_name` and `from_email` default to the sender of the account.',
  status: 201,
  errors: ['VALIDATION_ERROR'],
  body: z.object({ name: nonEmptyText.meta({ maxLength: 255 }), ...emailFields }),
  variables: ({ body }) => ({
    input: { name: body.name, subject: body.subject, fromName: body.from_name, fromEmail: body.from_email },
  }),
  reply: one(campaignSummary, ({ campaignCreate }) => toCampaignSummary(requireNode(campaignCreate.campaign))),
})

const updateCampaign = route('PUT /v1/campaign', CampaignUpdateDocument, {
  id: 'CAM-UPDATE',
  scopes: ['campaigns:write'],
  group,
  summary: 'Update a draft campaign',
  description:
    'Updates only the fields that are sent. A campaign with the status `error` that was sent to no recipient becomes a draft again. Campaigns with another status return NOT_FOUND.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'draft',
  fieldNames,
  body: z.object({ campaign_id: id, name: nonEmptyText.meta({ maxLength: 255 }).optional(), ...emailFields }),
  variables: ({ body }) => ({
    input: {
      id: body.campaign_id,
      name: body.name,
      subject: body.subject,
      fromName: body.from_name,
      fromEmail: body.from_email,
    },
  }),
  reply: one(campaignSummary.extend({ updated: z.literal(true) }), ({ campaignUpdate }) => ({
    ...toCampaignSummary(requireNode(campaignUpdate.campaign)),
    updated: true as const,
  })),
})

const setContent = route('PUT /v1/campaign-content', CampaignContentSetDocument, {
  id: 'CAM-CONTENT',
  scopes: ['campaigns:write'],
  group,
  summary: 'Set the content of a draft campaign',
  description:
    'If `text` is not sent, the plain text is derived from the HTML. A campaign with the status `error` that was sent to no recipient becomes a draft again; if it stopped because its content could not be rendered, it keeps its recipients. Campaigns with another status return NOT_FOUND.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'draft',
  fieldNames,
  body: z.object({ campaign_id: id, html: nonEmptyText, text: text.optional() }),
  variables: ({ body }) => ({ input: { id: body.campaign_id, html: body.html, text: body.text } }),
  reply: one(z.strictObject({ id: z.int(), updated: z.literal(true) }), ({ campaignContentSet }) => ({
    id: campaignContentSet.campaignDatabaseId,
    updated: true as const,
  })),
})

const scheduleCampaign = route('POST /v1/campaign-schedule', CampaignScheduleDocument, {
  id: 'CAM-SCHEDULE',
  scopes: ['campaigns:write'],
  group,
  summary: 'Schedule a draft campaign, or reschedule a scheduled one',
  description:
    "`scheduled_for` must be in the future. Without an offset it is in the account's time zone (Europe/Paris if none is set). Filters that are not sent keep their value. A campaign without filters and without `send_to_all` has no recipients.",
  errors: ['INVALID_DATE', 'VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'campaign',
  fieldNames,
  body: scheduleBody,
  variables: ({ body }) => ({
    input: { id: body.campaign_id, scheduledFor: body.scheduled_for, audience: toAudienceInput(body) },
  }),
  reply: one(
    z.strictObject({ id: z.int(), status: z.literal('scheduled'), scheduled_for: localTime }),
    ({ campaignSchedule: { campaignDatabaseId, campaign } }) => ({
      id: campaignDatabaseId,
      status: 'scheduled' as const,
      scheduled_for: requireNode(campaign).scheduledForLocal ?? '',
    }),
  ),
})

const unscheduleCampaign = route('POST /v1/campaign-unschedule', CampaignUnscheduleDocument, {
  id: 'CAM-UNSCHEDULE',
  scopes: ['campaigns:write'],
  group,
  summary: 'Cancel the schedule of a campaign',
  description: 'The campaign becomes a draft again.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'scheduled campaign',
  fieldNames,
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

const sendCampaign = route('POST /v1/campaign-send', CampaignSendDocument, {
  id: 'CAM-SEND',
  scopes: ['campaigns:write'],
  group,
  summary: 'Send a draft or scheduled campaign now',
  description:
    'If the subject, sender or content is missing, or the audience is empty, the response is the same and the status of the campaign becomes `error`. Such a campaign can be updated, sent again and deleted.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'campaign',
  fieldNames,
  body: sendBody,
  variables: ({ body }) => ({
    input: { id: body.campaign_id, audience: toAudienceInput(body), errorAsStatus: true },
  }),
  // The specification has no other status here. Clients read the outcome from the campaign.
  reply: one(z.strictObject({ id: z.int(), status: z.literal('sending') }), ({ campaignSend }) => ({
    id: campaignSend.campaignDatabaseId,
    status: 'sending' as const,
  })),
})

const deleteCampaign = route('DELETE /v1/campaign', CampaignDeleteDocument, {
  id: 'CAM-DELETE',
  scopes: ['campaigns:write'],
  group,
  summary: 'Delete a draft campaign',
  description:
    'A campaign with the status `error` that was sent to no recipient can be deleted too. Cancel the schedule of a scheduled campaign first. Campaigns with another status return NOT_FOUND.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CAMPAIGN_SCHEDULED'],
  resource: 'draft',
  fieldNames,
  body: z.object({ campaign_id: id }),
  variables: ({ body }) => ({ input: { id: body.campaign_id } }),
  reply: deleted,
})

/** Campaigns: from the specification's table “Campaigns”, and the additions campaign-content and campaign-unschedule. */
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
