import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** Returns a document with this number of selections that are three levels deep. */
function deep(times: number): string {
  return `{ account { ${'contacts(first: 1) { nodes { account { '.repeat(times)}name${' } } }'.repeat(times)} } }`
}

const tooComplex = { extensions: { code: 'QUERY_TOO_COMPLEX' } }

describe('a document', () => {
  it('of more than 16 levels is rejected, also with fragments', async () => {
    const world = await newWorld()
    await world.run(deep(4))
    for (const [accept, status] of [
      ['application/json', 200],
      ['application/graphql-response+json', 400],
    ] as const) {
      const reply = await world.ask(deep(6), {}, { headers: { accept } })
      expect(reply.body).toMatchObject({ errors: [tooComplex] })
      expect([reply.status, accept]).toEqual([status, accept])
    }
    const hidden = `{ account { ...a } }
      fragment a on Account { contacts(first: 1) { nodes { account { ...b } } } }
      fragment b on Account { contacts(first: 1) { nodes { account { ...c } } } }
      fragment c on Account { contacts(first: 1) { nodes { account { ...d } } } }
      fragment d on Account { contacts(first: 1) { nodes { account { contacts(first: 1) { nodes { account { contacts(first: 1) { nodes { id } } } } } } } } }`
    expect(await world.fault(hidden)).toMatchObject(tooComplex)
  })

  it('of more than 30 aliases is rejected', async () => {
    const world = await newWorld()
    const aliased = (count: number) =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: viewer { email }`).join(' ')} }`
    await world.run(aliased(30))
    expect(await world.fault(aliased(31))).toMatchObject(tooComplex)
  })

  it('of more than 2,000 tokens is rejected', async () => {
    const world = await newWorld()
    const tags = (ids: number) => `tags: { any: [${'1 '.repeat(ids / 2)}] }`
    const long = (ids: number) => `{ contacts(filter: { ${tags(ids)}, not: { ${tags(ids)} } }) { totalCount } }`
    await world.run(long(1_950))
    const modern = { headers: { accept: 'application/graphql-response+json' } }
    const reply = await world.ask(long(2_000), {}, modern)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ errors: [tooComplex] })
    expect(await world.socket().ask(long(2_000))).toMatchObject({ errors: [tooComplex] })
  })

  it('of more than a megabyte returns 413, with and without Content-Length', async () => {
    const { server, mainKey, ask } = await newWorld()
    expect((await ask('{ __typename }', {}, { more: { padding: 'x'.repeat(1_000_000) } })).status).toBe(200)
    const reply = await ask('{ __typename }', {}, { more: { padding: 'x'.repeat(1_100_000) } })
    expect(reply.status).toBe(413)
    expect(reply.body).toMatchObject({ errors: [tooComplex] })
    const body = new Blob([JSON.stringify({ query: '{ __typename }', padding: 'x'.repeat(1_100_000) })]).stream()
    const headers = { authorization: `Bearer ${mainKey}`, 'content-type': 'application/json' }
    const chunked = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit)
    expect(chunked.status).toBe(413)
  })

  it('may be the introspection query of common tools', async () => {
    const { getIntrospectionQuery } = await import('graphql')
    const world = await newWorld()
    expect((await world.run(getIntrospectionQuery())).__schema.queryType.name).toBe('Query')
  })
})

