import { column, exportOf } from '../db/export.ts'
import { sql } from '../db/sql.ts'
import { suppressionList } from './bounces/suppression.ts'
import { recipientList } from './delivery/recipients.ts'

/** The lists of this module that can be exported. */
export const mailExports = {
  RECIPIENTS: exportOf(
    recipientList,
    [
      'id',
      'campaignId',
      'sequenceId',
      'stageId',
      'contactId',
      column.text('email', sql`c.email`),
      'state',
      'attempts',
      'answer',
      'sentAt',
      'openedAt',
      'clickedAt',
      'unsubscribedAt',
      'createdAt',
    ],
    {
      needs: ['mail:read', 'contacts:read'],
      joins: ({ sql: { account } }) => sql`LEFT JOIN contact c ON c.account_id = ${account} AND c.id = p.contact_id`,
    },
  ),
  SUPPRESSIONS: exportOf(suppressionList, ['id', 'email', 'reason', 'detail', 'createdAt'], { needs: ['mail:read'] }),
} as const
