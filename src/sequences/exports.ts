import { column, exportOf } from '../db/lists/export.ts'
import { sql } from '../db/sql.ts'
import { sequences } from './definition/sequences.ts'
import { enrolments } from './enrolments/enrolment-list.ts'

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
