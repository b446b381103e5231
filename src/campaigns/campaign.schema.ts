import type { Campaign } from '../../prisma/generated/client/client.ts'
import { AccountType } from '../account/account.schema.ts'
import type { Ctx } from '../db/context.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { idOf } from '../kernel/ids.ts'
import { EmailType } from '../mail/content/email.schema.ts'
import {
  RecipientConnection,
  RecipientCountsType,
  RecipientFilter,
  RecipientOrder,
  RecipientType,
} from '../mail/delivery/recipient.schema.ts'
import { emails, recipients, stats } from '../mail/index.ts'
import { MailStatsType } from '../mail/tracking/stats.schema.ts'
import { AudienceType } from './audience.schema.ts'
import { audiences, campaignList, sending } from './index.ts'

export const CampaignStatus = builder.enumType('CampaignStatus', {
  description: 'Where a campaign stands.',
  values: {
    DRAFT: { description: 'Is being written.' },
    SCHEDULED: { description: 'Will be sent at its time.' },
    SENDING: { description: 'Is on its way to its recipients.' },
    SENT: { description: 'Has been sent to all of them.' },
    ERROR: { description: 'Has stopped; `errorCode` says why.' },
  },
})

export const CampaignError = builder.enumType('CampaignErrorCode', {
  description: 'Why a campaign has stopped.',
  values: {
    NO_RECIPIENTS: { description: 'Nobody in its audience has agreed to marketing e-mail.' },
    SENDER_REJECTED: {
      description: 'The mail server refused the sender, or the domain of the sender is not verified (`senderDomains`).',
    },
    TEMPLATE_ERROR: { description: 'Subject, sender address or content are missing, or cannot be rendered.' },
    QUOTA_EXCEEDED: { description: 'The plan allows no more recipients or e-mails this month.' },
    PROVIDER_DOWN: { description: 'The mail server could not be reached for too long.' },
    MISSED_WINDOW: { description: 'Its time had passed long before it could be sent.' },
    CANCELLED: { description: 'Someone has stopped it for good.' },
  },
})

/** The e-mail of a campaign is its own: who may read the campaign may read it. */
const emailOf = ({ emailId }: Campaign, ctx: Ctx) => ctx.load(emails.byId, emailId)

export const CampaignType = builder.prismaObject('Campaign', {
  description: 'A message to many, sent once.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called among those who send it.' }),
    subject: t.string({
      description: 'What its e-mail is about; empty where not set yet.',
      resolve: async (campaign, _args, ctx) => (await emailOf(campaign, ctx))?.subject ?? '',
    }),
    fromName: t.string({
      description: 'Whom its e-mail comes from, by name; may be empty.',
      resolve: async (campaign, _args, ctx) => (await emailOf(campaign, ctx))?.fromName ?? '',
    }),
    fromEmail: t.string({
      description: 'Whom its e-mail comes from, by address; empty where not set yet.',
      resolve: async (campaign, _args, ctx) => (await emailOf(campaign, ctx))?.fromEmail ?? '',
    }),
    email: t.field({
      type: EmailType,
      nullable: true,
      description: 'What it sends; null where the campaign was deleted in this very moment.',
      resolve: (campaign, _args, ctx) => emailOf(campaign, ctx),
    }),
    status: t.expose('status', { type: CampaignStatus, description: 'Where it stands.' }),
    errorCode: t.expose('errorCode', {
      type: CampaignError,
      nullable: true,
      description: 'Why it has stopped; null in every other status than ERROR.',
    }),
    audience: t.field({
      type: AudienceType,
      description:
        'Whom it would be sent to at this moment. Once it is on its way, `recipients` are whom it is sent to.',
      resolve: (campaign) => audiences.audienceOfCampaign(campaign),
    }),
    recipientsCount: t.exposeInt('recipientsCount', {
      description: 'How many recipients it has; 0 before it is sent.',
    }),
    sentTo: t.exposeInt('sentTo', { description: 'For how many of them the mail server has accepted it.' }),
    scheduledFor: t.expose('scheduledFor', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is, or was, to be sent; null where no time was set.',
    }),
    scheduledForLocal: t.string({
      nullable: true,
      description: "The same as the clocks of the account's zone show it: `YYYY-MM-DD HH:MM:SS`.",
      resolve: (campaign, _args, ctx) => sending.clockTimeOf(ctx, campaign),
    }),
    pausedAt: t.expose('pausedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when its sending rests; null where it does not.',
    }),
    sentAt: t.expose('sentAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last recipient was done with; null before that.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    stats: t.field({
      type: MailStatsType,
      description: 'What became of its messages so far.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(stats.statsOfCampaign, id)) ?? stats.emptyStats,
    }),
    recipientCounts: t.field({
      type: RecipientCountsType,
      description: 'How far its messages have come. `unknown` ones are sent again by `campaignSendUnknown` only.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(recipients.countsOfCampaign, id)) ?? recipients.zeroCounts,
    }),
    recipients: t.field({
      type: RecipientConnection,
      description: 'Whom it is sent to, the oldest contact first unless ordered otherwise; nobody before it is sent.',
      args: listArgs(t.arg, RecipientFilter, RecipientOrder),
      complexity: pageCost,
      resolve: ({ id }, args, ctx) => recipients.listOfCampaign(ctx, id, args),
    }),
  }),
})

nodeSource('Campaign', 'campaigns:read', campaignList.byId)

builder.prismaObjectField(RecipientType, 'campaign', (t) =>
  t.field({
    type: CampaignType,
    nullable: true,
    description: needing('campaigns:read', 'The campaign it belongs to; null where a sequence sends it.'),
    resolve: allowed('campaigns:read', ({ campaignId }, _args, ctx) =>
      campaignId === null ? null : ctx.load(campaignList.byId, campaignId),
    ),
  }),
)

const CampaignConnection = connectionOf('Campaign', CampaignType, 'campaigns')

export const CampaignFilter = builder.inputType('CampaignFilter', {
  description: 'Which campaigns a list is about; all conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: CampaignStatus, description: 'Those that stand here.' }),
    period: t.field({ type: PeriodType, description: "When they were made, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
    search: t.string({ description: 'Those whose name contains this text, in whatever case.' }),
  }),
})

const CampaignOrder = orderOf(
  'Campaign',
  'campaigns',
  { CREATED_AT: 'When they were made.', NAME: 'Their name.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  campaign: t.field({
    type: CampaignType,
    nullable: true,
    description: needing('campaigns:read', 'A campaign, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The campaign, by global id or integer.' }) },
    resolve: allowed('campaigns:read', (_root, { id }, ctx) => ctx.load(campaignList.byId, idOf('Campaign', id))),
  }),
  campaigns: t.field({
    type: CampaignConnection,
    description: needing('campaigns:read', 'The campaigns of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, CampaignFilter, CampaignOrder),
    complexity: pageCost,
    resolve: allowed('campaigns:read', (_root, args, ctx) => campaignList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'campaigns', (t) =>
  t.field({
    type: CampaignConnection,
    nullable: true,
    description: needing('campaigns:read', 'Its campaigns, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, CampaignFilter, CampaignOrder),
    complexity: pageCost,
    resolve: allowed('campaigns:read', (_account, args, ctx) => campaignList.list(ctx, args)),
  }),
)
