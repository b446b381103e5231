import type { Ctx } from '../db/context.ts'
import { type Announced, following } from '../events/index.ts'
import type { Source } from '../kernel/feed.ts'
import { idOf } from '../kernel/ids.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'
import { byId, notFound } from './campaign-list.ts'

/** The events that change what `campaignProgress` shows. */
const progressEvents: readonly (keyof Announced)[] = [
  'campaign.scheduled',
  'campaign.unscheduled',
  'campaign.sending',
  'campaign.sent',
  'campaign.error',
  'campaign.progress',
]

/** Follows the status and the counts of a campaign. Throws FORBIDDEN, NOT_FOUND, and what `following.follow` throws. */
export async function follow(
  ctx: Ctx,
  { campaignId, ...from }: { campaignId: string | number; after?: string | null | undefined },
): Promise<Source> {
  mustBeAllowed(ctx, 'campaigns:read')
  const id = idOf('Campaign', campaignId, 'campaignId')
  if (!(await ctx.load(byId, id))) throw notFound()
  return following.follow(ctx, from, progressEvents, ({ data }) => (data as { campaignId: number }).campaignId === id)
}
