import type { PersonPart, PersonParts } from '../db/persons/person-parts.ts'
import { personTable } from '../db/persons/person-table.ts'
import { sql } from '../db/sql.ts'

const needs = 'funnels:read'
const part = (tables: PersonPart['tables'], select: PersonPart['select']): PersonPart => ({ needs, tables, select })

const omitted = { contactId: 'the person' }
const visit = personTable('Visit', 'v', { omitted })
const visitor = personTable('Visitor', 'b')
const claim = personTable('ContactClaim', 'k', {
  omitted: { ...omitted, visitorId: 'the id of a browser', submissionId: 'a submission of the person' },
})
const confirmation = personTable('Confirmation', 'w', { omitted })

/** What this module holds about a person. */
export const funnelParts = {
  visits: part(
    [visit],
    (ctx, { contactId }) => sql`
      SELECT v.id AS row_id, ${visit.columns}
      FROM visit v WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ${contactId}::int`,
  ),
  browsers: part(
    [visitor, claim],
    (ctx, { contactId }) => sql`
      SELECT row_number() OVER (ORDER BY b.id) AS row_id, ${visitor.columns}
      FROM visitor b WHERE b.account_id = ${ctx.sql.account} AND b.id IN (
        SELECT v.visitor_id FROM visit v WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ${contactId}::int
        UNION SELECT k.visitor_id FROM contact_claim k
          WHERE k.account_id = ${ctx.sql.account} AND k.contact_id = ${contactId}::int)`,
  ),
  confirmations: part(
    [confirmation],
    (ctx, { contactId }) => sql`
      SELECT w.submission_id AS row_id, ${confirmation.columns}
      FROM confirmation w WHERE w.account_id = ${ctx.sql.account} AND w.contact_id = ${contactId}::int`,
  ),
} as const satisfies PersonParts
