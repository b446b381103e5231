import { column, exportOf } from '../db/lists/export.ts'
import { sql } from '../db/sql.ts'
import { recipientList } from './recipients/recipients.ts'
import { suppressionList } from './suppressions/suppressions.ts'

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
