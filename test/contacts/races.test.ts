// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newWorld, type Reply, type World } from '../support/world.ts'

const twenty = Array.from({ length: 20 }, (_, index) => index)
const Create = 'mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { contact { id } } }'
const Upsert = 'mutation ($input: ContactUpsertInput!) { contactUpsert(input: $input) { created contact { id } } }'
const Delete = 'mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }'

const codes = (replies: Reply[]) => replies.map(({ body }) => body.errors?.[0].extensions.code ?? 'done')
const tally = (list: string[]) =>
  Object.fromEntries([...new Set(list)].sort().map((code) => [code, list.filter((each) => each === code).length]))
const count = async (world: World, table: string) =>
  (await world.rows(`SELECT FROM ${table} WHERE account_id = $1`, [world.accountId])).length

describe('concurrently', () => {
  it('twenty creations of one address in different cases create one contact', async () => {
    const world = await newWorld()
    const replies = await Promise.all(
      twenty.map((index) =>
        world.ask(Create, { input: { email: index % 2 ? 'Ada@Example.com' : 'ada@example.COM', gdpr: true } }),
      ),
    )
    expect(tally(codes(replies))).toEqual({ CONTACT_EXISTS: 19, done: 1 })
    expect([await count(world, 'contact'), await count(world, 'contact_consent')]).toEqual([1, 1])
    expect(await world.announced()).toHaveLength(1)
    expect((await world.run('{ account { quota { contacts { used } } } }')).account.quota.contacts.used).toBe(1)
  })

  it('twenty upserts of one address create one contact', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    const replies = await Promise.all(
      twenty.map((index) =>
        world.ask(Upsert, {
          input: { email: index % 2 ? 'Ada@Example.com' : 'ada@example.COM', addTagIds: [tag.id], city: 'Paris' },
        }),
      ),
    )
    expect(tally(codes(replies))).toEqual({ done: 20 })
    expect(replies.filter(({ body }) => body.data.contactUpsert.created)).toHaveLength(1)
    expect(new Set(replies.map(({ body }) => body.data.contactUpsert.contact.id)).size).toBe(1)
    expect([await count(world, 'contact'), await count(world, 'contact_tag')]).toEqual([1, 1])
    expect((await world.announced()).map(({ type }) => type)).toEqual(['contact.created', 'contact.tag_added'])
  })

  it('twenty creations of one tag create one tag', async () => {
    const world = await newWorld()
    const replies = await Promise.all(
      twenty.map(() => world.ask('mutation { tagCreate(input: { name: "vip" }) { tag { id } } }')),
    )
    expect(tally(codes(replies))).toEqual({ TAG_EXISTS: 19, done: 1 })
    expect(await count(world, 'tag')).toBe(1)
  })

  it('twenty creations of one custom field create one field', async () => {
    const world = await newWorld()
    const document = 'mutation { customFieldCreate(input: { name: "f", type: TEXT }) { customField { id } } }'
    const replies = await Promise.all(twenty.map(() => world.ask(document)))
    expect(tally(codes(replies))).toEqual({ VALIDATION_ERROR: 19, done: 1 })
    expect(await count(world, 'custom_field')).toBe(1)
  })

  it('twenty creations with a quota of five create five contacts and emit quota.reached once', async () => {
    const world = await newWorld({ limits: { contacts: 5 } })
    const replies = await Promise.all(
      twenty.map((index) => world.ask(Create, { input: { email: `a${index}@example.com` } })),
    )
    expect(tally(codes(replies))).toEqual({ QUOTA_EXCEEDED: 15, done: 5 })
    expect(await count(world, 'contact')).toBe(5)
    expect(await world.announced('contact.created')).toHaveLength(5)
    expect(await world.announced('quota.reached')).toHaveLength(1)
  })

  it('twenty deletions of one contact emit one event', async () => {
    const world = await newWorld()
    const { id } = await world.contact()
    await world.contact()
    const replies = await Promise.all(twenty.map(() => world.ask(Delete, { id })))
    expect(tally(codes(replies))).toEqual({ NOT_FOUND: 19, done: 1 })
    expect(await world.announced('contact.deleted')).toHaveLength(1)
    expect((await world.run('{ account { quota { contacts { used } } } }')).account.quota.contacts.used).toBe(1)
  })

  it('tags, values, upserts and deletions of the same contacts cause no server error', async () => {
    const world = await newWorld()
    const tags = [await world.tag(), await world.tag(), await world.tag()]
    const field = await world.customField()
    const work = twenty.flatMap((index) => {
      const email = `a${index % 3}@example.com`
      const tagIds = tags.map(({ id }) => id)
      const input = {
        email,
        addTagIds: index % 2 ? tagIds : tagIds.toReversed(),
        customFields: [{ customFieldId: field.id, value: String(index) }],
      }
      return [
        world.ask(Upsert, { input }),
        world.ask('mutation ($email: String) { contactDelete(input: { contact: { email: $email } }) { deleted } }', {
          email,
        }),
        world.ask(
          'mutation ($email: String, $tagId: ID!) { contactTagAdd(input: { contact: { email: $email }, tagId: $tagId }) { tag { id } } }',
          { email, tagId: tagIds[index % 3] },
        ),
      ]
    })
    const outcome = tally(codes(await Promise.all(work)))
    expect(Object.keys(outcome).filter((code) => code !== 'NOT_FOUND')).toEqual(['done'])
    expect(world.server.errors).toEqual([])
    const [created, deleted] = [await world.announced('contact.created'), await world.announced('contact.deleted')]
    expect(await count(world, 'contact')).toBe(created.length - deleted.length)
    expect((await world.run('{ account { quota { contacts { used } } } }')).account.quota.contacts.used).toBe(
      created.length - deleted.length,
    )
  })

  it('adding a tag while it is deleted leaves no orphaned rows', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    for (const _round of twenty.slice(0, 5)) {
      const tag = await world.tag()
      const replies = await Promise.all([
        world.ask(
          'mutation ($id: ID!, $tagId: ID!) { contactTagAdd(input: { contact: { id: $id }, tagId: $tagId }) { tag { id } } }',
          { id: contact.id, tagId: tag.id },
        ),
        world.ask('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: tag.id }),
      ])
      expect(['done', 'NOT_FOUND']).toContain(codes(replies)[0])
      expect(codes(replies)[1]).toBe('done')
    }
    expect(await count(world, 'contact_tag')).toBe(0)
    expect(world.server.errors).toEqual([])
  })

  it.each([
    ['segment', 200, 'segmentCreate(input: { name: $name, filter: {} })', "s', '{}'"],
    ['custom_field', 1_000, 'customFieldCreate(input: { name: $name, type: TEXT })', "f', 'TEXT'"],
    ['sender_domain', 100, 'senderDomainAdd(input: { domain: $name })', "d', 't'"],
  ])('twenty creations reach the limit of %s and do not exceed it', async (table, limit, creation, values) => {
    const world = await newWorld()
    const columns = { segment: 'name, filter', custom_field: 'name, type', sender_domain: 'domain, token' }[table]
    const updated = table === 'segment' ? [', updated_at', ', now()'] : ['', '']
    await world.rows(
      `INSERT INTO ${table} (account_id, created_at${updated[0]}, ${columns})
        SELECT $1, now()${updated[1]}, i || '${values} FROM generate_series(1, ${limit - 5}) i`.replace(
        "'TEXT'",
        "'TEXT'::custom_field_type",
      ),
      [world.accountId],
    )
    const create = `mutation ($name: String!) { ${creation} { __typename } }`
    const replies = await Promise.all(twenty.map((index) => world.ask(create, { name: `new${index}.example` })))
    expect(tally(codes(replies))).toEqual({ VALIDATION_ERROR: 15, done: 5 })
    expect(await count(world, table)).toBe(limit)
  })
})
