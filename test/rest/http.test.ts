import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { v1Routes } from '../../rest-bridge/routes.ts'
import { check } from './check.ts'
import { type Answer, expectError, send } from './client.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()
const tight = useServers({ RATE_LIMIT_PER_MINUTE: '5' })

const tag = (name: string) => JSON.stringify({ name })

/** Sends bytes unchanged and returns the response as text when the server has closed the connection. */
async function raw(base: string, request: string): Promise<{ status: number; head: string; body: unknown }> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.end(request, 'utf8')
  const answer = await text(socket)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) }
}

describe.each(gateways)('HTTP, %s', (gateway) => {
  check(
    'HTTP/unreadable',
    'returns the error envelope for an invalid HTTP request, and closes the connection',
    async () => {
      const { [gateway]: base } = servers.urls
      const failure = { success: false, error: { code: 'VALIDATION_ERROR', message: expect.any(String) } }
      const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
      for (const [request, status] of [
        [get('/v1/contact?email=zoë@example.com'), 400],
        [get('/v1/tags', 'no colon\r\n'), 400],
        ['nonsense\r\n\r\n', 400],
        [get('/v1/tags', `X-Long: ${'x'.repeat(20_000)}\r\n`), 431],
        [get(`/v1/tags?page=${'1'.repeat(20_000)}`), 431],
      ] as const) {
        const response = await raw(base, request)
        expect(response, request.slice(0, 60)).toMatchObject({ status, body: failure })
        expect(response.head).toMatch(/^Content-Type: application\/json; charset=utf-8$/m)
        expect(response.head).toMatch(/^Connection: close$/m)
      }
      const graph = await raw(servers.urls['in-process'], get('/graphql?query=ë'))
      expect(graph).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] } })
    },
  )

  check('HTTP/body', 'returns 400 for a body that is not a JSON object', async () => {
    const world = await newWorld(servers, gateway)
    const bodies = [
      '{',
      'nonsense',
      '[]',
      '[{"name":"x"}]',
      'null',
      '1',
      '"x"',
      'true',
      '{"name":"x"} y',
      Uint8Array.of(0x7b, 0xff, 0x7d),
    ]
    for (const body of bodies) expectError(await world.call('POST', '/v1/tag', { body }), 400, 'VALIDATION_ERROR')
  })

  check('HTTP/body', 'treats an absent body as an empty object', async () => {
    const world = await newWorld(servers, gateway)
    for (const body of ['', undefined]) {
      expectError(await world.call('POST', '/v1/tag', { body }), 422, 'VALIDATION_ERROR', ['name'])
    }
  })

  check('HTTP/content-type', 'accepts only JSON in UTF-8', async () => {
    const world = await newWorld(servers, gateway)
    const wrong = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/jsonx',
      'multipart/form-data; boundary=x',
    ]
    for (const type of wrong) {
      const answer = await world.call('POST', '/v1/tag', { body: tag('x'), headers: { 'content-type': type } })
      expectError(answer, 400, 'VALIDATION_ERROR')
    }
    for (const [index, type] of ['application/json;charset=UTF-8', 'Application/JSON; charset="utf-8"'].entries()) {
      const answer = await world.call('POST', '/v1/tag', {
        body: tag(`tag ${index}`),
        headers: { 'content-type': type },
      })
      expect(answer.status).toBe(201)
    }
  })

  check('HTTP/size', 'returns 413 for more than 1 MiB, also after decompression', async () => {
    const world = await newWorld(servers, gateway)
    const large = tag('x'.repeat(1024 * 1024))
    expectError(await world.call('POST', '/v1/tag', { body: large }), 413, 'VALIDATION_ERROR')
    const bomb = gzipSync(tag('x'.repeat(50 * 1024 * 1024)))
    const answer = await world.call('POST', '/v1/tag', { body: bomb, headers: { 'content-encoding': 'gzip' } })
    expectError(answer, 413, 'VALIDATION_ERROR')
  })

  check('HTTP/encoding', 'decompresses gzip, deflate and br, and refuses other encodings', async () => {
    const world = await newWorld(servers, gateway)
    const packed = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }
    for (const [encoding, pack] of Object.entries(packed)) {
      const headers = { 'content-encoding': encoding }
      expect((await world.call('POST', '/v1/tag', { body: pack(tag(encoding)), headers })).status).toBe(201)
      expectError(await world.call('POST', '/v1/tag', { body: 'plain', headers }), 400, 'VALIDATION_ERROR')
    }
    const headers = { 'content-encoding': 'zstd' }
    expectError(await world.call('POST', '/v1/tag', { body: tag('x'), headers }), 400, 'VALIDATION_ERROR')
  })

  check('HTTP/404', 'is returned for unknown endpoints and for a trailing slash', async () => {
    const world = await newWorld(servers, gateway)
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/contacts/',
      '/v1/nowhere',
      '/v1/Contacts',
      '/v1/%63ontacts',
      '/v1//contacts',
      '//v1/contacts',
      '///v1',
      '/V1/contacts',
      '//V1//x',
    ]) {
      expectError(await world.call('GET', path), 404, 'NOT_FOUND')
    }
  })

  check('HTTP/405', 'returns the allowed methods', async () => {
    const world = await newWorld(servers, gateway)
    const answer = await world.call('PATCH', '/v1/contact')
    expectError(answer, 405, 'BAD_REQUEST')
    expect(answer.headers.get('allow')).toBe('GET, POST, PUT, DELETE, HEAD, OPTIONS')
    expect((await world.call('POST', '/v1/contacts')).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await world.call('HEAD', '/v1/contact-tag')).status).toBe(405)
    const options = await world.call('OPTIONS', '/v1/contact', { key: null })
    expect(options.status).toBe(204)
    expect(options.headers.get('allow')).toBe('GET, POST, PUT, DELETE, HEAD, OPTIONS')
  })

  check('HTTP/head', 'returns for HEAD what GET returns, without the body', async () => {
    const world = await newWorld(servers, gateway)
    const [get, head] = [await world.call('GET', '/v1/contacts'), await world.call('HEAD', '/v1/contacts')]
    expect(head).toMatchObject({ status: 200, body: undefined })
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect((await world.call('HEAD', '/v1/contact')).status).toBe(422)
  })

  check('HTTP/RATE_LIMITED', 'returns 429 with a message only', async () => {
    const world = await newWorld(tight, gateway)
    const answers: Answer[] = []
    for (let time = 0; time < 6; time += 1) answers.push(await world.call('GET', '/v1/api'))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['4', '3', '2', '1', '0', '0'])
    const last = answers.at(-1)
    expect(last?.body).toEqual({ message: expect.stringMatching(/too many attempts/i) })
    expect(last?.headers.get('x-ratelimit-limit')).toBe('5')
    const wait = Number(last?.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(Number(last?.headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60)
  })

  check('HTTP/RATE_LIMITED', 'counts every request once, including refused, unknown and malformed ones', async () => {
    const world = await newWorld(tight, gateway)
    const other = await world.keyWith(['forms:read'])
    const remaining = async (method: string, path: string, sent = {}) =>
      (await world.call(method, path, sent)).headers.get('x-ratelimit-remaining')
    expect(await remaining('GET', '/v1/nowhere')).toBe('4')
    expect(await remaining('POST', '/v1/tag', { body: '{' })).toBe('3')
    expect(await remaining('GET', '/v1/contact', { query: { contact_id: 1 }, key: other })).toBe('2')
    expect(await remaining('PATCH', '/v1/tag')).toBe('1')
    expect(await remaining('GET', '/tags', { key: null, query: { api_key: world.key } })).toBe('0')
    for (const path of ['/v1/nowhere', '/v1/contact', '/v1/contacts']) {
      expect((await world.call('GET', path)).body).toEqual({ message: expect.any(String) })
    }
    expect((await world.call('GET', '/v1/api', { key: 'nonsense' })).status).toBe(401)
  })

  check('HTTP/docs', 'serves its description and its reference without a key', async () => {
    const base = servers.urls[gateway]
    const description = await send(base, 'GET', '/openapi.json')
    expect(description.status).toBe(200)
    const count = Object.values(description.body.paths as object).flatMap((path) => Object.keys(path)).length
    expect(count).toBe(v1Routes.length)
    const page = await send(base, 'GET', '/docs')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const sources = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '')
    expect(sources).toHaveLength(3)
    for (const source of sources) {
      expect(source).toMatch(/^\/docs\//)
      const { status, headers } = await send(base, 'GET', source)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toMatch(source.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
    }
  })
})
