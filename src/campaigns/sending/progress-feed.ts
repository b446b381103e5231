import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { followProgress } from '../../events/index.ts'
import type { Source } from '../../kernel/feed.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { campaignTable, notFound } from '../definition/campaign-list.ts'

/** The events after which the sending of a campaign can be over. */
const ends = ['campaign.sent', 'campaign.error', 'campaign.deleted'] as const

/** The events after which the status or the counts of a campaign have changed. */
const changes = [
  ...ends,
  'campaign.updated',
  'campaign.scheduled',
  'campaign.unscheduled',
  'campaign.sending',
  'email.sent',
  'email.bounced',
] as const

/**
 * Follows the status and the counts of a campaign until it is SENT or in ERROR, or deleted. **Throws** FORBIDDEN, NOT_FOUND, and
 * what `followProgress` throws.
 */
export async function follow(
  ctx: Ctx,
  { campaignId, ...from }: { campaignId: string | number; after?: string | null | undefined },
): Promise<Source> {
  mustBeAllowed(ctx, 'campaigns:read')
  const id = idOf('Campaign', campaignId, 'campaignId')
  if (!(await statusOf(ctx, id))) throw notFound()
  const isOver = async () => ['SENT', 'ERROR', undefined].includes(await statusOf(ctx, id))
  return followProgress(ctx, from, { changes, ends, subjects: { campaignId: [id] }, isOver })
}

/** Reads the current status of a campaign. Undefined if it was deleted. */
async function statusOf(ctx: Ctx, id: number): Promise<string | undefined> {
  const [found] = await campaignTable.select(ctx, sql`AND k.id = ${id}`)
  return found?.status
}
