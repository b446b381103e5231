import type { Campaign } from '../../../prisma/generated/client/client.ts'
import { LocalHoursType } from '../../account/accounts/sending-rules.schema.ts'
import type { Ctx } from '../../db/context.ts'
import { liveList } from '../../events/live/live-list.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { hoursBetween } from '../../kernel/values/local-time.ts'
import { EmailType } from '../../mail/emails/email.schema.ts'
import { emails, heldCounts, links, noneHeld, reasonsOfCampaign, recipients, stats } from '../../mail/index.ts'
import { UnsubscribeReasonCount } from '../../mail/preferences/reasons.schema.ts'
import { DelayCountType, HoldActionType, holdTexts, SkipCountType } from '../../mail/recipients/hold.schema.ts'
import { RecipientConnection, RecipientCountsType, RecipientType } from '../../mail/recipients/recipient.schema.ts'
import { LinkStatsType, linksOptions, MailStatsType } from '../../mail/stats/stats.schema.ts'
import { AudienceType } from '../audience/audience.schema.ts'
import * as audiences from '../audience/audience.ts'
import * as campaignList from './campaign-list.ts'
import { maxSpreadHours } from './delivery-settings.ts'
import { liveCampaigns } from './live-campaigns.ts'

export const CampaignStatus = builder.enumType('CampaignStatus', {
  description: 'Status of a campaign.',
  values: {
    DRAFT: { description: 'The campaign can be edited. It was not sent.' },
    SCHEDULED: { description: 'The campaign will be sent at `scheduledFor`.' },
    SENDING: { description: 'The campaign is being sent, or is paused (`pausedAt`).' },
    SENT: { description: 'Sending is complete for all recipients.' },
    ERROR: { description: 'The campaign stopped. `errorCode` contains the reason.' },
  },
})

export const CampaignError = builder.enumType('CampaignErrorCode', {
  description: 'The reason why a campaign stopped.',
  values: {
    NO_RECIPIENTS: { description: 'No contact in the audience consented to marketing e-mail.' },
    SENDER_REJECTED: {
      description: 'The mail server refused the sender, or the domain of the sender is not verified (`senderDomains`).',
    },
    TEMPLATE_ERROR: {
      description: 'Subject, sender address or content is missing, or the content cannot be rendered.',
    },
    QUOTA_EXCEEDED: { description: 'The monthly quota of recipients or e-mails is used up.' },
    PROVIDER_DOWN: { description: 'The mail server was unavailable for too long.' },
    MISSED_WINDOW: { description: 'The campaign could not be started within 24 hours after its scheduled time.' },
    CANCELLED: { description: 'A client cancelled the campaign with `campaignCancel`.' },
    AUDIENCE_INVALID: {
      description:
        'The filter of the audience excludes by a tag, segment, sequence, campaign, form or custom field that was deleted. Without it, the audience would be larger than intended. Or its segments were changed and have too many conditions.',
    },
  },
})

/** The e-mail belongs to the campaign alone, so the scope of the campaign is enough to read it. */
export const sendWindow =
  'Hours of the day in which the campaign is sent, in the time zone of each contact, or in that of the account if the contact has none. Messages that are due outside of them wait for the next ones.'
export const spreadHours = `Number of hours over which the campaign is sent evenly, from 0 to ${maxSpreadHours}. 0 sends it as fast as possible.`

const emailOf = ({ emailId }: Campaign, ctx: Ctx) => ctx.load(emails.byId, emailId)

