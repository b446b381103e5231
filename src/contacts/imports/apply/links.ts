import type { Ctx } from '../../../db/context.ts'
import { emitAll } from '../../../events/index.ts'
import { writeValues } from '../../custom-fields/custom-field-values.ts'
import { announceTagsAdded } from '../../record/change-log.ts'
import { maxTagsPerContact } from '../../tags/contact-tags.ts'
import { contactIdOf, type RowGroup } from './row-groups.ts'

/** Returns the groups whose contact would exceed the maximum number of tags. */
export async function findAboveTagLimit(
  tx: Ctx,
  groups: readonly RowGroup[],
  tagIds: readonly number[],
): Promise<Set<RowGroup>> {
  const tagged = groups.filter(({ tags }) => tags.length + tagIds.length > 0)
  const contactIds = tagged.flatMap(({ before }) => before?.id ?? [])
  const names = [...new Set(tagged.flatMap(({ tags }) => tags))]
  const current =
    contactIds.length === 0
      ? []
      : await tx.sql<{ contactId: number; tags: number; named: string[] | null; shared: number }>`
          SELECT h.contact_id AS "contactId", count(*)::int AS tags, count(*) FILTER (WHERE t.id = ANY(${tagIds}::int[]))::int AS shared,
            array_agg(t.name) FILTER (WHERE t.name = ANY(${names}::text[])) AS named
          FROM contact_tag h JOIN tag t ON t.account_id = h.account_id AND t.id = h.tag_id
          WHERE h.account_id = ${tx.sql.account} AND h.contact_id = ANY(${contactIds}::int[]) GROUP BY h.contact_id`
  const byContact = new Map(current.map((row) => [row.contactId, row]))
  return new Set(
    tagged.filter(({ before, tags }) => {
      const existing = before && byContact.get(before.id)
      const named = new Set(existing?.named)
      const added = tags.filter((name) => !named.has(name)).length + tagIds.length - (existing?.shared ?? 0)
      return (existing?.tags ?? 0) + added > maxTagsPerContact
    }),
  )
}

/**
 * Adds the tags of the rows and the tags `tagIds` to contacts. Creates tags by name if they do not exist, and skips unknown
 * ids. Returns the groups whose contact has a new tag.
 *
 * **Emits** `tag.created` for each created tag, and `contact.tag_added` for each tag that is added to a contact.
 */
export async function addTags(tx: Ctx, groups: readonly RowGroup[], tagIds: readonly number[]): Promise<Set<RowGroup>> {
  const names = [...new Set(groups.flatMap(({ tags }) => tags))]
  if (names.length + tagIds.length === 0 || groups.length === 0) return new Set()
  // Sorted by name, so that concurrent imports of the same tags do not deadlock.
  if (names.length > 0) {
    const now = tx.clock.now()
    const created = await tx.sql<{ tagId: number }>`
      INSERT INTO tag (account_id, name, created_at, updated_at)
      SELECT ${tx.sql.account}::int, g.name, ${now}::timestamptz, ${now}::timestamptz FROM unnest(${names.toSorted()}::text[]) AS g(name)
      WHERE NOT EXISTS (SELECT FROM tag t WHERE t.account_id = ${tx.sql.account} AND t.name = g.name)
      ON CONFLICT DO NOTHING RETURNING id AS "tagId"`
    await emitAll(tx, 'tag.created', created)
  }
  const tags = await tx.sql<{ id: number; name: string }>`
    SELECT t.id, t.name FROM tag t
    WHERE t.account_id = ${tx.sql.account} AND (t.name = ANY(${names}::text[]) OR t.id = ANY(${tagIds}::int[]))
    ORDER BY t.id FOR KEY SHARE`
  const byName = new Map(tags.map(({ id, name }) => [name, id]))
  const sharedIds = tags.filter(({ id }) => tagIds.includes(id)).map(({ id }) => id)
  const links = groups.flatMap((group) => {
    const ids = new Set([...sharedIds, ...group.tags.flatMap((name) => byName.get(name) ?? [])])
    return [...ids].map((tagId) => ({ contactId: contactIdOf(group), tagId }))
  })
  const added = await tx.sql<{ contactId: number; tagId: number }>`
    INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at)
    SELECT ${tx.sql.account}::int, g."contactId", g."tagId", ${tx.clock.now()}::timestamptz
    FROM unnest(${links.map(({ contactId }) => contactId)}::int[], ${links.map(({ tagId }) => tagId)}::int[])
      AS g("contactId", "tagId")
    ON CONFLICT DO NOTHING RETURNING contact_id AS "contactId", tag_id AS "tagId"`
  await announceTagsAdded(tx, added, createdBy(groups))
  return groupsOf(groups, added)
}

/**
 * Sets the custom field values of the rows. Returns the groups with a changed value.
 *
 * **Emits** `contact.field_updated` for each changed value.
 */
export async function setValues(tx: Ctx, groups: readonly RowGroup[]): Promise<Set<RowGroup>> {
  const values = groups.flatMap((group) =>
    [...group.values].map(([customFieldId, value]) => ({ contactId: contactIdOf(group), customFieldId, value })),
  )
  return groupsOf(groups, await writeValues(tx, values, createdBy(groups)))
}

/** Returns the contacts that the import has just created. */
function createdBy(groups: readonly RowGroup[]): ReadonlySet<number> {
  return new Set(groups.filter(({ before }) => !before).map(contactIdOf))
}

function groupsOf(groups: readonly RowGroup[], rows: readonly { contactId: number }[]): Set<RowGroup> {
  const ids = new Set(rows.map(({ contactId }) => contactId))
  return new Set(groups.filter((group) => ids.has(contactIdOf(group))))
}
