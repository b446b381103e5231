import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { createSubscriber, newMailWorld } from './reading.ts'

const Add = `mutation ($input: SuppressionAddInput!) { suppressionAdd(input: $input) {
  suppression { id email reason detail createdAt } } }`
const Remove = 'mutation ($input: SuppressionRemoveInput!) { suppressionRemove(input: $input) { email } }'
const List = `query ($first: Int, $after: String, $filter: SuppressionFilterInput, $orderBy: [SuppressionOrderInput!]) {
  suppressions(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
    nodes { email reason } totalCount pageInfo { endCursor hasNextPage } } }`

const add = (world: World, email: string, more: object = {}) => world.run(Add, { input: { email, ...more } })
const emails = async (world: World, variables: object = {}): Promise<string[]> =>
  (await world.run(List, variables)).suppressions.nodes.map(({ email }: { email: string }) => email)

describe('a suppressed address', () => {
  it('gets no messages until it is removed', async () => {
    const { world, send, sink } = await newMailWorld()
    await createSubscriber(world, { email: 'bob@example.com' })
    await createSubscriber(world, { email: 'eve@example.com' })
    await add(world, 'BOB@example.com')
    await send({ html: '<p>Hello</p>' })
    expect(sink.taken.map(({ to }) => to)).toEqual(['eve@example.com'])
    await world.run(Remove, { input: { email: 'bob@EXAMPLE.com' } })
    await send({ html: '<p>Hello</p>' }, 2)
    expect(sink.taken.map(({ to }) => to).sort()).toEqual(['bob@example.com', 'eve@example.com', 'eve@example.com'])
  })

  it('is listed once, as it was added first', async () => {
    const world = await newWorld()
    await Promise.all(Array.from({ length: 10 }, (_, i) => add(world, i % 2 ? 'bob@example.com' : 'BOB@example.com')))
    expect((await world.run(List)).suppressions.totalCount).toBe(1)
    const { suppressionAdd } = await add(world, 'bob@example.com', { detail: 'asked by telephone' })
    expect(suppressionAdd.suppression).toMatchObject({ reason: 'MANUAL', detail: '' })
  })

  it('is not visible to other accounts', async () => {
    const world = await newWorld()
    await add(world, 'bob@example.com')
    const other = await world.other()
    expect(await emails(other)).toEqual([])
    expect((await other.fault(Remove, { input: { email: 'bob@example.com' } })).extensions.code).toBe('NOT_FOUND')
    expect(await emails(world)).toEqual(['bob@example.com'])
  })

  it('returns VALIDATION_ERROR for text that is not an address', async () => {
    const world = await newWorld()
    for (const email of ['', 'bob', 'bob@example.com\0', 'a@b.example, c@d.example']) {
      expect((await world.fault(Add, { input: { email } })).extensions.code).toBe('VALIDATION_ERROR')
    }
    expect((await world.fault(Remove, { input: { email: 'x\0' } })).extensions.code).toBe('VALIDATION_ERROR')
    expect((await world.fault(Remove, { input: { email: 'bob@example.com' } })).extensions.code).toBe('NOT_FOUND')
  })

  it('needs the scopes mail:read and mail:write', async () => {
    const world = await newWorld()
    const [read, write] = [await world.key({ scopes: ['mail:read'] }), await world.key({ scopes: ['mail:write'] })]
    const both = await world.key({ scopes: ['mail:read', 'mail:write'] })
    const input = { email: 'bob@example.com' }
    expect((await world.fault(Add, { input }, { key: read })).extensions.code).toBe('FORBIDDEN')
    await world.run(Add, { input }, { key: both })
    expect((await world.fault(Add, { input }, { key: write })).path).toEqual(['suppressionAdd', 'suppression'])
    expect((await world.fault(List, {}, { key: write })).extensions.code).toBe('FORBIDDEN')
    expect((await world.fault(Remove, { input }, { key: read })).extensions.code).toBe('FORBIDDEN')
    await world.run(Remove, { input }, { key: write })
  })
})

describe('the list of suppressions', () => {
  it('supports pages, orders and filters', async () => {
    const world = await newWorld()
    const all = ['c@x.example', 'a@y.example', 'B@x.example']
    for (const email of all) await add(world, email)
    await world.rows("UPDATE suppression SET reason = 'BOUNCE' WHERE account_id = $1 AND email = 'a@y.example'", [
      world.accountId,
    ])
    expect(await emails(world)).toEqual([...all].reverse())
    expect(await emails(world, { orderBy: { field: 'EMAIL', direction: 'ASC' } })).toEqual([
      ...['a@y.example', 'B@x.example', 'c@x.example'],
    ])
    expect(await emails(world, { filter: { reason: 'BOUNCE' } })).toEqual(['a@y.example'])
    expect(await emails(world, { filter: { email: { eq: 'b@X.example' } } })).toEqual(['B@x.example'])
    expect(await emails(world, { filter: { search: '@x.' } })).toEqual(['B@x.example', 'c@x.example'])
    const { suppressions: first } = await world.run(List, { first: 2 })
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } })
    expect(await emails(world, { first: 2, after: first.pageInfo.endCursor })).toEqual(['c@x.example'])
    const wrong = await world.fault(List, { filter: { search: '\0' } })
    expect(wrong.extensions.code).toBe('VALIDATION_ERROR')
  })
})
