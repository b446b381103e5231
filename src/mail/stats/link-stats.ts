import { type Ctx, many } from '../../db/context.ts'
import { partsIn } from '../../db/figures/figure-parts.ts'
import { figureObject } from '../../db/figures/figures.ts'

/** Maximum number of links of a campaign or a stage in a result. */
export const maxLinks = 100

/** Clicks on a link in the messages of a campaign or a stage. The URL is as written, with merge fields. */
export interface LinkStats {
  readonly url: string
  readonly clicks: number
  readonly uniqueClicks: number
}

/** Loads the most clicked links of campaigns, by campaign. Clicks of bots do not count. */
export const linksOfCampaign = many<number, LinkStats>((ctx, campaignIds) => mostClicked(ctx, 'Campaign', campaignIds))

/** Loads the most clicked links of stages, by stage. Clicks of bots do not count. */
const linksOfStageId = many<number, LinkStats>((ctx, stageIds) => mostClicked(ctx, 'SequenceStage', stageIds))

/** Returns the most clicked links of a stage. Clicks of bots do not count. */
export async function linksOfStage(ctx: Ctx, stage: { id: number }): Promise<LinkStats[]> {
  return ctx.load(linksOfStageId, stage.id)
}

/** Reads the links of objects, with the most clicks first. */
async function mostClicked(
  ctx: Ctx,
  type: 'Campaign' | 'SequenceStage',
  ids: readonly number[],
): Promise<Map<number, LinkStats[]>> {
  const idOf = new Map(ids.map((id) => [figureObject(type, id), id]))
  const parts = partsIn(ctx, ['LINK_CLICKS', 'LINK_UNIQUE_CLICKS'], [...idOf.keys()], {})
  const rows = await ctx.sql<LinkStats & { object: string }>`
    SELECT object, part AS url, clicks::int, "uniqueClicks"::int FROM (
      SELECT object, part, coalesce(sum(value) FILTER (WHERE figure = 'LINK_CLICKS'), 0) AS clicks,
        coalesce(sum(value) FILTER (WHERE figure = 'LINK_UNIQUE_CLICKS'), 0) AS "uniqueClicks",
        row_number() OVER (PARTITION BY object ORDER BY coalesce(sum(value) FILTER (WHERE figure = 'LINK_CLICKS'), 0) DESC, part) AS rank
      FROM (${parts}) each GROUP BY object, part
    ) link WHERE rank <= ${maxLinks}::int AND clicks > 0 ORDER BY object, rank`
  return Map.groupBy(rows, ({ object }) => idOf.get(object) as number)
}
