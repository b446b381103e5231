import type { Campaign } from '../../prisma/generated/client/client.ts'
import { spanFor } from '../account/index.ts'
import { type Ctx, one } from '../db/context.ts'
import { type List, type ListArgs, type Page, pageOf } from '../db/list.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { DateRange, Period } from '../kernel/period.ts'

/** Filters a list of campaigns. A campaign must match all given conditions. */
export interface CampaignFilter {
  status?: Campaign['status'] | null | undefined
  period?: Period | null | undefined
  range?: DateRange | null | undefined
  search?: string | null | undefined
}
type CampaignOrderField = 'CREATED_AT' | 'NAME'
type CampaignListArgs = ListArgs<CampaignFilter, CampaignOrderField>

const columns = sql`k.account_id AS "accountId", k.id, k.name, k.email_id AS "emailId", k.status::text AS status,
  k.error_code::text AS "errorCode", k.send_to_all AS "sendToAll", k.filters, k.recipients_count AS "recipientsCount",
  k.sent_to AS "sentTo", k.scheduled_for AS "scheduledFor", k.paused_at AS "pausedAt", k.sent_at AS "sentAt",
  k.created_at AS "createdAt"`

/** All campaigns of an account. */
export const campaigns: List<Campaign, CampaignFilter, CampaignOrderField> = {
  name: 'campaigns',
  columns,
  from: (ctx) => sql`FROM campaign k WHERE k.account_id = ${ctx.sql.account}`,
  id: sql`k.id`,
  orders: { CREATED_AT: { by: sql`k.created_at`, kind: 'time' }, NAME: { by: sql`k.name`, kind: 'text' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: conditions,
}

/** Lists the account's campaigns, by default the newest first. Throws INVALID_PERIOD. */
export async function list(ctx: Ctx, args: CampaignListArgs): Promise<Page<Campaign>> {
  return pageOf(ctx, campaigns, args)
}

/** Loads campaigns by id. */
export const byId = one<number, Campaign>(async (ctx, ids) => {
  const rows = await ctx.sql<Campaign>`
    SELECT ${columns} FROM campaign k WHERE k.account_id = ${ctx.sql.account} AND k.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Locks a campaign until the transaction ends, so that its status changes one at a time. Throws NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number): Promise<Campaign> {
  const [row] = await tx.sql<Campaign>`
    SELECT ${columns} FROM campaign k
    WHERE k.account_id = ${tx.sql.account} AND k.id = ${idOf('Campaign', id)} FOR UPDATE`
  if (!row) throw notFound()
  return row
}

/** A NOT_FOUND error to throw, also if the status of the campaign does not allow the operation. */
export function notFound(hint = 'There is no such campaign.') {
  return refuse('NOT_FOUND', hint)
}

async function conditions(filter: CampaignFilter, ctx: Ctx): Promise<Sql[]> {
  const { from, until } = filter.period ? await spanFor(ctx, filter.period, filter.range) : {}
  const all: (Sql | undefined)[] = [
    from && sql`k.created_at >= ${from}::timestamptz`,
    until && sql`k.created_at < ${until}::timestamptz`,
    filter.status == null ? undefined : sql`k.status = ${filter.status}::campaign_status`,
    filter.search ? sql`lower(k.name) LIKE lower(${containing(filter.search)})` : undefined,
  ]
  return all.filter((condition) => condition !== undefined)
}
