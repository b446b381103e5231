import { createClient as createSseClient } from 'graphql-sse'
import { createClient } from 'graphql-ws'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { iterate } from '../../src/client/index.ts'
import { hashOf } from '../../src/kernel/web/tokens.ts'
import { follow as followSocket } from '../events/stream.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newTrustingServer } from '../support/trusting-server.ts'
import { newWorld, type World } from '../support/world.ts'

const Create = 'mutation ($input: AccessTokenCreateInput!) { accessTokenCreate(input: $input) { token expiresAt } }'
const Created = 'subscription { events(types: [CONTACT_CREATED]) { cursor ... on ContactEvent { contact { email } } } }'

const newToken = async (world: World, input: object = { scopes: ['CONTACTS_READ'] }): Promise<string> =>
  (await world.run(Create, { input })).accessTokenCreate.token

/** Opens a URL as `EventSource` does: with GET, and without a header for the key. */
async function open(
  { url }: World['server'],
  token: string,
  query = Created,
  { accept = 'text/event-stream', more = {} }: { accept?: string; more?: Record<string, string> } = {},
) {
  const parameters = new URLSearchParams({ query, accessToken: token })
  const response = await fetch(`${url}/graphql?${parameters}`, { headers: { accept, ...more } })
  let text = ''
  const read = async () => {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>)
      text += new TextDecoder().decode(chunk)
  }
  const end = read().catch(() => undefined)
  return { status: response.status, headers: response.headers, text: () => text, end }
}

const Followed = `subscription ($after: String) {
  events(after: $after, types: [CONTACT_CREATED]) { cursor ... on ContactEvent { contact { email } } } }`

interface Handlers {
  email(email: string): void
  /** Receives the error with which the client ended the subscription, or `complete`. */
  end(error: unknown): void
}

/** Clients of other projects, which reconnect by themselves. Each returns what ends it. */
const followers: Record<
  string,
  (world: World, after: string, authorization: () => Promise<string>, handlers: Handlers) => () => void
> = {
  'graphql-ws': ({ server }, after, authorization, { email, end }) => {
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      connectionParams: async () => ({ authorization: await authorization() }),
      retryWait: async () => undefined,
    })
    client.subscribe<FollowedEvent>({ query: Followed, variables: { after } }, sinkOf(email, end))
    return () => void client.dispose()
  },
  'graphql-sse': ({ server }, after, authorization, { email, end }) => {
    const client = createSseClient({
      url: `${server.url}/graphql`,
      headers: async () => ({ authorization: await authorization() }),
      retry: async () => undefined,
    })
    client.subscribe<FollowedEvent>({ query: Followed, variables: { after } }, sinkOf(email, end))
    return () => client.dispose()
  },
}

interface FollowedEvent extends Record<string, unknown> {
  events: { contact: { email: string } }
}

function sinkOf(email: Handlers['email'], end: Handlers['end']) {
  return {
    next: ({ data, errors }: { data?: FollowedEvent | null | undefined; errors?: unknown }) => {
      if (data) email(data.events.contact.email)
      else end(errors)
    },
    error: end,
    complete: () => end('complete'),
  }
}

/**
 * Returns a world whose clock only moves on request. Its tokens expire when their timers fire, but a server that is slow does not
 * refuse them before.
 */
async function newTimedWorld(): Promise<{ timed: World; pass: (seconds: number) => void }> {
  let now = new Date()
  const timed = await newWorld({ server: await newServer({}, { clock: { now: () => now } }) })
  const pass = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1000)
  }
  return { timed, pass }
}

let world: World
beforeAll(async () => {
  world = await newWorld()
})

