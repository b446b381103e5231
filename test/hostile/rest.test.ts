import { describeHostile, type HostileRequest, type HostileServer, type Reply } from './frame.ts'

const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}${close.repeat(depth)}`
const times = (text: string, count: number) => text.repeat(count)
const list = <Item>(length: number, item: (place: number) => Item) =>
  Array.from({ length }, (_each, place) => item(place))

const json = { 'content-type': 'application/json' }
const post = (path: string, body: string | Buffer | object) => (server: HostileServer) =>
  server.ask(path, { method: 'POST', headers: json, body })
const get = (path: string) => (server: HostileServer) => server.ask(path)

/** Creates an import of contacts and uploads a file to it. */
async function importOf(server: HostileServer, file: string | Buffer): Promise<readonly (Reply | undefined)[]> {
  const data = await server.world.run('mutation { contactImportCreate(input: {}) { uploadUrl } }')
  const { pathname } = new URL(data.contactImportCreate.uploadUrl)
  return [await server.ask(pathname, { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: file })]
}

/** Text that makes patterns backtrack. */
const prone = {
  address: `${times('a', 40_000)}@${times('a.', 20_000)}`,
  'another address': `${times('a.', 40_000)}@`,
  link: `https://${times('a-', 40_000)}`,
  'another link': `http://${times('%', 40_000)}@[${times(':', 10_000)}`,
  time: `${times('0', 50_000)}-01-01T00:00:00Z`,
  spaces: times(' ', 90_000),
  'line breaks': times('\r\n', 45_000),
  'combining marks': times('\u0301', 40_000),
  'flags and families': times('👨‍👩‍👧‍👦', 4_000),
} as const

