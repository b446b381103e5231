import { type Ctx, many } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Maximum number of links of a campaign or a stage in a result. */
export const maxLinks = 100

/** Clicks on a link in the messages of a campaign or a stage. The URL is as written, with merge fields. */
export interface LinkStats {
  readonly url: string
  readonly clicks: number
  readonly uniqueClicks: number
}

/** Loads the most clicked links of campaigns, by campaign. Clicks of bots do not count. */
export const linksOfCampaign = many<number, LinkStats>(async (ctx, campaignIds) => {
  const rows = await mostClicked<number>(ctx, sql`r.campaign_id`, sql`r.campaign_id = ANY(${campaignIds}::int[])`)
  return Map.groupBy(rows, (row) => row.parent)
})

/** Loads links by sequence and stage, because messages are indexed by both. */
const linksOfKey = many<string, LinkStats>(async (ctx, keys) => {
  const ids = keys.map((key) => key.split(' '))
  const [sequenceIds, stageIds] = [ids.map(([sequence]) => Number(sequence)), ids.map(([, stage]) => Number(stage))]
  const rows = await mostClicked<string>(
    ctx,
    sql`(r.sequence_id || ' ' || r.stage_id)`,
    sql`(r.sequence_id, r.stage_id) IN (SELECT * FROM unnest(${sequenceIds}::int[], ${stageIds}::int[]))`,
  )
  return Map.groupBy(rows, (row) => row.parent)
})

/** Returns the most clicked links of a stage. Clicks of bots do not count. */
export async function linksOfStage(ctx: Ctx, stage: { id: number; sequenceId: number }): Promise<LinkStats[]> {
  return ctx.load(linksOfKey, `${stage.sequenceId} ${stage.id}`)
}

/** Reads the links of the messages that match, with the most clicks first. Messages that were not sent do not count. */
async function mostClicked<Parent>(ctx: Ctx, parent: Sql, condition: Sql): Promise<(LinkStats & { parent: Parent })[]> {
  return ctx.sql<LinkStats & { parent: Parent }>`
    SELECT parent, url, clicks, "uniqueClicks" FROM (
      SELECT ${parent} AS parent, k.url, sum(k.times)::int AS clicks, count(DISTINCT k.recipient_id)::int AS "uniqueClicks",
        row_number() OVER (PARTITION BY ${parent} ORDER BY sum(k.times) DESC, k.url) AS rank
      FROM mail_recipient r JOIN mail_click k ON k.account_id = r.account_id AND k.recipient_id = r.id AND NOT k.is_bot
      WHERE r.account_id = ${ctx.sql.account} AND ${condition} AND r.sent_at IS NOT NULL AND r.clicked_at IS NOT NULL
      GROUP BY 1, k.url
    ) link WHERE rank <= ${maxLinks}::int ORDER BY parent, rank`
}
