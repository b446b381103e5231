import { beforeAll, describe, expect, it } from 'vitest'
import { hashOf } from '../../src/kernel/web/tokens.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const Create = 'mutation ($input: StreamTokenCreateInput!) { streamTokenCreate(input: $input) { token expiresAt } }'
const Created = 'subscription { events(types: [CONTACT_CREATED]) { cursor ... on ContactEvent { contact { email } } } }'

const newToken = async (world: World, input: object = { scopes: ['CONTACTS_READ'] }): Promise<string> =>
  (await world.run(Create, { input })).streamTokenCreate.token

/** Opens a URL as `EventSource` does: with GET, and without a header for the key. */
async function open(
  { url }: World['server'],
  token: string,
  query = Created,
  { accept = 'text/event-stream', more = {} }: { accept?: string; more?: Record<string, string> } = {},
) {
  const parameters = new URLSearchParams({ query, streamToken: token })
  const response = await fetch(`${url}/graphql?${parameters}`, { headers: { accept, ...more } })
  let text = ''
  const read = async () => {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>)
      text += new TextDecoder().decode(chunk)
  }
  const end = read().catch(() => undefined)
  return { status: response.status, headers: response.headers, text: () => text, end }
}

let world: World
beforeAll(async () => {
  world = await newWorld()
})

describe('a stream token', () => {
  it('opens a subscription by its URL alone, with the scopes of the token', async () => {
    const { token, expiresAt } = (await world.run(Create, { input: { scopes: ['CONTACTS_READ'], ttlSeconds: 60 } }))
      .streamTokenCreate
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(50_000)
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000)
    const stream = await open(world.server, token)
    expect([stream.status, stream.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    const { email } = await world.contact()
    await until(() => stream.text().includes(email))

    const other = await open(world.server, token, 'subscription { events(types: [ORDER_CREATED]) { cursor } }')
    await other.end
    expect(other.text()).toContain('FORBIDDEN')
  })

  it('is accepted by another process with the same secret', async () => {
    const second = await newServer({ DATABASE_URL: world.server.databaseUrl })
    const stream = await open(second, await newToken(world))
    expect(stream.status).toBe(200)
    const { email } = await world.contact()
    await until(() => stream.text().includes(email))
  })

  it.each([
    '{ viewer { email } }',
    '{ contacts { totalCount } }',
    'mutation { tagCreate(input: { name: "x" }) { tagId } }',
  ])('executes no other operation: %s', async (query) => {
    const token = await newToken(world)
    const asEvents = await open(world.server, token, query)
    await asEvents.end
    expect(asEvents.text()).toContain('FORBIDDEN')
    expect(asEvents.text()).not.toContain('"data"')
    const asJson = await open(world.server, token, query, { accept: 'application/json' })
    await asJson.end
    expect([asJson.status, asJson.text()]).toEqual([401, expect.stringContaining('UNAUTHORIZED')])
    const post = await fetch(`${world.server.url}/graphql?streamToken=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    })
    expect(await post.text()).toContain('FORBIDDEN')
    expect(JSON.stringify(world.server.errors)).not.toContain(token)
    expect(await world.rows("SELECT FROM tag WHERE name = 'x'")).toHaveLength(0)
  })

  it('is no API key, neither in the header, nor over WebSocket, nor of the REST API', async () => {
    const token = await newToken(world)
    expect((await world.ask('{ viewer { email } }', {}, { key: token })).status).toBe(401)
    await expect(world.socket({ key: token }).ask('{ viewer { email } }')).rejects.toMatchObject({ code: 4401 })
    const rest = await fetch(`${world.server.url}/v1/contacts?streamToken=${token}`)
    expect(rest.status).toBe(401)
  })

  it('does not open a subscription if it was altered', async () => {
    const token = await newToken(world)
    const other = token.at(-2) === 'A' ? 'B' : 'A'
    for (const wrong of ['', 'nonsense', `${token.slice(0, -2)}${other}${token.slice(-1)}`, token.slice(4)]) {
      const stream = await open(world.server, wrong)
      await stream.end
      expect([stream.status, stream.text()], wrong).toEqual([401, expect.stringContaining('UNAUTHORIZED')])
    }
  })

  it('ends its streams when it expires, and opens none afterwards', async () => {
    let now = new Date()
    const server = await newServer({}, { clock: { now: () => now } })
    const timed = await newWorld({ server })
    const token = await newToken(timed, { scopes: ['CONTACTS_READ'], ttlSeconds: 1 })
    const stream = await open(server, token)
    expect(stream.status).toBe(200)
    await stream.end
    expect(stream.text()).toContain('The stream token has expired.')
    expect(stream.text()).toMatch(/event: complete\ndata:\n\n$/)
    now = new Date(now.getTime() + 1_000)
    expect((await open(server, token)).status).toBe(401)
  })

  it('ends with its key', async () => {
    const key = await world.key({ scopes: ['contacts:read'] })
    const { token } = (await world.run(Create, { input: { scopes: ['CONTACTS_READ'] } }, { key })).streamTokenCreate
    const stream = await open(world.server, token)
    const [row] = await world.rows('SELECT id FROM api_key WHERE hash = $1', [hashOf(key)])
    await world.run('mutation ($id: ID!) { apiKeyDisable(input: { id: $id }) { apiKey { id } } }', row as object)
    await stream.end
    expect(stream.text()).toContain('UNAUTHORIZED')
    await expect.poll(async () => (await open(world.server, token)).status).toBe(401)
  })

  it('is counted against the request limit of its account', async () => {
    const limited = await newWorld({ server: await newServer({ RATE_LIMIT_PER_MINUTE: '3' }) })
    const token = await newToken(limited)
    const statuses: number[] = []
    for (let time = 0; time < 3; time += 1) statuses.push((await open(limited.server, token)).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})

describe('streamTokenCreate', () => {
  it.each([
    ['no scopes', { scopes: [] }, 'scopes'],
    ['a scope to write', { scopes: ['CONTACTS_READ', 'CONTACTS_WRITE'] }, 'scopes.1'],
    ['full access', { scopes: ['FULL_ACCESS'] }, 'scopes.0'],
    ['a time to live of more than 15 minutes', { scopes: ['CONTACTS_READ'], ttlSeconds: 901 }, 'ttlSeconds'],
    ['a time to live of nothing', { scopes: ['CONTACTS_READ'], ttlSeconds: 0 }, 'ttlSeconds'],
  ])('returns VALIDATION_ERROR for %s', async (_name, input, field) => {
    const fault = await world.fault(Create, { input })
    expect(fault.extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { [`input.${field}`]: [expect.any(String)] },
      fields: [{ path: `input.${field}`, code: expect.any(String), message: expect.any(String) }],
    })
  })

  it('returns FORBIDDEN for a scope that the key does not have', async () => {
    const key = await world.key({ scopes: ['contacts:read'] })
    const fault = await world.fault(Create, { input: { scopes: ['CONTACTS_READ', 'FORMS_READ'] } }, { key })
    expect(fault).toMatchObject({ message: expect.stringContaining('FORMS_READ'), extensions: { code: 'FORBIDDEN' } })
  })

  it('returns VALIDATION_ERROR for an idempotency key, because the response contains a secret', async () => {
    const headers = { 'idempotency-key': 'k' }
    const fault = await world.fault(Create, { input: { scopes: ['CONTACTS_READ'] } }, { headers })
    expect(fault.extensions).toEqual({ code: 'VALIDATION_ERROR' })
    expect(fault.message).toContain('Idempotency-Key')
  })
})