export const CampaignType = builder.prismaObject('Campaign', {
  description: 'An e-mail that is sent once to an audience of contacts.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Internal name of the campaign. Recipients do not see it.' }),
    subject: t.string({
      description: 'Subject of the e-mail. Empty until it is set.',
      resolve: async (campaign, _args, ctx) => (await emailOf(campaign, ctx))?.subject ?? '',
    }),
    fromName: t.string({
      description: 'Name of the sender. May be empty.',
      resolve: async (campaign, _args, ctx) => (await emailOf(campaign, ctx))?.fromName ?? '',
    }),
    fromEmail: t.string({
      description: 'E-mail address of the sender. Empty until it is set.',
      resolve: async (campaign, _args, ctx) => (await emailOf(campaign, ctx))?.fromEmail ?? '',
    }),
    email: t.field({
      type: EmailType,
      nullable: true,
      description: 'The e-mail that the campaign sends. Null if the campaign was deleted concurrently.',
      resolve: (campaign, _args, ctx) => emailOf(campaign, ctx),
    }),
    status: t.expose('status', { type: CampaignStatus, description: 'Current status.' }),
    errorCode: t.expose('errorCode', {
      type: CampaignError,
      nullable: true,
      description: 'The reason why the campaign stopped. Null unless `status` is ERROR.',
    }),
    audience: t.field({
      type: AudienceType,
      description:
        'The audience as it is now. When the campaign is sent, its audience is copied to `recipients`; later changes of the audience have no effect.',
      resolve: (campaign, _args, ctx) => audiences.audienceOfCampaign(ctx, campaign),
    }),
    recipientsCount: t.exposeInt('recipientsCount', {
      description:
        'Number of recipients. 0 before the campaign is sent. In an account with more than 10,000 contacts, it grows for some time after `campaignSend`, and sending begins when it is complete.',
    }),
    sentTo: t.exposeInt('sentTo', {
      description: 'Number of recipients for which the mail server accepted the message.',
    }),
    scheduledFor: t.exposeTime('scheduledFor', {
      nullable: true,
      description: 'Time at which the campaign is, or was, scheduled to be sent. Null if it was not scheduled.',
    }),
    localTime: t.exposeString('localTime', {
      nullable: true,
      description:
        'Local time at which each contact gets the message in its own time zone, in the format `YYYY-MM-DD HH:MM:SS`. `scheduledFor` is then the time at which it begins in the first time zone. Null unless the campaign is or was scheduled with `inContactZones`.',
    }),
    sendWindow: t.field({
      type: LocalHoursType,
      nullable: true,
      description: `${sendWindow} Null if it is sent at any hour.`,
      resolve: ({ windowFrom, windowUntil }) => hoursBetween(windowFrom, windowUntil),
    }),
    spreadHours: t.exposeInt('spreadHours', { description: spreadHours }),
    frequencyCapAction: t.expose('frequencyCapAction', {
      type: HoldActionType,
      description: holdTexts.frequencyCapAction,
    }),
    quietHoursAction: t.expose('quietHoursAction', { type: HoldActionType, description: holdTexts.quietHoursAction }),
    pausedAt: t.exposeTime('pausedAt', {
      nullable: true,
      description: 'Time at which sending was paused. Null if it is not paused.',
    }),
    sentAt: t.exposeTime('sentAt', {
      nullable: true,
      description: 'Time at which sending was completed. Null until then.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change of the campaign, its e-mail or its status.',
    }),
    archivedAt: t.exposeTime('archivedAt', {
      nullable: true,
      description: 'Time at which the campaign was archived. Null if it is not archived.',
    }),
    stats: t.field({
      type: MailStatsType,
      description: 'Delivery, open and click statistics of the campaign.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(stats.statsOfCampaign, id)) ?? stats.emptyStats,
    }),
    links: t.field({
      type: [LinkStatsType],
      ...linksOptions,
      resolve: ({ id }, _args, ctx) => ctx.load(links.linksOfCampaign, id),
    }),
    recipientCounts: t.field({
      type: RecipientCountsType,
      description:
        'Number of recipients by state. Recipients in state `unknown` are sent again only by `campaignSendUnknown`.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(recipients.countsOfCampaign, id)) ?? recipients.zeroCounts,
    }),
    unsubscribeReasons: t.field({
      type: [UnsubscribeReasonCount],
      description: 'Why contacts unsubscribed through the campaign, the most frequent reasons first.',
      complexity: { ...listCost('reasons'), weight: 2 },
      resolve: ({ id }, _args, ctx) => ctx.load(reasonsOfCampaign, id),
    }),
    skips: t.field({
      type: [SkipCountType],
      description: 'Why recipients do not get the message: the most frequent reason first.',
      complexity: listCost('heldCounts'),
      resolve: async ({ id }, _args, ctx) => ((await ctx.load(heldCounts, id)) ?? noneHeld).skips,
    }),
    delays: t.field({
      type: [DelayCountType],
      description: 'Why recipients wait for the message: the most frequent reason first.',
      complexity: listCost('heldCounts'),
      resolve: async ({ id }, _args, ctx) => ((await ctx.load(heldCounts, id)) ?? noneHeld).delays,
    }),
    recipients: t.connection(RecipientConnection, {
      description:
        'The recipients of the campaign. Empty before the campaign is sent. Default order: oldest contact first.',
      resolve: ({ id }, args, ctx) => recipients.listOfCampaign(ctx, id, args),
    }),
  }),
})

