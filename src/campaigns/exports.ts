import { column, type Export, word } from '../db/export.ts'
import { sql } from '../db/sql.ts'
import { type CampaignFilter, campaigns } from './campaign-list.ts'

const { number, text, time } = column

const allCampaigns: Export<CampaignFilter> = {
  needs: ['campaigns:read'],
  list: campaigns,
  shape: () => ({
    row: sql`k.name, k.email_id, k.status, k.error_code, k.recipients_count, k.sent_to, k.scheduled_for, k.sent_at, k.created_at`,
    joins: ({ sql: { account } }) => sql`LEFT JOIN email m ON m.account_id = ${account} AND m.id = p.email_id`,
    columns: [
      number('id'),
      text('name'),
      text('subject', sql`m.subject`),
      text('from_name', sql`m.from_name`),
      text('from_email', sql`m.from_email`),
      text('status', word(sql`p.status`)),
      text('error_code', sql`p.error_code::text`),
      number('recipients_count'),
      number('sent_to'),
      time('scheduled_for'),
      time('sent_at'),
      time('created_at'),
    ],
  }),
}

/** The exports of this module. */
export const campaignExports = { CAMPAIGNS: allCampaigns } as const
