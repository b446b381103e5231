import type { Campaign } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { progressAfterDescription } from '../events/feed/event.schema.ts'
import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { builder } from '../graphql/schema/builder.ts'
import { requiredId } from '../graphql/schema/descriptions.ts'
import { readableWith } from '../graphql/schema/scopes.ts'
import { cursorOf, type StampedEvent } from '../kernel/feed.ts'
import { MessageEvent } from '../mail/events.schema.ts'
import { CampaignError, CampaignStatus, CampaignType } from './definition/campaign.schema.ts'
import * as campaignList from './definition/campaign-list.ts'
import * as progressFeed from './sending/progress-feed.ts'

eventObject('CampaignEvent', 'The status of a campaign changed.', (t) => ({
  ...resourceFields(t, 'campaign', CampaignType),
  errorCode: t.field({
    type: CampaignError,
    nullable: true,
    description: 'The reason why the campaign stopped. Null if it did not stop.',
    resolve: ({ data }) => ('errorCode' in data ? (data.errorCode as NonNullable<Campaign['errorCode']>) : null),
  }),
}))

eventObject('CampaignChangeEvent', 'A campaign was created, updated or deleted.', (t) =>
  resourceFields(t, 'campaign', CampaignType),
)

builder.objectField(MessageEvent, 'campaign', (t) =>
  t.node(({ data }) => data.campaignId, {
    type: CampaignType,
    description: 'The campaign that sent the message. Null if a sequence sent it, or if the campaign was deleted.',
  }),
)

/** The current campaign of an event. The loader reads it once for all fields. */
const campaignOf = ({ data }: StampedEvent, ctx: Ctx) =>
  ctx.load(campaignList.byId, (data as { campaignId: number }).campaignId)

const CampaignProgress = builder.objectRef<StampedEvent>('CampaignProgress').implement({
  description: 'Status and counts of a campaign at one moment.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Position of the log at this element.',
      resolve: ({ position }) => cursorOf(position),
    }),
    occurredAt: t.exposeTime('createdAt', { description: 'Time of the change.' }),
    campaign: t.field({
      type: CampaignType,
      nullable: true,
      description: 'The current state of the campaign. Null if it was deleted.',
      resolve: (event, _args, ctx) => campaignOf(event, ctx),
    }),
    status: t.field({
      type: CampaignStatus,
      nullable: true,
      description: 'Current status. Null if the campaign was deleted.',
      resolve: async (event, _args, ctx) => (await campaignOf(event, ctx))?.status ?? null,
    }),
    errorCode: t.field({
      type: CampaignError,
      nullable: true,
      description: 'The reason why the campaign stopped. Null if it did not stop.',
      resolve: async (event, _args, ctx) => (await campaignOf(event, ctx))?.errorCode ?? null,
    }),
    recipientsCount: t.int({
      nullable: true,
      description: 'Number of recipients. 0 before the campaign is sent.',
      resolve: async (event, _args, ctx) => (await campaignOf(event, ctx))?.recipientsCount ?? null,
    }),
    sentTo: t.int({
      nullable: true,
      description: 'Number of recipients for which the mail server accepted the message.',
      resolve: async (event, _args, ctx) => (await campaignOf(event, ctx))?.sentTo ?? null,
    }),
  }),
})

readableWith('CampaignProgress', 'campaigns:read')

builder.subscriptionFields((t) => ({
  campaignProgress: t.field({
    type: CampaignProgress,
    description:
      'Streams the status of one campaign, and its counts while it is being sent. Each element shows the campaign at the time of its delivery. The first one is delivered at once, further ones after changes, at most every 0.5 seconds. The stream completes when the campaign is SENT, in ERROR or deleted.',
    args: {
      campaignId: t.arg.id(requiredId('the campaign to follow')),
      after: t.arg.string({ description: progressAfterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => progressFeed.follow(ctx, args),
    resolve: (event) => event,
  }),
}))
