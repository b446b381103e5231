import type { PersonPart, PersonParts } from '../db/persons/person-parts.ts'
import { sql } from '../db/sql.ts'

const needs = 'contacts:read'
const part = (tables: PersonPart['tables'], select: PersonPart['select']): PersonPart => ({ needs, tables, select })

/** What this module holds about a person. */
export const contactParts = {
  contact: part(
    ['contact'],
    (ctx, { contactId }) => sql`
      SELECT c.id AS row_id, c.id, c.email, c.first_name, c.last_name, c.phone, c.company_name, c.city, c.country,
        c.email_marketing, c.gdpr, c.created_at, c.updated_at
      FROM contact c WHERE c.account_id = ${ctx.sql.account} AND c.id = ${contactId}::int`,
  ),
  tags: part(
    ['contact_tag'],
    (ctx, { contactId }) => sql`
      SELECT t.id AS row_id, t.id, t.name, h.created_at AS added_at
      FROM contact_tag h JOIN tag t ON t.account_id = h.account_id AND t.id = h.tag_id
      WHERE h.account_id = ${ctx.sql.account} AND h.contact_id = ${contactId}::int`,
  ),
  custom_fields: part(
    ['contact_field'],
    (ctx, { contactId }) => sql`
      SELECT f.id AS row_id, f.id, f.name, f.type, v.value, v.updated_at
      FROM contact_field v JOIN custom_field f ON f.account_id = v.account_id AND f.id = v.custom_field_id
      WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ${contactId}::int`,
  ),
  consents: part(
    ['contact_consent'],
    (ctx, { contactId }) => sql`
      SELECT n.id AS row_id, n.id, n.kind, n.granted, n.source, n.text, n.ip, n.created_at
      FROM contact_consent n WHERE n.account_id = ${ctx.sql.account} AND n.contact_id = ${contactId}::int`,
  ),
  changes: part(
    ['contact_change'],
    (ctx, { contactId }) => sql`
      SELECT h.id AS row_id, h.id::text, h.kind, coalesce(h.field, t.name, f.name) AS field, h.old_value, h.new_value, h.actor,
        h.created_at
      FROM contact_change h LEFT JOIN tag t ON t.account_id = h.account_id AND t.id = h.tag_id
        LEFT JOIN custom_field f ON f.account_id = h.account_id AND f.id = h.custom_field_id
      WHERE h.account_id = ${ctx.sql.account} AND h.contact_id = ${contactId}::int`,
  ),
  merged_contacts: part(
    ['contact_merge'],
    (ctx, { contactId }) => sql`
      SELECT g.contact_id AS row_id, g.contact_id AS id, g.created_at AS merged_at
      FROM contact_merge g WHERE g.account_id = ${ctx.sql.account} AND g.into_id = ${contactId}::int`,
  ),
} as const satisfies PersonParts
