import { column, exportOf } from '../db/export.ts'
import { sql } from '../db/sql.ts'
import { enrolments } from './enrolment-list.ts'
import { sequences } from './sequences.ts'

/** The exports of this module. */
export const sequenceExports = {
  SEQUENCES: exportOf(sequences, ['id', 'name', 'type', 'createdAt', 'archivedAt'], { needs: ['sequences:read'] }),
  ENROLMENTS: exportOf(
    enrolments,
    [
      'id',
      'sequenceId',
      'contactId',
      column.text('email', sql`c.email`),
      'state',
      'anchorDate',
      'enrolledAt',
      'lastStageId',
      'lastDoneAt',
      'nextStageId',
      'dueAt',
      'endedAt',
    ],
    {
      needs: ['sequences:read', 'contacts:read'],
      joins: ({ sql: { account } }) => sql`LEFT JOIN contact c ON c.account_id = ${account} AND c.id = p.contact_id`,
    },
  ),
} as const
