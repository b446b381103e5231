import { expect } from 'vitest'
import WebSocket from 'ws'
import { until } from '../runtime/process.ts'
import { describeHostile, type HostileRequest, type HostileServer, type Reply } from './frame.ts'
import { documents, nested, times, variables } from './graphql-documents.ts'

/** Maximum size of an error response, in bytes. */
const mostBytes = 20_000

/** Sends a request that must be refused with few and short errors. */
async function refused(server: HostileServer, body: object | string, headers = {}): Promise<Reply> {
  const options =
    typeof body === 'string' ? { body, headers: { 'content-type': 'application/json', ...headers } } : { body, headers }
  const reply = await server.ask('/graphql', { method: 'POST', ...options })
  expect(reply.body.length).toBeLessThan(mostBytes)
  expect(reply.body).toMatch(/"(BAD_REQUEST|QUERY_TOO_COMPLEX|VALIDATION_ERROR|NOT_FOUND)"/)
  return reply
}

/** Sends operations over a socket. Returns the responses when each has one, or when the socket was closed. */
async function overSocket(server: HostileServer, operations: readonly object[]): Promise<Reply[]> {
  const socket = await openSocket(server)
  const replies: Reply[] = []
  const done = new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { type: string }
      if (message.type === 'next' || message.type === 'error') replies.push({ status: 200, body: String(data) })
      if (replies.length === operations.length) resolve()
    })
  })
  for (const [index, payload] of operations.entries())
    socket.send(JSON.stringify({ id: String(index), type: 'subscribe', payload }))
  await done
  socket.terminate()
  return replies
}

async function openSocket(server: HostileServer): Promise<WebSocket> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('open', resolve))
  const acknowledged = new Promise((resolve) => socket.once('message', resolve))
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${server.key}` } }))
  await acknowledged
  return socket
}

const post = (body: object) => (server: HostileServer) => server.ask('/graphql', { method: 'POST', body })

const requests: HostileRequest[] = [
  ...variables.map(([name, body]) => ({ name, send: (server: HostileServer) => refused(server, body) })),
  ...documents.map(([name, query]) => ({ name, send: (server: HostileServer) => refused(server, { query }) })),
  ...variables.slice(0, 4).map(([name, body]) => ({
    name: `${name}, over a socket`,
    send: async (server: HostileServer) => {
      const replies = await overSocket(server, [body as object])
      for (const { body: text } of replies) expect(text.length).toBeLessThan(mostBytes)
      return replies
    },
  })),
  {
    name: 'wrong variables of a subscription',
    send: (server) =>
      refused(
        server,
        {
          query: 'subscription ($types: [EventType!]) { events(types: $types) { type } }',
          variables: { types: Array(40_000).fill('NOTHING') },
        },
        { accept: 'text/event-stream' },
      ),
  },
  {
    name: 'series of 970 days, as many as a query may have',
    send: async (server) => {
      const series = (from: number) =>
        `a${from}: series(figure: ORDERS, range: { from: "${from}-01-01", to: "${from + 2}-08-27" }) { total }`
      const reply = await post({
        query: `{ account { ${times(9, (index) => series(2_010 + index))} } }`,
      })(server)
      expect(reply.body).toContain('"a2018":{"total":"0"}')
      return reply
    },
  },
  {
    name: 'the names of an operation and of a trusted document, a megabyte each',
    send: async (server) => [
      await refused(server, { query: 'query a { __typename }', operationName: 'x'.repeat(900_000) }),
      await refused(server, { documentId: 'x'.repeat(900_000) }),
      await refused(server, { extensions: { persistedQuery: { sha256Hash: 'x'.repeat(900_000) } } }),
    ],
  },
  {
    name: 'extensions nested 200,000 deep',
    send: (server) =>
      server.ask('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"query":"{ __typename }","extensions":{"a":${nested(200_000, '[', ']')}}}`,
      }),
  },
  {
    name: 'a webhook whose document is too large',
    send: (server) =>
      refused(server, {
        query:
          'mutation ($document: String) { webhookCreate(input: { url: "https://example.com/x", document: $document }) { webhook { id } } }',
        variables: { document: `subscription { events { ${'type '.repeat(1_900)} } }` },
      }),
  },
  {
    name: 'a webhook with a thousand unknown event types',
    send: (server) =>
      refused(server, {
        query:
          'mutation ($eventPatterns: [String!]) { webhookCreate(input: { url: "https://example.com/x", eventPatterns: $eventPatterns }) { webhook { id } } }',
        variables: { eventPatterns: Array(1_000).fill('nothing.happened') },
      }),
  },
  {
    name: 'the introspection that tools send',
    send: async (server) => {
      const { getIntrospectionQuery } = await import('graphql')
      return post({ query: getIntrospectionQuery() })(server)
    },
  },
  {
    name: 'more rows than may be loaded, interpreted and compiled',
    send: async (server) => {
      const replies: Reply[] = []
      for (let time = 0; time < 5; time += 1)
        replies.push(await refused(server, { query: '{ contacts(first: 100) { nodes { email tags { id name } } } }' }))
      return replies
    },
  },
  {
    name: 'as many fields as may be shown, interpreted and compiled',
    send: async (server) => {
      const names = times(19, (index) => `a${index}: name`)
      const replies: Reply[] = []
      for (let time = 0; time < 5; time += 1) {
        const reply = await post({ query: `{ contacts(first: 25) { nodes { tags { ${names} } } } }` })(server)
        expect(reply.body.length).toBeGreaterThan(1_000_000)
        replies.push(reply)
      }
      return replies
    },
  },
  {
    name: 'a thousand operations on a socket that reads nothing',
    send: async (server) => {
      const socket = await openSocket(server)
      socket.pause()
      const payload = { query: '{ contacts(first: 20) { nodes { tags { id name } } } }' }
      for (let index = 0; index < 1_000; index += 1)
        socket.send(JSON.stringify({ id: String(index), type: 'subscribe', payload }))
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      socket.terminate()
      return undefined
    },
  },
  {
    name: 'five hundred different subscriptions, and an event',
    send: async (server) => {
      const socket = await openSocket(server)
      const refusals: string[] = []
      let events = 0
      const { promise: reported, resolve } = Promise.withResolvers<void>()
      socket.on('message', (data) => {
        const text = String(data)
        if (text.includes('RATE_LIMITED')) refusals.push(text)
        if (text.includes('CONTACT_CREATED')) events += 1
        if (events === 100) resolve()
      })
      for (let index = 0; index < 500; index += 1) {
        const query = `subscription { events { n${index}: type ... on ContactEvent { contact { tags { id name } account { contacts(first: 20) { nodes { id email } } } } } } }`
        socket.send(JSON.stringify({ id: String(index), type: 'subscribe', payload: { query } }))
      }
      await until(() => refusals.length === 400)
      expect(refusals[0]).toContain('100 subscriptions')
      await server.world.contact()
      await reported
      socket.terminate()
      return undefined
    },
  },
]

describeHostile('GraphQL', requests, {
  // These requests would exhaust the cost points of the account.
  env: { COST_LIMIT_PER_MINUTE: '100000000' },
  prepare: async ({ world }) => {
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
    await world.rows('ANALYZE contact, tag, contact_tag')
  },
})
