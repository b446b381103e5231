import type { Campaign } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { afterDescription } from '../events/log/event.schema.ts'
import { CampaignEvent, MessageEvent } from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { needing } from '../graphql/mutation.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { cursorOf, type StampedEvent } from '../kernel/feed.ts'
import { CampaignError, CampaignStatus, CampaignType } from './campaign.schema.ts'
import { campaignList, progress } from './index.ts'

builder.objectFields(CampaignEvent, (t) => ({
  campaign: t.field({
    type: CampaignType,
    nullable: true,
    description: 'The campaign as it is now; null where it is gone.',
    resolve: ({ data }, _args, ctx) => ctx.load(campaignList.byId, data.campaignId),
  }),
  errorCode: t.field({
    type: CampaignError,
    nullable: true,
    description: 'Why it has stopped; null where it has not.',
    resolve: ({ data }) => ('errorCode' in data ? (data.errorCode as NonNullable<Campaign['errorCode']>) : null),
  }),
}))

builder.objectField(MessageEvent, 'campaign', (t) =>
  t.field({
    type: CampaignType,
    nullable: true,
    description: needing(
      'campaigns:read',
      'The campaign that sent it; null where a sequence did, or where it is gone.',
    ),
    resolve: allowed('campaigns:read', ({ data: { campaignId } }, _args, ctx) =>
      campaignId === null ? null : ctx.load(campaignList.byId, campaignId),
    ),
  }),
)

/** The campaign of an event as it is now: read once, whichever of its figures are asked for. */
const campaignOf = ({ data }: StampedEvent, ctx: Ctx) =>
  ctx.load(campaignList.byId, (data as { campaignId: number }).campaignId)

const CampaignProgress = builder.objectRef<StampedEvent>('CampaignProgress').implement({
  description: 'Where a campaign stands.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The place of what has moved it: subscribe with it as `after` to go on from here.',
      resolve: ({ position }) => cursorOf(position),
    }),
    occurredAt: t.expose('createdAt', { type: 'DateTime', description: 'When it moved.' }),
    campaign: t.field({
      type: CampaignType,
      nullable: true,
      description: 'The campaign as it is now; null where it is gone.',
      resolve: (event, _args, ctx) => campaignOf(event, ctx),
    }),
    status: t.field({
      type: CampaignStatus,
      nullable: true,
      description: 'Its status now.',
      resolve: async (event, _args, ctx) => (await campaignOf(event, ctx))?.status ?? null,
    }),
    errorCode: t.field({
      type: CampaignError,
      nullable: true,
      description: 'Why it has stopped; null where it has not.',
      resolve: async (event, _args, ctx) => (await campaignOf(event, ctx))?.errorCode ?? null,
    }),
    recipientsCount: t.int({
      nullable: true,
      description: 'How many recipients it has; 0 before it is sent.',
      resolve: async (event, _args, ctx) => (await campaignOf(event, ctx))?.recipientsCount ?? null,
    }),
    sentTo: t.int({
      nullable: true,
      description: 'For how many of them the mail server has accepted it.',
      resolve: async (event, _args, ctx) => (await campaignOf(event, ctx))?.sentTo ?? null,
    }),
  }),
})

readableWith('CampaignProgress', 'campaigns:read')

builder.subscriptionFields((t) => ({
  campaignProgress: t.field({
    type: CampaignProgress,
    description: needing(
      'campaigns:read',
      'Follows one campaign from one status to the next, and its figures while it is sent. Each answer shows it as it is when it is delivered.',
    ),
    args: {
      campaignId: t.arg.id({ required: true, description: 'The campaign, by global id or integer.' }),
      after: t.arg.string({ description: afterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => progress.follow(ctx, args),
    resolve: (event) => event,
  }),
}))
