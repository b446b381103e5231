import type { PersonPart, PersonParts } from '../db/persons/person-parts.ts'
import { personTable } from '../db/persons/person-table.ts'
import { sql } from '../db/sql.ts'

const needs = 'contacts:read'
const part = (tables: PersonPart['tables'], select: PersonPart['select']): PersonPart => ({ needs, tables, select })

const contactId = 'the person'
const contact = personTable('Contact', 'c')
const tag = personTable('ContactTag', 'h', {
  omitted: { contactId, contactCreatedAt: 'a copy of the time in the contact' },
  renamed: { tagId: 'id', createdAt: 'added_at' },
})
const field = personTable('ContactField', 'v', {
  omitted: { contactId, day: 'a copy of the value' },
  renamed: { customFieldId: 'id' },
})
const consent = personTable('ContactConsent', 'n', { omitted: { contactId } })
const membership = personTable('TopicMembership', 'm', { omitted: { contactId }, renamed: { topicId: 'id' } })
const preference = personTable('ContactPreference', 'q', { omitted: { contactId } })
const change = personTable('ContactChange', 'h', {
  omitted: {
    contactId,
    actorId: 'identifies a key or a user of the account',
    bulkJobId: 'the work of a user of the account',
    tagId: 'named by `field`',
    customFieldId: 'named by `field`',
  },
  read: { id: sql`h.id::text`, field: sql`coalesce(h.field, t.name, f.name)` },
})
const merge = personTable('ContactMerge', 'g', {
  omitted: { intoId: contactId },
  renamed: { contactId: 'id', createdAt: 'merged_at' },
})

/** What this module holds about a person. */
export const contactParts = {
  contact: part(
    [contact],
    (ctx, person) => sql`
      SELECT c.id AS row_id, ${contact.columns}
      FROM contact c WHERE c.account_id = ${ctx.sql.account} AND c.id = ${person.contactId}::int`,
  ),
  tags: part(
    [tag],
    (ctx, person) => sql`
      SELECT t.id AS row_id, ${tag.columns}, t.name
      FROM contact_tag h JOIN tag t ON t.account_id = h.account_id AND t.id = h.tag_id
      WHERE h.account_id = ${ctx.sql.account} AND h.contact_id = ${person.contactId}::int`,
  ),
  custom_fields: part(
    [field],
    (ctx, person) => sql`
      SELECT f.id AS row_id, f.name, f.type, ${field.columns}
      FROM contact_field v JOIN custom_field f ON f.account_id = v.account_id AND f.id = v.custom_field_id
      WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = ${person.contactId}::int`,
  ),
  consents: part(
    [consent],
    (ctx, person) => sql`
      SELECT n.id AS row_id, ${consent.columns}
      FROM contact_consent n WHERE n.account_id = ${ctx.sql.account} AND n.contact_id = ${person.contactId}::int`,
  ),
  topics: part(
    [membership],
    (ctx, person) => sql`
      SELECT m.topic_id AS row_id, ${membership.columns}, t.name
      FROM topic_membership m JOIN topic t ON t.account_id = m.account_id AND t.id = m.topic_id
      WHERE m.account_id = ${ctx.sql.account} AND m.contact_id = ${person.contactId}::int`,
  ),
  preferences: part(
    [preference],
    (ctx, person) => sql`
      SELECT q.contact_id AS row_id, ${preference.columns}
      FROM contact_preference q WHERE q.account_id = ${ctx.sql.account} AND q.contact_id = ${person.contactId}::int`,
  ),
  changes: part(
    [change],
    (ctx, person) => sql`
      SELECT h.id AS row_id, ${change.columns}
      FROM contact_change h LEFT JOIN tag t ON t.account_id = h.account_id AND t.id = h.tag_id
        LEFT JOIN custom_field f ON f.account_id = h.account_id AND f.id = h.custom_field_id
      WHERE h.account_id = ${ctx.sql.account} AND h.contact_id = ${person.contactId}::int`,
  ),
  merged_contacts: part(
    [merge],
    (ctx, person) => sql`
      SELECT g.contact_id AS row_id, ${merge.columns}
      FROM contact_merge g WHERE g.account_id = ${ctx.sql.account} AND g.into_id = ${person.contactId}::int`,
  ),
} as const satisfies PersonParts