nodeSource(CampaignType, 'campaigns:read', campaignList.byId)

builder.prismaObjectField(RecipientType, 'campaign', (t) =>
  t.node('campaignId', {
    type: CampaignType,
    description: 'The campaign of the message. Null if a sequence sends it.',
  }),
)

filterKind('enum CampaignStatus', [CampaignStatus])
filterKind('enum CampaignErrorCode', [CampaignError])

export const CampaignFilter = filterOf('CampaignFilterInput', 'campaigns', campaignList.campaignFilter, {
  id: 'The campaign itself.',
  name: 'Internal name of the campaign.',
  subject: 'Subject of the e-mail. It exists if it is not empty.',
  fromName: 'Name of the sender.',
  fromEmail: 'E-mail address of the sender.',
  status: 'One of these statuses.',
  errorCode: 'One of these reasons why the campaign stopped.',
  recipientsCount: 'Number of recipients. 0 before the campaign is sent.',
  sentTo: 'Number of recipients for which the mail server accepted the message.',
  scheduledFor: 'Time at which the campaign is, or was, scheduled to be sent.',
  pausedAt: 'Time at which sending was paused. It exists while sending is paused.',
  sentAt: 'Time at which sending was completed.',
  createdAt: 'Time of creation.',
  archivedAt: 'Time at which the campaign was archived. It exists while the campaign is archived.',
  search: 'Words in any order, in the name and the subject.',
})

const unsentLast = 'Campaigns of which nothing was sent come last in both directions.'

const CampaignConnection = connectionOf(CampaignType, {
  noun: 'campaigns',
  filter: CampaignFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    NAME: 'Name, in the order of a dictionary.',
    STATUS: 'Status, alphabetically.',
    SCHEDULED_FOR:
      'Time for which the campaign is scheduled. Campaigns that were not scheduled come first in ascending order.',
    SENT_AT: 'Time at which sending was complete. Campaigns that are not sent come first in ascending order.',
    OPEN_RATE: `Orders by \`stats.openRate\`. ${unsentLast}`,
    CLICK_RATE: `Orders by \`stats.clickRate\`. ${unsentLast}`,
    UNSUBSCRIBE_RATE: `Orders by \`stats.unsubscribeRate\`. ${unsentLast}`,
    BOUNCE_RATE: `Orders by \`stats.bounceRate\`. ${unsentLast}`,
  },
})

builder.queryFields((t) => ({
  campaign: t.nodeById({
    type: CampaignType,
    description: 'Returns a campaign. Null if the account has no campaign with this id.',
  }),
}))

accountList('campaigns', CampaignConnection, campaignList.list)
liveList('campaigns', CampaignType, CampaignConnection, { definition: liveCampaigns, list: campaignList.list })
