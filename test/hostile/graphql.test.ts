import { expect } from 'vitest'
import WebSocket from 'ws'
import { describeHostile, type HostileRequest, type HostileServer, type Reply } from './frame.ts'

/** Maximum size of an error response, in bytes. */
const mostBytes = 20_000

const times = (count: number, each: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => each(index)).join(between)

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

const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
const filtered = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { nodes { id } } }'
const counted = 'query ($first: Int) { contacts(first: $first) { nodes { id } } }'
const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}${close.repeat(depth)}`
const raw = (query: string, variables: string) => `{"query":${JSON.stringify(query)},"variables":${variables}}`
const doubled = (count: number, directive = '') =>
  `{ ...f0 } ${times(count, (index) => `fragment f${index} on Query { ...f${index + 1} ${directive} ...f${index + 1} ${directive} }`)} fragment f${count} on Query { __typename }`

/** Hostile variables. */
const variables: readonly [name: string, body: object | string][] = [
  ['4,000 unknown fields in a variable', { query: filtered, variables: { filter: unknownFields(4_000) } }],
  ['60,000 unknown fields in a variable', { query: filtered, variables: { filter: unknownFields(60_000) } }],
  ['unknown fields with long names', { query: filtered, variables: { filter: { ['x'.repeat(900_000)]: 1 } } }],
  [
    '40,000 wrong items in a list',
    { query: filtered, variables: { filter: { tags: { any: Array(40_000).fill({ a: 1 }) } } } },
  ],
  ['400,000 items in a list', { query: filtered, variables: { filter: { tags: { any: Array(400_000).fill(1) } } } }],
  [
    '400 wrong variables',
    { query: `query (${times(330, (index) => `$v${index}: Int!`)}) { __typename }`, variables: {} },
  ],
  ['lists nested 200,000 deep', raw(filtered, `{"filter":{"tags":{"any":${nested(200_000, '[', ']')}}}}`)],
  ['objects nested 100,000 deep', raw(filtered, `{"filter":${nested(100_000, '{"a":', '}').replace(':}', ':1}')}}`)],
  ['a megabyte of text for a number', { query: counted, variables: { first: 'x'.repeat(1_000_000) } }],
  ['a megabyte of digits', { query: counted, variables: { first: '9'.repeat(1_000_000) } }],
  ['a number beyond all bounds', raw(counted, '{"first":1e999}')],
  [
    '40,000 wrong names of an enumeration',
    {
      query:
        'query ($types: [ConsentKind!]) { contacts(first: 1) { nodes { consents(filter: { kind: $types }) { totalCount } } } }',
      variables: { types: Array.from({ length: 40_000 }, (_, index) => `GDPR${index}`) },
    },
  ],
  [
    'a megabyte for an enumeration',
    {
      query: 'query ($period: Period!) { salesAmount(period: $period) { amount } }',
      variables: { period: 'LAST_30_DAYS'.repeat(80_000) },
    },
  ],
  ['names that every object has', raw(filtered, '{"filter":{"__proto__":{"a":1},"constructor":1,"toString":1}}')],
  ['variables that are no object', { query: filtered, variables: Array(100_000).fill(1) }],
]

/** Hostile documents. */
const documents: readonly [name: string, query: string][] = [
  ['500 unknown directives', `{ viewer { ${times(480, (index) => `email @d${index}`)} } }`],
  ['one directive 600 times', `{ viewer { email ${'@skip(if: false) '.repeat(240)} } }`],
  ['1,900 unknown fields', `{ ${times(1_900, (index) => `contact${index}`)} }`],
  [
    '1,900 unknown fields that are nearly known',
    `{ account { ${times(1_900, (index) => `billingSubscription${index}`)} } }`,
  ],
  ['a name of 200,000 letters', `{ ${'a'.repeat(200_000)} }`],
  ['names of 500 letters', `{ ${times(450, (index) => `${'contacts'.repeat(60)}${index}`)} }`],
  ['480 unknown arguments', `{ contacts(${times(480, (index) => `first${index}: 1`)}) { totalCount } }`],
  ['a field 1,990 times', `{ ${'__typename '.repeat(1_990)} }`],
  ['an object 490 times', `{ ${'viewer { email } '.repeat(490)} }`],
  [
    'a series of 1,000 days 130 times',
    `{ account { ${times(130, (index) => `a${index}: series(figure: ORDERS, range: { from: "20${String(index % 90).padStart(2, '0')}-01-0${1 + (index % 9)}", to: "20${String((index % 90) + 2).padStart(2, '0')}-09-01" }) { total }`)} } }`,
  ],
  ['a list with arguments 130 times', `{ ${'contacts(first: 1) { nodes { id } } '.repeat(130)} }`],
  [
    'fields that conflict, in fragments',
    `{ ${times(190, (index) => `...f${index}`)} } ${times(190, (index) => `fragment f${index} on Query { a: viewer }`)}`,
  ],
  [
    'fields that double at each level',
    `{ ${Array.from({ length: 7 }).reduce<string>((inner) => `account { contacts { nodes { ${inner} } } } account { contacts { nodes { ${inner} } } }`.slice(0, 200_000), 'id')} }`,
  ],
  ['fragments that double, used always', doubled(120).replace('__typename', 'nothing')],
  ['fragments that double, used under a condition', doubled(90, '@include(if: true)')],
  [
    'fragments that use themselves',
    '{ ...a } fragment a on Query { viewer { email } ...b } fragment b on Query { ...a ...b }',
  ],
  [
    'fragments that use themselves below',
    '{ account { ...a } } fragment a on Account { contacts { nodes { account { ...a ...a } } } }',
  ],
  ['fragments inside of fragments', `{ ${nested(600, '... on Query { ', '} ').replace('{ }', '{ nothing }')} }`],
  [
    '240 fragments that nothing uses',
    `{ __typename } ${times(240, (index) => `fragment f${index} on Query { __typename }`)}`,
  ],
  ['330 operations', times(330, (index) => `query q${index} { __typename }`)],
  ['operations of one name', times(330, () => 'query q { __typename }')],
  ['480 variables', `query (${times(330, (index) => `$v${index}: Nothing`)}) { __typename }`],
  ['aliases at each level', `{ ${times(31, (index) => `a${index}: viewer { email }`)} }`],
  ['a document of comments', `${'#\n'.repeat(490_000)}{ nothing }`],
  ['a document of blanks', `{ nothing ${' '.repeat(900_000)} }`],
  ['a text of newlines', `{ tag(id: """${'\n'.repeat(900_000)}""") { nothing } }`],
  ['a text of 40,000 lines', `{ tag(id: """${'  x\n'.repeat(40_000)}""") { nothing } }`],
  ['a text of escapes', `{ tag(id: "${'\\u0041'.repeat(40_000)}") { nothing } }`],
  ['a text of half a character', `{ tag(id: "${'\\uD83D'.repeat(100)}") { id } }`],
  ['levels without end', nested(990, '{ a ', '}')],
  ['an operation that does not close', '{ a '.repeat(990)],
  ['a list nested 900 deep', `{ contacts(filter: { tags: { any: ${nested(900, '[', ']')} } }) { totalCount } }`],
  [
    'an object nested 400 deep',
    `{ contacts(filter: ${nested(400, '{ a: ', '}').replace(': }', ': 1 }')}) { totalCount } }`,
  ],
  [
    'introspection of types of types',
    '{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }',
  ],
  [
    'introspection thirty times',
    `{ ${times(30, (index) => `a${index}: __schema { types { fields { name args { name } } } }`)} }`,
  ],
  [
    'a page that cannot be shown',
    '{ contacts(first: 100) { nodes { tags { contacts(first: 100) { nodes { tags { name } } } } } } }',
  ],
]

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
      await expect.poll(() => refusals.length, { timeout: 20_000 }).toBe(400)
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
