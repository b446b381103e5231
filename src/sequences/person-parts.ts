import type { PersonParts } from '../db/persons/person-parts.ts'
import { sql } from '../db/sql.ts'

/** What this module holds about a person. */
export const sequenceParts = {
  enrolments: {
    needs: 'sequences:read',
    tables: ['enrolment'],
    select: (ctx, { contactId }) => sql`
      SELECT e.id AS row_id, e.id, e.sequence_id, s.name AS sequence, e.state, e.anchor_date, e.enrolled_at, e.last_stage_id,
        e.last_done_at, e.next_stage_id, e.due_at, e.ended_at, e.failure
      FROM enrolment e JOIN sequence s ON s.account_id = e.account_id AND s.id = e.sequence_id
      WHERE e.account_id = ${ctx.sql.account} AND e.contact_id = ${contactId}::int`,
  },
} as const satisfies PersonParts