describe('an access token', () => {
  it('opens a subscription by its URL alone, with the scopes of the token', async () => {
    const { token, expiresAt } = (await world.run(Create, { input: { scopes: ['CONTACTS_READ'], ttlSeconds: 60 } }))
      .accessTokenCreate
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
    // A mutation is refused by GET in any case.
    expect(asEvents.text()).toMatch(/FORBIDDEN|Send a mutation with POST/)
    expect(asEvents.text()).not.toContain('"data"')
    expect(await world.fault(query, {}, { key: token })).toMatchObject({ extensions: { code: 'FORBIDDEN' } })
    expect(await world.socket({ key: token }).ask(query)).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    })
    const post = await fetch(`${world.server.url}/graphql?accessToken=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    })
    expect(await post.text()).toContain('FORBIDDEN')
    expect(JSON.stringify(world.server.errors)).not.toContain(token)
    expect(await world.rows("SELECT FROM tag WHERE name = 'x'")).toHaveLength(0)
  })

  it('is no API key of the REST API, and no key is read from the URL', async () => {
    const token = await newToken(world)
    const rest = await fetch(`${world.server.url}/v1/contacts`, { headers: { authorization: `Bearer ${token}` } })
    expect(rest.status).toBe(401)
    expect((await open(world.server, world.mainKey)).status).toBe(401)
  })

  it.each(['ws', 'sse'] as const)(
    'opens a subscription in the header, and the client goes on with the next: %s',
    async (transport) => {
      let asked = 0
      const key = async () => {
        asked += 1
        return newToken(world, { scopes: ['CONTACTS_READ'], ttlSeconds: 2 })
      }
      const causes = new Set<string>()
      const events = iterate<{ contact: { email: string } }>({
        url: `${world.server.url}/graphql`,
        key,
        query: Followed,
        transport,
        backOff: () => 1,
        onResume: ({ cause }) => causes.add(cause.code),
      })
      await events.started
      const emails: string[] = []
      for (let n = 0; n < 3; n += 1) {
        const { email } = await world.contact()
        emails.push(email)
        expect((await events.next()).value?.event.contact.email).toBe(email)
        // The next contact is created after the token has expired.
        if (n < 2) await until(() => asked >= n + 3)
      }
      expect([...causes]).toEqual(['CONNECTION_LOST'])
      events.close()
    },
  )

  it.each(['ws', 'sse'] as const)('ends the subscription of a client that has no other one: %s', async (transport) => {
    const { timed, pass } = await newTimedWorld()
    const key = await newToken(timed, { scopes: ['CONTACTS_READ'], ttlSeconds: 1 })
    const causes: string[] = []
    const events = iterate({
      url: `${timed.server.url}/graphql`,
      key,
      query: Followed,
      transport,
      backOff: () => 0,
      onResume: ({ cause }) => {
        causes.push(cause.code)
        pass(1)
      },
    })
    await events.started
    await expect(events.next()).rejects.toMatchObject({ code: 'UNAUTHORIZED', isFinal: true })
    expect(causes).toEqual(['CONNECTION_LOST'])
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
    const { timed, pass } = await newTimedWorld()
    const token = await newToken(timed, { scopes: ['CONTACTS_READ'], ttlSeconds: 1 })
    const stream = await open(timed.server, token)
    expect(stream.status).toBe(200)
    await stream.end
    // A client that receives `complete` or an error would not subscribe again.
    expect(stream.text()).toMatch(/^(:\n\n)+$/)
    pass(1)
    expect((await open(timed.server, token)).status).toBe(401)
  })

  it.each(Object.entries(followers))('lets a client go on with the next one: %s', async (_name, follow) => {
    const { timed } = await newTimedWorld()
    const received: string[] = []
    const ends: unknown[] = []
    const tokens: string[] = []
    const { eventCursor: after } = await timed.run('{ eventCursor }')
    const authorization = async () => {
      const token = await newToken(timed, { scopes: ['CONTACTS_READ'], ttlSeconds: 1 })
      tokens.push(token)
      return `Bearer ${token}`
    }
    const stop = follow(timed, after, authorization, {
      email: (email) => received.push(email),
      end: (error) => ends.push(error),
    })
    onTestFinished(stop)
    const { email: first } = await timed.contact()
    await until(() => tokens.length >= 2 || ends.length > 0)
    const { email: second } = await timed.contact()
    await until(() => received.includes(second) || ends.length > 0)
    // The follower sends the cursor of its start again.
    expect(new Set(received)).toEqual(new Set([first, second]))
    expect(ends).toEqual([])
  })

  it('closes its socket with 4403 when it expires, also if no operation is running', async () => {
    const { timed } = await newTimedWorld()
    const token = await newToken(timed, { scopes: ['CONTACTS_READ'], ttlSeconds: 1 })
    const socket = timed.socket({ key: token })
    expect((await socket.ask('{ eventCursor }')).data).toEqual({ eventCursor: expect.any(String) })
    expect(await socket.closed).toBe(4403)
  })

  it('closes its socket with 4403 if an operation arrives after the expiry, and opens none afterwards', async () => {
    const { timed, pass } = await newTimedWorld()
    const token = await newToken(timed, { scopes: ['CONTACTS_READ'], ttlSeconds: 900 })
    const socket = timed.socket({ key: token })
    await socket.ask('{ eventCursor }')
    pass(900)
    await expect(socket.ask('{ eventCursor }')).rejects.toMatchObject({ code: 4403 })
    expect(await socket.closed).toBe(4403)
    await expect(timed.socket({ key: token }).ask('{ eventCursor }')).rejects.toMatchObject({ code: 4401 })
  })

  it('closes its socket with 4401 if its key was disabled', async () => {
    const key = await world.key({ scopes: ['contacts:read'] })
    const { token } = (await world.run(Create, { input: { scopes: ['CONTACTS_READ'] } }, { key })).accessTokenCreate
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const stream = await followSocket({ server: world.server, key: token }, Followed, { after })
    await world.contact()
    await stream.upTo(1)
    const [row] = await world.rows('SELECT id FROM api_key WHERE hash = $1', [hashOf(key)])
    await world.run('mutation ($id: ID!) { apiKeyDisable(input: { id: $id }) { apiKey { id } } }', row as object)
    expect(await stream.end).toEqual({ code: 4401 })
  })

  it('ends with its key', async () => {
    const key = await world.key({ scopes: ['contacts:read'] })
    const { token } = (await world.run(Create, { input: { scopes: ['CONTACTS_READ'] } }, { key })).accessTokenCreate
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

describe('an access token with documents', () => {
  const Allowed = 'query Allowed { contacts(first: 1) { nodes { email } } }'
  const Other = 'query Other { contacts(first: 2) { nodes { email } } }'
  const documents = [hashOf(Allowed)]

  it('executes these queries by their hash or text, over HTTP and sockets, and no other document', async () => {
    const trusting = await newWorld({ server: await newTrustingServer([Allowed, Other, Created]) })
    const { email } = await trusting.contact()
    const key = await newToken(trusting, { scopes: ['CONTACTS_READ'], documents })
    const byHash = await fetch(`${trusting.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ documentId: hashOf(Allowed) }),
    })
    expect((await byHash.json()).data.contacts.nodes).toEqual([{ email }])
    expect((await trusting.run(Allowed, {}, { key })).contacts.nodes).toEqual([{ email }])
    expect((await trusting.socket({ key }).ask(Allowed)).data.contacts.nodes).toEqual([{ email }])
    for (const query of [Other, `${Allowed} `, '{ viewer { email } }']) {
      expect(await trusting.fault(query, {}, { key })).toMatchObject({ extensions: { code: 'FORBIDDEN' } })
    }
    const stream = await open(trusting.server, key)
    await stream.end
    expect(stream.text()).toContain('FORBIDDEN')
  })

  it('executes no document that the server does not trust, although its hash is named', async () => {
    const key = await newToken(world, { scopes: ['CONTACTS_READ'], documents })
    expect(await world.fault(Allowed, {}, { key })).toMatchObject({ extensions: { code: 'FORBIDDEN' } })
  })

  it('has at most 50 of them, which fit into a header', async () => {
    const many = Array.from({ length: 50 }, (_, n) => hashOf(String(n)))
    const token = await newToken(world, { scopes: ['CONTACTS_READ'], documents: many })
    expect(token.length).toBeLessThan(3_000)
    expect(await world.fault(Allowed, {}, { key: token })).toMatchObject({ extensions: { code: 'FORBIDDEN' } })
  })
})

describe('accessTokenCreate', () => {
  it.each([
    ['no scopes', { scopes: [] }, 'scopes'],
    ['a scope to write', { scopes: ['CONTACTS_READ', 'CONTACTS_WRITE'] }, 'scopes.1'],
    ['full access', { scopes: ['FULL_ACCESS'] }, 'scopes.0'],
    ['a time to live of more than 15 minutes', { scopes: ['CONTACTS_READ'], ttlSeconds: 901 }, 'ttlSeconds'],
    ['no document', { scopes: ['CONTACTS_READ'], documents: [] }, 'documents'],
    ['a document that is no hash', { scopes: ['CONTACTS_READ'], documents: ['{ viewer { email } }'] }, 'documents.0'],
    ['too many documents', { scopes: ['CONTACTS_READ'], documents: Array(51).fill('0'.repeat(64)) }, 'documents'],
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
