// @module-tag rows
import { describe, expect, it } from 'vitest'
import { hashOf } from '../../src/db/requests/idempotency.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const Create = `mutation ($input: ContactCreateInput!) {
  contactCreate(input: $input) { contact { id databaseId email firstName createdAt } } }`
const TagCreate = 'mutation ($input: TagCreateInput!) { tagCreate(input: $input) { tag { id name } } }'

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })

async function rowsOf(world: World, table: string): Promise<number> {
  return (await world.rows(`SELECT FROM ${table} WHERE account_id = $1`, [world.accountId])).length
}

describe('a mutation that is repeated with its idempotency key', () => {
  it('returns the same result and changes nothing', async () => {
    const world = await newWorld()
    const input = { email: 'ada@example.com', firstName: 'Ada', gdpr: true }
    const first = await world.run(Create, { input }, withKey('k-1'))
    expect(await world.run(Create, { input }, withKey('k-1'))).toEqual(first)
    // The order of input fields does not matter, and the input may contain the key, too.
    const again = { gdpr: true, idempotencyKey: 'k-1', firstName: 'Ada', email: 'ada@example.com' }
    expect(await world.run(Create, { input: again })).toEqual(first)
    expect(await world.socket().ask(Create, { input }, { idempotencyKey: 'k-1' })).toMatchObject({ data: first })
    expect(await rowsOf(world, 'contact')).toBe(1)
    expect((await world.announced()).map(({ type }) => type)).toEqual(['contact.created'])
  })

  it('returns the result of another process on the same database', async () => {
    const world = await newWorld()
    const server = await newServer({ DATABASE_URL: world.server.databaseUrl })
    const first = await world.run(TagCreate, { input: { name: 'a' } }, withKey('k'))
    expect(await world.run(TagCreate, { input: { name: 'a' } }, { ...withKey('k'), server })).toEqual(first)
  })

  it('returns VALIDATION_ERROR for other input', async () => {
    const world = await newWorld()
    await world.run(TagCreate, { input: { name: 'a' } }, withKey('k'))
    const fault = await world.fault(TagCreate, { input: { name: 'b' } }, withKey('k'))
    expect(fault.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.idempotencyKey': [expect.any(String)] },
    })
    expect(await rowsOf(world, 'tag')).toBe(1)
  })

  it.each([
    [Number.POSITIVE_INFINITY, null],
    [-0, 0],
    [JSON.parse('{"__proto__":1}'), {}],
    ['1', 1],
    [[], {}],
    [{ a: 1 }, { a: '1' }],
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00Z'],
  ])('distinguishes the inputs %j and %j', (one, other) => {
    expect(hashOf({ input: one })).not.toBe(hashOf({ input: other }))
  })

  it('returns the current row, or the former one if it was deleted since', async () => {
    const world = await newWorld()
    const input = { email: 'ada@example.com' }
    const first = (await world.run(Create, { input }, withKey('k'))).contactCreate.contact
    const update = `mutation ($id: ID!) { contactUpdate(input: { contact: { id: $id }, firstName: "Ada" }) { contact { id } } }`
    await world.run(update, { id: first.id })
    expect((await world.run(Create, { input }, withKey('k'))).contactCreate.contact).toEqual({
      ...first,
      firstName: 'Ada',
    })

    const remove = `mutation ($id: ID!, $key: String) { contactDelete(input: { contact: { id: $id }, idempotencyKey: $key }) {
      deletedContactId deleted reason contact { id } } }`
    const gone = await world.run(remove, { id: first.id, key: 'gone' })
    expect(gone.contactDelete).toEqual({ deletedContactId: first.id, deleted: true, reason: null, contact: null })
    expect((await world.run(Create, { input }, withKey('k'))).contactCreate.contact).toEqual(first)
    expect(await world.run(remove, { id: first.id, key: 'gone' })).toEqual(gone)
    expect(await rowsOf(world, 'contact')).toBe(0)
    expect(await world.announced('contact.deleted')).toHaveLength(1)
  })

  it('returns facts that are not stored in rows: created, queued and skipped', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    const tag = await world.tag()
    const upsert = `mutation { contactUpsert(input: { email: "new@example.com" }) { created contact { email } } }`
    const bulk = `mutation ($ids: [ID!]!, $tagId: ID!) {
      contactBulkTag(input: { contactIds: $ids, tagId: $tagId }) { queued skipped tag { id } } }`
    const variables = { ids: [contact.id, 99_999_999], tagId: tag.id }
    const first = [await world.run(upsert, {}, withKey('u')), await world.run(bulk, variables, withKey('b'))]
    expect(first).toMatchObject([{ contactUpsert: { created: true } }, { contactBulkTag: { queued: 1, skipped: 1 } }])
    expect([await world.run(upsert, {}, withKey('u')), await world.run(bulk, variables, withKey('b'))]).toEqual(first)
    const jobs = await world.rows(`SELECT FROM graphile_worker._private_jobs WHERE payload::jsonb->>'accountId' = $1`, [
      String(world.accountId),
    ])
    expect(jobs).toHaveLength(1)
  })

  it('runs again after a day', async () => {
    const world = await newWorld()
    await world.run(TagCreate, { input: { name: 'a' } }, withKey('k'))
    const ageKeys = (interval: string) =>
      world.rows('UPDATE idempotency_key SET created_at = created_at - $2::interval WHERE account_id = $1', [
        world.accountId,
        interval,
      ])
    await ageKeys('23 hours 59 minutes')
    expect((await world.fault(TagCreate, { input: { name: 'b' } }, withKey('k'))).extensions.code).toBe(
      'VALIDATION_ERROR',
    )
    await ageKeys('1 minute')
    await world.run(TagCreate, { input: { name: 'b' } }, withKey('k'))
    expect((await world.fault(TagCreate, { input: { name: 'a' } }, withKey('k'))).extensions.code).toBe(
      'VALIDATION_ERROR',
    )
    expect(await rowsOf(world, 'idempotency_key')).toBe(1)
  })

  it('runs again if it failed', async () => {
    const world = await newWorld({ limits: { contacts: 0 } })
    const input = { email: 'ada@example.com' }
    expect((await world.fault(Create, { input }, withKey('k'))).extensions.code).toBe('QUOTA_EXCEEDED')
    expect(await rowsOf(world, 'idempotency_key')).toBe(0)
    await world.rows('UPDATE account SET limit_contacts = 5 WHERE id = $1', [world.accountId])
    await world.run(Create, { input }, withKey('k'))
    expect(await world.announced('contact.created')).toHaveLength(1)
  })

  it('is independent for another field or account', async () => {
    const world = await newWorld()
    const other = await world.other()
    for (const each of [world, other]) await each.run(TagCreate, { input: { name: 'a' } }, withKey('k'))
    const field = `mutation { customFieldCreate(input: { name: "a", type: TEXT }) { customField { name } } }`
    await world.run(field, {}, withKey('k'))
    expect([await rowsOf(world, 'tag'), await rowsOf(other, 'tag'), await rowsOf(world, 'custom_field')]).toEqual([
      1, 1, 1,
    ])
  })
})

describe('concurrent mutations with one idempotency key', () => {
  it('have one effect, and each returns the one result or that it is still running', async () => {
    const world = await newWorld()
    const second = await newServer({ DATABASE_URL: world.server.databaseUrl })
    const input = { email: 'ada@example.com' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.ask(Create, { input }, { ...withKey('k'), server: index % 2 === 0 ? world.server : second }),
      ),
    )
    const done = replies.filter(({ body }) => !body.errors)
    const waiting = replies.filter(({ body }) => body.errors?.[0].extensions.code === 'IDEMPOTENCY_CONFLICT')
    expect(done.length).toBeGreaterThan(0)
    expect(done.length + waiting.length).toBe(20)
    expect(new Set(done.map(({ body }) => JSON.stringify(body.data))).size).toBe(1)
    expect(await rowsOf(world, 'contact')).toBe(1)
    expect(await world.announced()).toHaveLength(1)
    const again = await world.run(Create, { input }, withKey('k'))
    expect(again).toEqual(done[0]?.body.data)
  })
})

describe('a document with several mutations', () => {
  it('stores a result for each of its fields under one header', async () => {
    const world = await newWorld()
    const document = `mutation {
      tagCreate(input: { name: "a" }) { tag { id } }
      customFieldCreate(input: { name: "a", type: TEXT }) { customField { id } } }`
    const first = await world.run(document, {}, withKey('k'))
    expect(await world.run(document, {}, withKey('k'))).toEqual(first)
    expect(await rowsOf(world, 'idempotency_key')).toBe(2)
  })

  it('uses the keys of its inputs if a field is repeated, and prefers them to the header', async () => {
    const world = await newWorld()
    const document = `mutation {
      a: tagCreate(input: { name: "a", idempotencyKey: "ka" }) { tag { name } }
      b: tagCreate(input: { name: "b", idempotencyKey: "kb" }) { tag { name } } }`
    const first = await world.run(document, {}, withKey('header'))
    expect(first).toEqual({ a: { tag: { name: 'a' } }, b: { tag: { name: 'b' } } })
    expect(await world.run(document, {}, withKey('header'))).toEqual(first)
    const keys = await world.rows('SELECT key FROM idempotency_key WHERE account_id = $1 ORDER BY key', [
      world.accountId,
    ])
    expect(keys).toEqual([{ key: 'ka' }, { key: 'kb' }])
  })

  it('stores a result for each response key of a repeated field under one header', async () => {
    const world = await newWorld()
    const document = `mutation {
      a: tagCreate(input: { name: "a" }) { tag { name } }
      ...More
      customFieldCreate(input: { name: "a", type: TEXT }) { customField { name } } }
      fragment More on Mutation { b: tagCreate(input: { name: "b" }) { tag { name } } }`
    const first = await world.run(document, {}, withKey('k'))
    expect(first).toMatchObject({ a: { tag: { name: 'a' } }, b: { tag: { name: 'b' } } })
    expect(await world.run(document, {}, withKey('k'))).toEqual(first)
    expect(await rowsOf(world, 'tag')).toBe(2)
    const fields = await world.rows('SELECT field FROM idempotency_key WHERE account_id = $1 ORDER BY field', [
      world.accountId,
    ])
    expect(fields).toEqual([{ field: 'customFieldCreate' }, { field: 'tagCreate a' }, { field: 'tagCreate b' }])
  })

  it('runs the fields that do not fail', async () => {
    const world = await newWorld()
    const document = `mutation {
      a: tagCreate(input: { name: "a" }) { tag { name } }
      b: tagUpdate(input: { id: 99999999, name: "b" }) { tag { name } } }`
    const { body } = await world.ask(document)
    expect(body.data).toEqual({ a: { tag: { name: 'a' } }, b: null })
    expect(body.errors).toMatchObject([{ path: ['b'], extensions: { code: 'NOT_FOUND' } }])
    expect(await rowsOf(world, 'tag')).toBe(1)
  })
})

describe('an idempotency key', () => {
  it.each(['', 'x'.repeat(256), 'two words', 'caf\u00e9', 'tab\t'])(
    'returns VALIDATION_ERROR if it is %j',
    async (key) => {
      const world = await newWorld()
      const fault = await world.fault(TagCreate, { input: { name: 'a', idempotencyKey: key } })
      expect(fault.extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.idempotencyKey': [expect.any(String)] },
      })
      expect(await rowsOf(world, 'tag')).toBe(0)
    },
  )

  it('is ignored if it is null', async () => {
    const world = await newWorld()
    await world.run(TagCreate, { input: { name: 'a', idempotencyKey: null } })
    expect(await rowsOf(world, 'idempotency_key')).toBe(0)
  })

  it('can be used with every mutation except apiKeyCreate and accessTokenCreate', async () => {
    const world = await newWorld()
    const { __schema } = await world.run(
      '{ __schema { mutationType { fields { name args { type { ofType { inputFields { name } } } } } } } }',
    )
    const without = __schema.mutationType.fields
      .filter(
        (field: { args: { type: { ofType: { inputFields: { name: string }[] } } }[] }) =>
          !field.args[0]?.type.ofType.inputFields.some(({ name }) => name === 'idempotencyKey'),
      )
      .map(({ name }: { name: string }) => name)
    expect(without.toSorted()).toEqual(['accessTokenCreate', 'apiKeyCreate'])
  })
})
