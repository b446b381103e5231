import type { PersonParts } from '../db/persons/person-parts.ts'
import { personTable } from '../db/persons/person-table.ts'
import { sql } from '../db/sql.ts'

const work = 'how the sequence continues, which the stages and times show'
const enrolment = personTable('Enrolment', 'e', {
  omitted: {
    contactId: 'the person',
    position: work,
    attempts: work,
    actions: work,
    actionsSince: work,
    revision: work,
  },
})

/** What this module holds about a person. */
export const sequenceParts = {
  enrolments: {
    needs: 'sequences:read',
    tables: [enrolment],
    select: (ctx, { contactId }) => sql`
      SELECT e.id AS row_id, s.name AS sequence, ${enrolment.columns}
      FROM enrolment e JOIN sequence s ON s.account_id = e.account_id AND s.id = e.sequence_id
      WHERE e.account_id = ${ctx.sql.account} AND e.contact_id = ${contactId}::int`,
  },
} as const satisfies PersonParts
