import type { PersonPart, PersonParts } from '../db/persons/person-parts.ts'
import { sql } from '../db/sql.ts'

const needs = 'funnels:read'
const part = (tables: PersonPart['tables'], select: PersonPart['select']): PersonPart => ({ needs, tables, select })

/** What this module holds about a person. */
export const funnelParts = {
  visits: part(
    ['visit'],
    (ctx, { contactId }) => sql`
      SELECT v.id AS row_id, v.id, v.funnel_id, v.step_id, v.visitor_id, v.is_bot, v.attribution, v.created_at
      FROM visit v WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ${contactId}::int`,
  ),
  browsers: part(
    ['visitor', 'contact_claim'],
    (ctx, { contactId }) => sql`
      SELECT row_number() OVER (ORDER BY b.id) AS row_id, b.id, b.first_touch, b.first_at, b.last_touch, b.last_at
      FROM visitor b WHERE b.account_id = ${ctx.sql.account} AND b.id IN (
        SELECT v.visitor_id FROM visit v WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ${contactId}::int
        UNION SELECT k.visitor_id FROM contact_claim k
          WHERE k.account_id = ${ctx.sql.account} AND k.contact_id = ${contactId}::int)`,
  ),
  confirmations: part(
    ['confirmation'],
    (ctx, { contactId }) => sql`
      SELECT w.submission_id AS row_id, w.submission_id, w.source, w.text, w.asked_at, w.sent_at, w.confirmed_at
      FROM confirmation w WHERE w.account_id = ${ctx.sql.account} AND w.contact_id = ${contactId}::int`,
  ),
} as const satisfies PersonParts