describe('the cost of a document', () => {
  const cost = async (world: World, document: string, variables = {}) =>
    (await world.ask(document, variables)).body.extensions.cost

  it('is returned with each response: estimate, actual cost and remaining points', async () => {
    const world = await newWorld()
    await world.contact()
    const fresh = await newWorld()
    expect(await cost(fresh, '{ viewer { email } }')).toEqual({
      requested: 1,
      actual: 1,
      remaining: 599_999,
      limit: 600_000,
    })
    const list = await cost(world, '{ contacts(first: 10) { nodes { id email } } }')
    expect([list.requested, list.actual]).toEqual([11, 2])
    const next = await cost(world, '{ viewer { email } }')
    expect(next.remaining).toBe(list.remaining - 1)
  })

  it('grows with the page size', async () => {
    const world = await newWorld()
    const document = 'query ($n: Int, $l: Int) { contacts(first: $n, last: $l) { nodes { id } } }'
    const ten = (await cost(world, document, { n: 10 })).requested
    expect((await cost(world, document, { n: 100 })).requested).toBeGreaterThan(ten * 9)
    expect((await cost(world, document, { l: 100 })).requested).toBeGreaterThan(ten * 9)
    expect((await cost(world, document, {})).requested).toBeGreaterThan(ten * 4)
  })

  it('uses the variables of each request, even if the document was cached with cheaper ones', async () => {
    const world = await newWorld()
    const document = 'query ($n: Int) { tags(first: $n) { nodes { contacts(first: $n) { nodes { tags { id } } } } } }'
    await world.run(document, { n: 5 })
    expect(await world.fault(document, { n: 100 })).toMatchObject(tooComplex)
    await world.run(document, { n: 5 })
    expect(await world.socket().ask(document, { n: 100 })).toMatchObject({ errors: [tooComplex] })
  })

  it('is checked before execution', async () => {
    const world = await newWorld()
    const { id } = await world.tag('kept')
    const document = `mutation ($id: ID!) { tagUpdate(input: { id: $id, name: "changed" }) { tag {
      contacts(first: 100) { nodes { tags { contacts(first: 100) { nodes { id } } } } } } } }`
    expect(await world.fault(document, { id })).toMatchObject(tooComplex)
    expect((await world.run('query ($id: ID!) { tag(id: $id) { name } }', { id })).tag.name).toBe('kept')
  })

  it('is limited per minute for the whole account', async () => {
    const world = await newWorld({ server: await newServer({ COST_LIMIT_PER_MINUTE: '20000' }) })
    const contact = await world.contact()
    await world.rows(
      `WITH made AS (INSERT INTO tag (account_id, name, created_at) SELECT $1, 'tag ' || n, now() FROM generate_series(1, 1000) n RETURNING *)
       INSERT INTO contact_tag SELECT account_id, $2, id, now() FROM made`,
      [world.accountId, contact.databaseId],
    )
    const names = Array.from({ length: 28 }, (_, index) => `a${index}: name`).join(' ')
    const document = `query ($id: ID!) { contact(ref: { id: $id }) { tags { ${names} } } }`
    let last: Record<string, unknown> = {}
    for (let asked = 0; asked < 25 && !last['errors']; asked += 1)
      last = (await world.ask(document, { id: contact.id })).body
    expect(last).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) } }],
    })
    expect((await world.fault(document, { id: contact.id }, { key: await world.key() })).extensions.code).toBe(
      'RATE_LIMITED',
    )
    await (await world.other()).run('{ viewer { email } }')
  })
})

describe('the number of requests', () => {
  it('is limited per account: over all keys, HTTP and sockets', async () => {
    const world = await newWorld({ server: await newServer({ RATE_LIMIT_PER_MINUTE: '6' }) })
    const other = await world.other()
    const second = await world.key()
    const first = await world.ask('{ __typename }')
    expect(first.body.extensions.rateLimit).toEqual({ limit: 6, remaining: 5, resetSeconds: expect.any(Number) })
    expect(first.headers.get('x-ratelimit-remaining')).toBe('5')
    expect((await world.ask('{ nothing }', {}, { key: second })).headers.get('x-ratelimit-remaining')).toBe('4')
    const socket = world.socket()
    expect(await socket.ask('{ __typename }')).toMatchObject({ extensions: { rateLimit: { remaining: 3 } } })
    expect(await socket.ask('{ __typename }')).toMatchObject({ extensions: { rateLimit: { remaining: 2 } } })
    await fetch(`${world.server.url}/v1/tags`, { headers: { authorization: `Bearer ${second}` } })
    expect((await world.ask('{ __typename }')).body.extensions.rateLimit.remaining).toBe(0)

    for (const key of [world.mainKey, second]) {
      const away = await world.ask('{ __typename }', {}, { key })
      expect(away.status).toBe(429)
      const seconds = Number(away.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(away.headers.get('x-ratelimit-remaining')).toBe('0')
      expect(away.body).toEqual({
        errors: [
          { message: expect.stringContaining('6'), extensions: { code: 'RATE_LIMITED', retryAfterSeconds: seconds } },
        ],
        extensions: { rateLimit: { limit: 6, remaining: 0, resetSeconds: seconds } },
      })
    }
    expect(await socket.ask('{ __typename }')).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) } }],
    })
    await other.run('{ __typename }')
  })

  it('is not reduced by an unsigned proof', async () => {
    const world = await newWorld({ server: await newServer({ RATE_LIMIT_PER_MINUTE: '2' }) })
    const seconds = Math.floor(Date.now() / 1000)
    const headers = { 'x-campanile-bridge': `${seconds}.${'0'.repeat(64)}` }
    const statuses: number[] = []
    for (let asked = 0; asked < 3; asked += 1)
      statuses.push((await world.ask('{ __typename }', {}, { headers })).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it('does not include requests without a valid key', async () => {
    const world = await newWorld({ server: await newServer({ RATE_LIMIT_PER_MINUTE: '1' }) })
    for (let asked = 0; asked < 5; asked += 1)
      expect((await world.ask('{ __typename }', {}, { key: 'bad' })).status).toBe(401)
    await world.run('{ __typename }')
  })
})
