import { column, exportOf } from '../db/lists/export.ts'
import { sql } from '../db/sql.ts'
import { campaigns } from './definition/campaign-list.ts'

const { text } = column

/** The exports of this module. */
export const campaignExports = {
  CAMPAIGNS: exportOf(
    campaigns,
    [
      'id',
      'name',
      text('subject', sql`m.subject`),
      text('from_name', sql`m.from_name`),
      text('from_email', sql`m.from_email`),
      'status',
      text('error_code', sql`p.error_code::text`),
      'recipientsCount',
      'sentTo',
      'scheduledFor',
      'sentAt',
      'createdAt',
      'archivedAt',
    ],
    {
      needs: ['campaigns:read'],
      reads: ['emailId', 'errorCode'],
      joins: ({ sql: { account } }) => sql`LEFT JOIN email m ON m.account_id = ${account} AND m.id = p.email_id`,
    },
  ),
} as const
