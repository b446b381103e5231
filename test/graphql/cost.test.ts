import { readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import { describe, expect, it } from 'vitest'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { publishedCost } from './published-cost.ts'
import { screens } from './screens.ts'

const tooComplex = { extensions: { code: 'QUERY_TOO_COMPLEX' } }

const costOf = async (world: World, document: string, variables: object = {}, more = {}) =>
  (await world.ask(document, variables, { more })).body.extensions.cost

describe('the estimated cost', () => {
  it.each(Object.entries(screens))('admits the documents of typical screens: %s', async (_name, document) => {
    const world = await newWorld()
    const { body } = await world.ask(document, { id: '1' })
    expect(body.errors ?? []).toEqual([])
    expect(body.extensions.cost.requested).toBeGreaterThan(10)
    expect(body.extensions.cost.requested).toBeLessThan(10_000)
  })

  it('is that of the executed operation', async () => {
    const world = await newWorld()
    const document = `query Cheap { viewer { email } }
      query Dear { contacts(first: 100) { nodes { tags { contacts(first: 30) { nodes { id } } } } } }`
    expect((await costOf(world, document, {}, { operationName: 'Cheap' })).requested).toBe(1)
    expect((await costOf(world, document, {}, { operationName: 'Dear' })).requested).toBeGreaterThan(15_000)
    const dearer =
      `query Cheap { viewer { email } } query Dear { ${'contacts(first: 100) { nodes { tags { '.repeat(2)}id${' } } }'.repeat(2)} }`.replace(
        'tags { contacts',
        'tags { name contacts',
      )
    expect(await world.fault(dearer, {}, { more: { operationName: 'Dear' } })).toMatchObject(tooComplex)
    const socket = world.socket()
    expect(await socket.ask(dearer.replace('query Cheap { viewer { email } }', ''))).toMatchObject({
      errors: [tooComplex],
    })
  })

  it('does not depend on the variables of another operation', async () => {
    const world = await newWorld()
    const document = 'query A($id: ID!) { tag(id: $id) { name } } query B { contacts(first: 30) { nodes { id } } }'
    expect((await costOf(world, document, {}, { operationName: 'B' })).requested).toBe(31)
  })

  it('counts objects, including those of introspection, and no other values', async () => {
    const world = await newWorld()
    expect((await costOf(world, '{ __typename }')).requested).toBe(1)
    expect((await costOf(world, '{ a: __typename b: __typename viewer { __typename } }')).requested).toBe(1)
    const names = await costOf(world, '{ __schema { types { name } } }')
    expect(names.requested).toBe(names.actual)
  })

  it('respects @skip and @include, with and without variables', async () => {
    const world = await newWorld()
    const list = 'contacts(first: 100) { nodes { id } }'
    const cost = async (document: string, variables = {}) => (await costOf(world, document, variables)).requested
    expect(
      await cost(`query ($yes: Boolean!) { viewer { email } ${list.replace(' {', ' @include(if: $yes) {')} }`, {
        yes: true,
      }),
    ).toBe(102)
    expect(
      await cost(`query ($yes: Boolean!) { viewer { email } ${list.replace(' {', ' @include(if: $yes) {')} }`, {
        yes: false,
      }),
    ).toBe(1)
    expect(await cost(`query ($yes: Boolean = true) { viewer { email } ... @skip(if: $yes) { ${list} } }`)).toBe(1)
    // A fragment that is skipped in one place counts in the other.
    const twice = `query ($no: Boolean!) { ...F @include(if: $no) viewer { email } ...F } fragment F on Query { ${list} }`
    expect(await cost(twice, { no: false })).toBe(102)
  })

  it('of lists and connections is in the schema, so that a tool computes what a request is charged', async () => {
    const world = await newWorld()
    const sdl = buildSchema(readFileSync('schema.graphql', 'utf8'))
    const documents = { ...screens, 'several nodes': 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }' }
    const variables = { id: '1', ids: ['a', 'b'] }
    for (const [name, document] of Object.entries(documents)) {
      const { requested } = await costOf(world, document, variables)
      expect([name, requested]).toEqual([name, publishedCost(sdl, document, variables)])
    }
  })

  it('names the dearest fields on request, and if a document is refused', async () => {
    const world = await newWorld()
    const document = '{ viewer { email } dear: campaigns(first: 20) { nodes { check { canSend } } } }'
    const { extensions } = (await world.ask(document, {}, { more: { extensions: { cost: true } } })).body
    expect(extensions.cost.fields).toEqual([
      { path: 'dear.nodes.check', points: 2_000 },
      { path: 'dear.nodes', points: 20 },
      { path: 'viewer', points: 1 },
      { path: 'dear', points: 1 },
    ])
    expect((await costOf(world, document)).fields).toBeUndefined()
    const dearer = '{ contacts(first: 100) { nodes { tags { contacts(first: 100) { nodes { id } } } } } }'
    const { cost } = (await world.ask(dearer)).body.errors[0].extensions
    expect(cost).toMatchObject({ requested: 51_101, limit: 20_000 })
    expect(cost.fields[0]).toEqual({ path: 'contacts.nodes.tags.contacts.nodes', points: 50_000 })
  })

  it('of fields that are much work is charged as often as they have a value', async () => {
    const world = await newWorld()
    await world.campaign()
    const { requested, actual } = await costOf(world, '{ campaigns(first: 20) { nodes { check { canSend } } } }')
    expect([requested, actual]).toEqual([2_021, 102])
  })
})

describe('the execution of a document', () => {
  const document = 'query ($n: Int) { contacts(first: $n) { nodes { email tags { id } } } }'

  /** Creates a hundred contacts with 300 tags each: sixty times the estimate. */
  async function newLargeWorld(): Promise<World> {
    const world = await newWorld()
    await world.rows(
      `INSERT INTO contact (account_id, email, created_at, updated_at)
       SELECT $1, n || '@example.com', now(), now() FROM generate_series(1, 100) n`,
      [world.accountId],
    )
    await world.rows(
      "INSERT INTO tag (account_id, name, created_at) SELECT $1, 'tag ' || n, now() FROM generate_series(1, 300) n",
      [world.accountId],
    )
    await world.rows(
      'INSERT INTO contact_tag SELECT c.account_id, c.id, t.id, now() FROM contact c JOIN tag t USING (account_id) WHERE c.account_id = $1',
      [world.accountId],
    )
    // The planner assumes empty tables until statistics are collected.
    await world.rows('ANALYZE contact, tag, contact_tag')
    return world
  }

  it('stops above the maximum number of rows, interpreted or compiled, and consumes cost points', async () => {
    const world = await newLargeWorld()
    for (let time = 0; time < 5; time += 1) {
      const { body } = await world.ask(document, { n: 100 })
      expect(body).toMatchObject({ data: null, errors: [tooComplex] })
      expect(body.errors[0].message).toContain('20000 rows')
      expect(body.extensions.cost.actual).toBeGreaterThan(20_000)
      expect((await world.run(document, { n: 10 })).contacts.nodes).toHaveLength(10)
    }
    expect(await world.socket().ask(document, { n: 100 })).toMatchObject({ errors: [tooComplex] })
  })

  it('stops above the maximum number of fields, even if the rows were loaded once', async () => {
    const world = await newLargeWorld()
    const names = Array.from({ length: 20 }, (_, index) => `a${index}: name`).join(' ')
    const again = `{ contacts(first: 100) { nodes { account { tags(first: 100) { nodes { ${names} } } } } } }`
    expect(await world.fault(again)).toMatchObject(tooComplex)
    const wide = `{ contacts(first: 40) { nodes { tags { ${names} } } } }`
    for (let time = 0; time < 4; time += 1) {
      const { body } = await world.ask(wide)
      expect(body).toMatchObject({ data: null, errors: [tooComplex] })
      expect(body.errors[0].message).toContain('150000 fields')
    }
  })

  it('keeps the changes of a mutation even if its payload is too large', async () => {
    const world = await newLargeWorld()
    const [tag] = (await world.run('{ tags(first: 1) { nodes { id } } }')).tags.nodes
    const { body } = await world.ask(
      `mutation ($id: ID!) { tagUpdate(input: { id: $id, name: "kept" }) { tag { name contacts(first: 100) { nodes { tags { id } } } } } }`,
      { id: tag.id },
    )
    expect(body.errors[0]).toMatchObject(tooComplex)
    expect((await world.run('query ($id: ID!) { tag(id: $id) { name } }', { id: tag.id })).tag.name).toBe('kept')
  })

  it('returns at most fifty errors', async () => {
    const world = await newLargeWorld()
    const key = await world.key({ scopes: ['contacts:read'] })
    const forbidden = '{ contacts(first: 100) { nodes { email orders(first: 1) { totalCount } } } }'
    for (let time = 0; time < 4; time += 1) {
      const { body } = await world.ask(forbidden, {}, { key })
      expect(body.data.contacts.nodes).toHaveLength(100)
      expect(body.errors).toHaveLength(50)
    }
  })
})

describe('the budget of cost points', () => {
  it('is COST_LIMIT_PER_MINUTE, scaled by the plan', async () => {
    const server = await newServer({ COST_LIMIT_PER_MINUTE: '1000' })
    const keyOn = async (plan: 'STARTER' | 'PRO' | 'UNLIMITED') => {
      const { id } = await accounts.create(server.system, { name: plan, email: 'ada@example.com', plan })
      return (await apiKeys.create(server.system, { accountId: id })).key
    }
    const world = await newWorld({ server })
    for (const [plan, limit] of [
      ['STARTER', 500],
      ['PRO', 1_000],
      ['UNLIMITED', 1_000],
    ] as const) {
      const key = await keyOn(plan)
      const { body } = await world.ask('{ viewer { email } }', {}, { key })
      expect(body.extensions.cost).toEqual({ requested: 1, actual: 1, remaining: limit - 1, limit })
      const half = '{ contacts(first: 100) { nodes { tags { name } } } }'
      const response = await world.ask(half, {}, { key })
      if (plan === 'STARTER') expect(response.body).toMatchObject({ errors: [tooComplex] })
      else expect(response.body.errors).toBeUndefined()
    }
  })
})
