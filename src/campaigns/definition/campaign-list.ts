import { firstPlaces, type UsedBlock } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { identity, number, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, search } from '../../db/lists/search.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { emitAll } from '../../events/index.ts'
import { globalId } from '../../kernel/values/ids.ts'
import { stats } from '../../mail/index.ts'

export const campaignTable = table('Campaign', 'k')
export type Campaign = RowOf<typeof campaignTable>

/** The error in which a campaign stops. */
export type StopCode = NonNullable<Campaign['errorCode']>

const emailField = (name: 'subject' | 'from_name' | 'from_email') =>
  sql`(SELECT m.${raw(name)} FROM email m WHERE m.account_id = k.account_id AND m.id = k.email_id)`

/** The filter of campaigns. */
export const campaignFilter = filterOn(campaignTable, {
  id: identity('Campaign'),
  name: text(sql`k.name`),
  subject: text(emailField('subject')),
  fromName: text(emailField('from_name')),
  fromEmail: text(emailField('from_email')),
  status: oneOf<Campaign['status']>('CampaignStatus', sql`k.status`, 'campaign_status'),
  errorCode: oneOf<NonNullable<Campaign['errorCode']>>('CampaignErrorCode', sql`k.error_code`, 'campaign_error'),
  recipientsCount: number(sql`k.recipients_count`),
  sentTo: number(sql`k.sent_to`),
  scheduledFor: time(sql`k.scheduled_for`),
  pausedAt: time(sql`k.paused_at`),
  sentAt: time(sql`k.sent_at`),
  createdAt: time(sql`k.created_at`),
  archivedAt: time(sql`k.archived_at`),
  search: search(documentOf(sql`k.name`, emailField('subject'))),
})

/** All campaigns of an account. */
export const campaigns = newList(campaignTable, {
  name: 'campaigns',
  orders: {
    CREATED_AT: 'createdAt',
    NAME: 'name',
    STATUS: 'status',
    SCHEDULED_FOR: { by: sql`coalesce(k.scheduled_for, timestamptz 'epoch')`, kind: 'time' },
    SENT_AT: { by: sql`coalesce(k.sent_at, timestamptz 'epoch')`, kind: 'time' },
    ...stats.rateOrders({ accountId: sql`k.account_id`, object: sql`'Campaign:' || k.id` }),
  },
  filter: campaignFilter,
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
 * all. A campaign that is being sent has its recipients already, unless its snapshot is being made.
 */
export async function findWithSegment(
  ctx: Ctx,
  segmentId: number,
): Promise<{ names: readonly string[]; total: number }> {
  const ids = JSON.stringify({ integer: segmentId, text: String(segmentId), global: globalId('Segment', segmentId) })
  const rows = await ctx.sql<{ name: string; total: number }>`
    SELECT k.name, count(*) OVER ()::int AS total ${campaignTable.from(ctx)}
      AND (k.status IN ('DRAFT', 'SCHEDULED') OR k.snapshot_end IS NOT NULL OR k.status = 'ERROR' AND k.error_code <> 'CANCELLED' AND k.sent_to = 0)
      AND (jsonb_path_exists(k.filters, '$.filter.**.segments.*[*] ? (@ == $text || @ == $global)', ${ids}::jsonb)
        OR jsonb_path_exists(k.filters, '$.includeSegmentIds[*] ? (@ == $integer)', ${ids}::jsonb)
        OR jsonb_path_exists(k.filters, '$.excludeSegmentIds[*] ? (@ == $integer)', ${ids}::jsonb))
    ORDER BY k.id LIMIT 5`
  return { names: rows.map(({ name }) => name), total: rows[0]?.total ?? 0 }
}

/** A campaign that has no recipients yet: what it sends is fixed when it gets some. */
const isUnfixed = sql`(k.status IN ('DRAFT', 'SCHEDULED') OR k.status = 'ERROR' AND k.recipients_count = 0)`

/** Selects what the campaign of a message `r` says about the rules of the account, and its window. */
export const holdActions: Sql = sql`SELECT k.frequency_cap_action, k.quiet_hours_action, k.window_from, k.window_until
  FROM campaign k WHERE k.account_id = r.account_id AND k.id = r.campaign_id`

/** Selects the `email_id` of the campaigns whose sending has not begun. */
export function unfixedEmails(ctx: Ctx): Sql {
  return sql`SELECT k.email_id ${campaignTable.from(ctx)} AND ${isUnfixed}`
}

/** Returns those of the e-mails whose campaign has not begun to send, and does not begin until the transaction ends. */
export async function keepUnfixed(tx: Ctx, emailIds: readonly number[]): Promise<number[]> {
  const campaignsOf = await campaignTable.select(
    tx,
    sql`AND k.email_id = ANY(${emailIds}::int[]) ORDER BY k.id FOR SHARE`,
  )
  const rows = await tx.sql<{ emailId: number }>`
    SELECT k.email_id AS "emailId" ${campaignTable.from(tx)} AND k.id = ANY(${campaignsOf.map(({ id }) => id)}::int[]) AND ${isUnfixed}`
  return rows.map(({ emailId }) => emailId)
}

/** Emits `campaign.updated` for the campaigns whose e-mail was made again. */
export async function announceContent(tx: Ctx, emailIds: readonly number[]): Promise<void> {
  const rows = await tx.sql<{ campaignId: number }>`
    SELECT k.id AS "campaignId" ${campaignTable.from(tx)} AND k.email_id = ANY(${emailIds}::int[]) ORDER BY k.id`
  await emitAll(tx, 'campaign.updated', rows)
}

/** Returns the campaigns whose sending has not begun and whose message contains reusable blocks, by id of the block. */
export function placesOfBlocks(ctx: Ctx, blockIds: readonly number[]): Promise<UsedBlock[]> {
  const uses = sql`
    SELECT u.reusable_block_id AS "blockId", k.id, k.name
    FROM campaign k JOIN reusable_block_use u ON u.account_id = k.account_id AND u.email_id = k.email_id
    WHERE k.account_id = ${ctx.sql.account} AND u.reusable_block_id = ANY(${blockIds}::int[]) AND ${isUnfixed}`
  return firstPlaces(ctx, 'Campaign', uses)
}
