import { filterOn } from '../db/filter.ts'
import { identity, number, oneOf, text, time } from '../db/filter-fields.ts'
import { search } from '../db/filter-search.ts'
import { newList, pagesOf } from '../db/list.ts'
import { raw, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'

const campaignTable = table('Campaign', 'k')
export type Campaign = RowOf<typeof campaignTable>

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
