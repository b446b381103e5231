import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { newList, pagesOf } from '../db/list.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { globalId } from '../kernel/ids.ts'
import type { PeriodArgs } from '../kernel/period.ts'

const campaignTable = table('Campaign', 'k')
export type Campaign = RowOf<typeof campaignTable>

/** Filters a list of campaigns. A campaign must match all given conditions. */
export interface CampaignFilter extends PeriodArgs {
  status?: Campaign['status'] | null | undefined
  search?: string | null | undefined
}

/** All campaigns of an account. */
export const campaigns = newList(campaignTable, {
  name: 'campaigns',
  orders: { CREATED_AT: 'createdAt', NAME: 'name' },
  where: conditions,
})

/** Lists the account's campaigns, by default the newest first. Throws INVALID_PERIOD. */
export const list = pagesOf(campaigns)

/**
 * Loads campaigns by id; locks a campaign until the transaction ends, so that its status changes one at a time; creates
 * NOT_FOUND.
 */
export const { byId, lock, notFound } = campaignTable

/**
 * Finds the campaigns that can still be sent and whose audiences use a segment: the names of the first five, and the number of
 * all. A campaign that is being sent has its recipients already.
 */
export async function findWithSegment(
  ctx: Ctx,
  segmentId: number,
): Promise<{ names: readonly string[]; total: number }> {
  const ids = JSON.stringify({ integer: segmentId, text: String(segmentId), global: globalId('Segment', segmentId) })
  const rows = await ctx.sql<{ name: string; total: number }>`
    SELECT k.name, count(*) OVER ()::int AS total ${campaignTable.from(ctx)}
      AND (k.status IN ('DRAFT', 'SCHEDULED') OR k.status = 'ERROR' AND k.error_code <> 'CANCELLED' AND k.sent_to = 0)
      AND (jsonb_path_exists(k.filters, '$.filter.**.segments.*[*] ? (@ == $text || @ == $global)', ${ids}::jsonb)
        OR jsonb_path_exists(k.filters, '$.includeSegmentIds[*] ? (@ == $integer)', ${ids}::jsonb)
        OR jsonb_path_exists(k.filters, '$.excludeSegmentIds[*] ? (@ == $integer)', ${ids}::jsonb))
    ORDER BY k.id LIMIT 5`
  return { names: rows.map(({ name }) => name), total: rows[0]?.total ?? 0 }
}

async function conditions(filter: CampaignFilter, ctx: Ctx): Promise<Sql[]> {
  const { from, until } = await spanFor(ctx, filter, 'filter.range')
  const all: (Sql | undefined)[] = [
    from && sql`k.created_at >= ${from}::timestamptz`,
    until && sql`k.created_at < ${until}::timestamptz`,
    filter.status == null ? undefined : sql`k.status = ${filter.status}::campaign_status`,
    filter.search ? sql`lower(k.name) LIKE lower(${containing(filter.search)})` : undefined,
  ]
  return all.filter((condition) => condition !== undefined)
}
