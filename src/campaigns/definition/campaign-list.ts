import type { Ctx } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { identity, number, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { search } from '../../db/lists/search.ts'
import { raw, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { globalId } from '../../kernel/values/ids.ts'

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
  search: search(sql`lower(' ' || k.name || ' ' || ${emailField('subject')})`),
})

/** All campaigns of an account. */
export const campaigns = newList(campaignTable, {
  name: 'campaigns',
  orders: {
    CREATED_AT: 'createdAt',
    NAME: { by: sql`lower(k.name)`, kind: 'text' },
    STATUS: { by: sql`k.status::text`, kind: 'text' },
    SCHEDULED_FOR: { by: sql`coalesce(k.scheduled_for, timestamptz 'epoch')`, kind: 'time' },
    SENT_AT: { by: sql`coalesce(k.sent_at, timestamptz 'epoch')`, kind: 'time' },
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
