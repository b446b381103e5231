import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { newList, pagesOf } from '../db/list.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
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