const requests: HostileRequest[] = [
  { name: '1 MB of nested arrays', send: post('/v1/contact', nested('[', ']', 500_000)) },
  { name: '1 MB of nested objects', send: post('/v1/contact', `${times('{"a":', 150_000)}1${times('}', 150_000)}`) },
  { name: 'nested arrays in a known field', send: post('/v1/contact', `{"email":${nested('[', ']', 300_000)}}`) },
  {
    name: 'half a million numbers',
    send: post('/v1/contact', `{"email":"a@b.example","tags":[${times('1,', 400_000)}1]}`),
  },
  { name: '100,000 fields', send: post('/v1/contact', Object.fromEntries(list(60_000, (place) => [`f${place}`, 1]))) },
  {
    name: 'the keys of prototypes',
    send: post(
      '/v1/contact',
      '{"__proto__":{"email":"a@b.example"},"constructor":{"prototype":{"a":1}},"email":"p@b.example"}',
    ),
  },
  { name: 'numbers beyond all bounds', send: post('/v1/contact', `{"email":${times('9', 500_000)}}`) },
  { name: 'an exponent beyond all bounds', send: post('/v1/contact', '{"email":1e999999999}') },
  {
    name: 'bytes that are no UTF-8',
    send: post('/v1/contact', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  },
  { name: 'NUL in text', send: post('/v1/contact', '{"email":"a@b.example","first_name":"\\u0000"}') },
  {
    name: 'halves of surrogates',
    send: post('/v1/contact', `{"email":"a@b.example","first_name":"${times('\\ud800', 10_000)}"}`),
  },
  { name: 'a body of 10 MB', send: post('/v1/contact', times(' ', 10_000_000)) },
  {
    name: 'a compressed body that grows a thousandfold',
    send: async (server) => {
      const { gzipSync } = await import('node:zlib')
      const body = gzipSync(Buffer.alloc(200_000_000, ' '))
      return server.ask('/v1/contact', { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body })
    },
  },
  { name: '5,000 query parameters', send: get(`/v1/contacts?${list(2_000, (place) => `a${place}=1`).join('&')}`) },
  { name: 'one parameter a thousand times', send: get(`/v1/contacts?${times('page=1&', 1_900)}`) },
  { name: 'a list parameter a thousand times', send: get(`/v1/contacts?${times('tag_ids[]=1&', 1_100)}`) },
  {
    name: 'parameters that are numbers beyond all bounds',
    send: get(`/v1/contacts?page=${times('9', 10_000)}&per_page=-1e400`),
  },
  { name: 'malformed escapes in a query', send: get('/v1/contacts?email=%E0%A4%A&%=%&=%00') },
  { name: 'a search of wildcards', send: get(`/v1/contacts?email=${times('%25_', 3_000)}`) },
  ...Object.entries(prone).flatMap(([kind, text]): HostileRequest[] => [
    {
      name: `${kind} that patterns are prone to, in a contact`,
      send: post('/v1/contact', { email: text, first_name: text, phone: text }),
    },
    {
      name: `${kind} that patterns are prone to, in campaigns and webhooks`,
      send: async (server) => [
        await post('/v1/webhook', { url: text, name: text, events: [text] })(server),
        await post('/v1/campaign', { name: text, subject: text, from_email: text, scheduled_for: text })(server),
      ],
    },
  ]),
  {
    name: 'a webhook for 50,000 events',
    send: post('/v1/webhook', { url: 'https://a.example', name: 'a', events: list(50_000, () => 'contact.created') }),
  },
  { name: 'an import of one line of 10 MB', send: (server) => importOf(server, times('a', 10_000_000)) },
  {
    name: 'an import with a quote that never closes',
    send: (server) => importOf(server, `email\n"${times('a,\n', 3_000_000)}`),
  },
  {
    name: 'an import of 100,000 columns',
    send: (server) => importOf(server, `${times('a,', 100_000)}email\n${times('1,', 100_000)}a@b.example\n`),
  },
  {
    name: 'an import of NUL and bytes that are no text',
    send: (server) => importOf(server, Buffer.alloc(2_000_000, 0)),
  },
  { name: 'an import of empty lines', send: (server) => importOf(server, `email\n${times('\n', 5_000_000)}`) },
  {
    name: 'a report of bounces that is deep',
    send: (server) =>
      server.ask('/hooks/bounces/generic', {
        method: 'POST',
        headers: { ...json, authorization: 'Bearer a-key-that-only-tests-know' },
        body: `{"a":${nested('[', ']', 100_000)}}`,
      }),
  },
  {
    name: 'a report of 5,000 bounces',
    send: (server) =>
      server.ask('/hooks/bounces/generic', {
        method: 'POST',
        headers: { ...json, authorization: 'Bearer a-key-that-only-tests-know' },
        body: list(2_000, (place) => ({ email: `a${place}@b.example`, type: 'hard' })),
      }),
  },
  {
    name: 'tokens that we did not make',
    send: async (server) =>
      await Promise.all(
        ['t/o', 't/c', 't/v', 'u', 'd', 'i', 'c'].flatMap((kind) =>
          [times('a', 10_000), '..%2f..%2f', '%00', `${times('a.', 5_000)}`, 'export.', '%F0%9F%92%A9'].map((token) =>
            server.ask(`/${kind}/${token}`),
          ),
        ),
      ),
  },
  {
    name: 'a page with giant cookies',
    send: (server) => server.ask('/p/hostile/1/a', { headers: { cookie: times('a=b; ', 2_500) } }),
  },
  { name: 'a page with a giant query', send: get(`/p/hostile/1/a?${times('email=a@b.example&', 600)}`) },
  {
    name: 'a form with thousands of answers',
    send: async (server) => {
      const form = await server.world.form()
      const fields = list(5_000, (place) => `answers[${place}][question]=${place}&q${place}=${place}`).join('&')
      const body = { answers: list(5_000, (place) => ({ question_id: place, value: 'a' })) }
      return [
        await server.ask(`/f/${form.databaseId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: fields,
        }),
        await server.ask(`/f/${form.databaseId}`, { method: 'POST', body }),
        await server.ask(`/f/${form.databaseId}`, { method: 'POST', headers: json, body: nested('[', ']', 100_000) }),
        await server.ask(`/f/${form.databaseId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `a${nested('[a', ']', 50_000)}=1`,
        }),
      ]
    },
  },
  {
    name: 'multipart nonsense',
    send: async (server) =>
      await Promise.all(
        ['/v1/contact', '/f/1', '/p/hostile/1/a', '/hooks/bounces/mailgun', '/graphql'].map((path) =>
          server.ask(path, {
            method: 'POST',
            headers: { 'content-type': `multipart/form-data; boundary=${times('-', 1_000)}` },
            body: times(`${times('-', 1_000)}\r\n`, 200),
          }),
        ),
      ),
  },
]

describeHostile('REST', requests)
