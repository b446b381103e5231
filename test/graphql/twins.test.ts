import { describe, expect, it } from 'vitest'
import { announcements, type Ids, mutationOf } from '../events/mutations.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { everything } from './everything.ts'
import { documentOf, itemsOf, waysTo } from './lists.ts'

/** Two contacts, two tags, two fields; which contact has which tag is for the caller to say. */
async function inhabited(world: World, name: string, links: readonly [number, number][]) {
  const tags = [await world.tag(`${name} tag 1`), await world.tag(`${name} tag 2`)]
  const fields = [
    await world.customField({ name: `${name} field 1` }),
    await world.customField({ name: `${name} field 2` }),
  ]
  const contacts: Named[] = []
  for (const index of [0, 1]) {
    contacts.push(
      await world.contact({
        email: `${name}-${index}@example.com`,
        gdpr: true,
        consent: { source: name },
        tagIds: links.filter(([contact]) => contact === index).map(([, tag]) => tags[tag]?.id),
        customFields: [{ customFieldId: fields[index]?.id, value: `${name} value` }],
      }),
    )
  }
  // What `contactUpsert` looks for.
  await world.contact({ email: 'ada@example.com', firstName: name })
  const key = await world.rows<{ id: number }>('SELECT id FROM api_key WHERE account_id = $1', [world.accountId])
  return { contacts, tags, fields, key: key[0]?.id ?? 0 }
}

/** Two accounts whose rows have the same ids: where a statement forgets the account, one sees the other's. */
async function newTwins(): Promise<{ world: World; twin: World; ids: Ids; second: Ids }> {
  const world = await newWorld()
  const twin = await world.other()
  const other = await inhabited(twin, 'twin', [
    [0, 1],
    [1, 0],
  ])
  const own = await inhabited(world, 'own', [[0, 0]])
  const become = async (table: string, from: number | undefined, to: number | undefined) =>
    twin.rows(`UPDATE ${table} SET id = $3 WHERE account_id = $1 AND id = $2`, [twin.accountId, from, to])
  for (const index of [0, 1]) {
    await become('contact', other.contacts[index]?.databaseId, own.contacts[index]?.databaseId)
    await become('tag', other.tags[index]?.databaseId, own.tags[index]?.databaseId)
    await become('custom_field', other.fields[index]?.databaseId, own.fields[index]?.databaseId)
  }
  await become('api_key', other.key, own.key)
  await twin.rows(
    `UPDATE contact_consent c SET id = o.id FROM contact_consent o
     WHERE c.account_id = $1 AND o.account_id = $2 AND o.contact_id = c.contact_id`,
    [twin.accountId, world.accountId],
  )
  await world.rows("UPDATE api_key SET name = 'twin' WHERE account_id = $1", [twin.accountId])
  const idsAt = (index: number): Ids => ({
    contact: own.contacts[index]?.databaseId ?? 0,
    tag: own.tags[index]?.databaseId ?? 0,
    field: own.fields[index]?.databaseId ?? 0,
    key: own.key,
  })
  return { world, twin, ids: idsAt(0), second: idsAt(1) }
}

describe('an account whose rows have the same ids as another’s', () => {
  it.each(Object.entries(waysTo))('sees in %s only its own', async (_field, steps) => {
    const { world, ids } = await newTwins()
    const global = (type: string, id: number) => Buffer.from(`${type}:${id}`).toString('base64url')
    const nodes = [global('Contact', ids.contact), global('Tag', ids.tag), global('CustomField', ids.field)]
    const data = await world.run(documentOf(steps), { n: 50, ids: nodes })
    expect(JSON.stringify(data)).not.toContain('twin')
    expect(itemsOf(data, steps).length).toBeLessThanOrEqual(4)
  })

  it('counts and filters only its own', async () => {
    const { world, ids, second } = await newTwins()
    const data = await world.run(
      `query ($tag: ID!, $second: ID!, $id: ID!) {
        contacts(filter: { tagIds: [$second] }) { totalCount }
        mine: contacts(filter: { tagIds: [$tag] }) { totalCount }
        tag(id: $tag) { name contacts { totalCount nodes { email } } }
        other: tag(id: $second) { name contacts { totalCount } }
        contact(ref: { id: $id }) { email tags { name } customFields { label value customField { name } } consents { totalCount nodes { source } } } }`,
      { tag: ids.tag, second: second.tag, id: ids.contact },
    )
    expect(data).toEqual({
      contacts: { totalCount: 0 },
      mine: { totalCount: 1 },
      tag: { name: 'own tag 1', contacts: { totalCount: 1, nodes: [{ email: 'own-0@example.com' }] } },
      other: { name: 'own tag 2', contacts: { totalCount: 0 } },
      contact: {
        email: 'own-0@example.com',
        tags: [{ name: 'own tag 1' }],
        customFields: [{ label: 'own field 1', value: 'own value', customField: { name: 'own field 1' } }],
        consents: { totalCount: 1, nodes: [{ source: 'own' }] },
      },
    })
  })

  it.each(Object.entries(announcements))('changes by %s nothing of the other', async (field, { input, select }) => {
    const { world, twin, ids, second } = await newTwins()
    const before = await everything(twin)
    await world.run(mutationOf(field, select), { input: input(ids) })
    // Again where its rows are linked otherwise, if that can be.
    await world.ask(mutationOf(field, select), { input: input(second) })
    expect(await everything(twin)).toEqual(before)
  })
})
