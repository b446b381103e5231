import { buildClientSchema, getIntrospectionQuery } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const introspection = getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true })

let world: World
beforeAll(async () => {
  world = await newWorld()
})

const ask = (query: string, more: object = {}, { server }: Pick<World, 'server'> = world) =>
  fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://shop.example' },
    body: JSON.stringify({ query, ...more }),
  })

describe('introspection without a key', () => {
  it('returns the same schema as with a key, to pages of all origins', async () => {
    const response = await ask(introspection)
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    const { data } = await response.json()
    expect(buildClientSchema(data).getQueryType()?.getFields()).toHaveProperty('contacts')
    expect(data).toEqual(await world.run(introspection))
  })

  it.each([
    ['over GET', 'query A { __schema { queryType { name } } __typename } query B { viewer { email } }', 'A'],
    ['with fragments', 'query A { ...F } fragment F on Query { ... { type: __type(name: "Tag") { name } } }', 'A'],
  ])('works %s', async (_name, query, operationName) => {
    const url = `${world.server.url}/graphql?${new URLSearchParams({ query, operationName })}`
    const response = await fetch(url, { headers: { accept: 'application/json' } })
    expect([response.status, Object.keys(await response.json())]).toEqual([200, ['data']])
  })

  it('applies the variables of each request', async () => {
    const query = 'query ($name: String!) { __type(name: $name) { name } }'
    for (const name of ['Tag', 'Contact']) {
      expect(await (await ask(query, { variables: { name } })).json()).toEqual({ data: { __type: { name } } })
    }
  })

  it('reads no database', async () => {
    const query = '{ __schema { subscriptionType { name } } }'
    expect(await world.statements(async () => expect((await ask(query)).status).toBe(200))).toBe(0)
  })

  it.each([
    ['a field of data', '{ __schema { queryType { name } } viewer { email } }'],
    [
      'a field of data in a fragment',
      'query { __schema { queryType { name } } ...F } fragment F on Query { viewer { email } }',
    ],
    ['only the name of the type', '{ __typename }'],
    ['a mutation', 'mutation { __schema: tagCreate(input: { name: "x" }) { tagId } }'],
    ['a mutation that reads only the schema', 'mutation { __typename } # __schema'],
    ['a subscription', 'subscription { __schema: events { cursor } }'],
    ['an invalid document', '{ __schema { nothing } }'],
    ['a document that cannot be parsed', '{ __schema {'],
    ['a document of more than 16,384 characters', `{ __schema { queryType { name } } } #${' '.repeat(16_384)}`],
  ])('stays 401 for %s', async (_name, query) => {
    const response = await ask(query)
    expect([response.status, (await response.json()).errors[0].extensions.code]).toEqual([401, 'UNAUTHORIZED'])
  })

  it('stays 401 with a wrong key', async () => {
    expect((await world.ask(introspection, {}, { key: 'cmp_wrong' })).status).toBe(401)
  })

  it('is rejected if the document is too costly', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `f${index}: fields { type { fields { name } } }`)
    const query = `{ __schema { types { ${names.join(' ')} } } }`
    const body = await (await ask(query)).json()
    expect(body.errors[0].extensions.code).toBe('QUERY_TOO_COMPLEX')
    expect(body).not.toHaveProperty('data')
  })

  it('is limited for each address', async () => {
    const limited = await newWorld({ server: await newServer({ PUBLIC_RATE_PER_IP: '2' }) })
    const replies = [await ask(introspection, {}, limited), await ask(introspection, {}, limited)]
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    const refused = await ask(introspection, {}, limited)
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect((await refused.json()).errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED' })
    expect((await ask('{ viewer { email } }', {}, limited)).status).toBe(401)
    expect((await limited.ask(introspection)).status).toBe(200)
  })
})
