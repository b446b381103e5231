import type { Ctx } from '../db/context.ts'
import { emitAll } from '../events/index.ts'
import { write } from './contact-fields.ts'
import { mostTags } from './contact-tags.ts'
import { idOf, type Person } from './import-people.ts'

/** Those who would have more tags than a contact can. */
export async function withTooManyTags(
  tx: Ctx,
  people: readonly Person[],
  tagIds: readonly number[],
): Promise<Set<Person>> {
  const all = people.filter(({ tags }) => tags.length + tagIds.length > 0)
  const known = all.flatMap(({ before }) => before?.id ?? [])
  const names = [...new Set(all.flatMap(({ tags }) => tags))]
  const held =
    known.length === 0
      ? []
      : await tx.sql<{ contactId: number; tags: number; named: string[] | null; given: number }>`
          SELECT h.contact_id AS "contactId", count(*)::int AS tags, count(*) FILTER (WHERE t.id = ANY(${tagIds}::int[]))::int AS given,
            array_agg(t.name) FILTER (WHERE t.name = ANY(${names}::text[])) AS named
          FROM contact_tag h JOIN tag t ON t.account_id = h.account_id AND t.id = h.tag_id
          WHERE h.account_id = ${tx.sql.account} AND h.contact_id = ANY(${known}::int[]) GROUP BY h.contact_id`
  const byContact = new Map(held.map((row) => [row.contactId, row]))
  return new Set(
    all.filter(({ before, tags }) => {
      const has = before && byContact.get(before.id)
      const named = new Set(has?.named)
      const fresh = tags.filter((name) => !named.has(name)).length + tagIds.length - (has?.given ?? 0)
      return (has?.tags ?? 0) + fresh > mostTags
    }),
  )
}

/**
 * Gives people the tags that their rows name, and those of `tagIds` that are the account's; a tag that the account does not
 * have is made. Announces `contact.tag_added` for each link that is new, and answers who has got one.
 */
export async function giveTags(tx: Ctx, people: readonly Person[], tagIds: readonly number[]): Promise<Set<Person>> {
  const names = [...new Set(people.flatMap(({ tags }) => tags))]
  if (names.length + tagIds.length === 0 || people.length === 0) return new Set()
  // In the order of their names, so that two who make the same ones do not wait for each other.
  if (names.length > 0) {
    await tx.sql`
      INSERT INTO tag (account_id, name, created_at)
      SELECT ${tx.sql.account}::int, g.name, ${tx.clock.now()}::timestamptz FROM unnest(${names.toSorted()}::text[]) AS g(name)
      WHERE NOT EXISTS (SELECT FROM tag t WHERE t.account_id = ${tx.sql.account} AND t.name = g.name)
      ON CONFLICT DO NOTHING`
  }
  const tags = await tx.sql<{ id: number; name: string }>`
    SELECT t.id, t.name FROM tag t
    WHERE t.account_id = ${tx.sql.account} AND (t.name = ANY(${names}::text[]) OR t.id = ANY(${tagIds}::int[]))
    ORDER BY t.id FOR KEY SHARE`
  const byName = new Map(tags.map(({ id, name }) => [name, id]))
  const forAll = tags.filter(({ id }) => tagIds.includes(id)).map(({ id }) => id)
  const links = people.flatMap((person) => {
    const own = new Set([...forAll, ...person.tags.flatMap((name) => byName.get(name) ?? [])])
    return [...own].map((tagId) => ({ contactId: idOf(person), tagId }))
  })
  const made = await tx.sql<{ contactId: number; tagId: number }>`
    INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at)
    SELECT ${tx.sql.account}::int, g."contactId", g."tagId", ${tx.clock.now()}::timestamptz
    FROM unnest(${links.map(({ contactId }) => contactId)}::int[], ${links.map(({ tagId }) => tagId)}::int[])
      AS g("contactId", "tagId")
    ON CONFLICT DO NOTHING RETURNING contact_id AS "contactId", tag_id AS "tagId"`
  await emitAll(tx, 'contact.tag_added', made)
  return having(people, made)
}

/** Sets people's values of custom fields. Announces `contact.field_updated` for each that changes, and answers whose did. */
export async function setValues(tx: Ctx, people: readonly Person[]): Promise<Set<Person>> {
  const given = people.flatMap((person) =>
    [...person.values].map(([customFieldId, value]) => ({ contactId: idOf(person), customFieldId, value })),
  )
  return having(people, await write(tx, given))
}

function having(people: readonly Person[], rows: readonly { contactId: number }[]): Set<Person> {
  const ids = new Set(rows.map(({ contactId }) => contactId))
  return new Set(people.filter((person) => ids.has(idOf(person))))
}
