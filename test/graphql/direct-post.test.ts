import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Limiter } from '../../src/kernel/work/rate-limiter.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

// A POST to the path alone does not pass through Koa. One with an empty query string does.
const [direct, throughKoa] = ['/graphql', '/graphql?']

/** What a client sends: bytes, or the end of its side of the connection. */
type Packet = Buffer | 'end'

const interim = 'HTTP/1.1 100 Continue\r\n\r\n'

/** Returns how many complete responses a text consists of. Undefined if the last one is not complete, or has no length. */
function countResponses(text: string): number | undefined {
  let count = 0
  for (let rest = text.replace(interim, ''); rest !== ''; count += 1) {
    const body = rest.indexOf('\r\n\r\n') + 4
    const head = rest.slice(0, body)
    const length = Number(/^Content-Length: (\d+)/m.exec(head)?.[1])
    if (body < 4 || Number.isNaN(length) || rest.length < body + length) return undefined
    rest = rest.slice(body + length)
  }
  return count
}

const query = JSON.stringify({ query: '{ __typename }' })
const json = 'Content-Type: application/json\r\n'

describe('POST /graphql without Koa', () => {
  let world: World
  let port: number
  beforeAll(async () => {
    world = await newWorld()
    port = Number(new URL(world.server.url).port)
  })

  const key = () => `Authorization: Bearer ${world.mainKey}\r\n`

  /** Returns the bytes of a request whose headers contain its length. */
  const post = (path: string, body: string | Buffer, headers = json, method = 'POST') =>
    Buffer.concat([
      Buffer.from(
        `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${key()}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
      ),
      Buffer.from(body),
    ])

  const chunked = (path: string, ...chunks: string[]) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${key()}${json}Transfer-Encoding: chunked\r\n\r\n${[...chunks, ''].map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')}`,
    )

  /**
   * Sends packets, one after the other. Returns what the server sends until it has responded to all requests, or closed the
   * connection.
   */
  const send = async (packets: readonly Packet[], requests: number): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    let text = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
      if (countResponses(text) === requests) socket.destroy()
    })
    for (const [place, packet] of packets.entries()) {
      // The server has read a packet before it serves a later connection.
      if (place > 0) await fetch(`${world.server.url}/livez`)
      if (packet === 'end') socket.end()
      else socket.write(packet)
    }
    if (!socket.closed) await once(socket, 'close')
    return text
  }

  /** Removes what differs between two equal requests. */
  const normal = (response: string) =>
    response
      .replace(/^Date: .*\r\n/gm, '')
      .replace(/^(X-RateLimit-(Remaining|Reset)): \d+/gm, '$1')
      .replace(/"(remaining|resetSeconds)":\d+/g, '"$1"')
      .split('\r\n\r\n')
      .map((part) => (part.startsWith('HTTP/1.1') ? part.split('\r\n').sort().join('\r\n') : part))
      .join('\r\n\r\n')
      .replace(/^Content-Length: \d+/gm, 'Content-Length')

  it.each<[string, number | undefined, (path: string) => Packet[]]>([
    ['a query', 200, (path) => [post(path, query)]],
    ['a charset', 200, (path) => [post(path, query, 'Content-Type: application/json; charset=utf-8\r\n')]],
    [
      'the newer media type',
      200,
      (path) => [post(path, query, `${json}Accept: application/graphql-response+json\r\n`)],
    ],
    ['server-sent events', 200, (path) => [post(path, query, `${json}Accept: text/event-stream\r\n`)]],
    ['a connection that is not kept', 200, (path) => [post(path, query, `${json}Connection: close\r\n`)]],
    ['a body after its headers', 200, (path) => [post(path, query).subarray(0, -query.length), Buffer.from(query)]],
    ['a body in parts', 200, (path) => [post(path, query).subarray(0, -9), Buffer.from(query.slice(-9))]],
    [
      'text of several bytes in parts',
      200,
      (path) => {
        const bytes = post(path, JSON.stringify({ query: '{ __typename }', extensions: { note: 'Zoë €' } }))
        const middle = bytes.indexOf('€') + 1
        return [bytes.subarray(0, middle), bytes.subarray(middle)]
      },
    ],
    ['chunks', 200, (path) => [chunked(path, query.slice(0, 9), query.slice(9))]],
    ['Expect: 100-continue', 100, (path) => [post(path, query, `${json}Expect: 100-continue\r\n`)]],
    [
      'several requests in a packet',
      200,
      (path) => [Buffer.concat([post(path, query), post(path, '{'), post(path, query)])],
    ],
    [
      'an unknown hash',
      200,
      (path) => [
        post(path, JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } })),
      ],
    ],
    ['an invalid document', 200, (path) => [post(path, '{"query":"{ nothing }"}')]],
    [
      'an invalid document in the newer media type',
      400,
      (path) => [post(path, '{"query":"{ nothing }"}', `${json}Accept: application/graphql-response+json\r\n`)],
    ],
    ['no document', 400, (path) => [post(path, '{}')]],
    ['invalid JSON', 400, (path) => [post(path, '{')]],
    ['an empty body', 400, (path) => [post(path, '')]],
    ['no body', 415, (path) => [Buffer.from(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${key()}${json}\r\n`)]],
    ['a list', 400, (path) => [post(path, `[${query}]`)]],
    ['another type', 415, (path) => [post(path, query, 'Content-Type: text/plain\r\n')]],
    ['no type', 415, (path) => [post(path, query, '')]],
    ['a compressed body', 415, (path) => [post(path, gzipSync(query), `${json}Content-Encoding: gzip\r\n`)]],
    ['a body over the limit', 413, (path) => [post(path, 'a'.repeat(1_048_577))]],
    ['chunks over the limit', 413, (path) => [chunked(path, 'a'.repeat(1_000_000), 'a'.repeat(1_000_000))]],
    ['a body that ends early', 400, (path) => [post(path, query).subarray(0, -1), 'end']],
    ['an invalid chunk', 400, (path) => [Buffer.concat([chunked(path, '{').subarray(0, -5), Buffer.from('x\r\n')])]],
    [
      'a subscription without a stream',
      406,
      (path) => [post(path, JSON.stringify({ query: 'subscription { events { cursor } }' }))],
    ],
    [
      'an invalid key',
      401,
      (path) => [
        Buffer.from(
          post(path, query)
            .toString()
            .replace(/Bearer \S+/, 'Bearer nonsense'),
        ),
      ],
    ],
    [
      'no key',
      401,
      (path) => [
        Buffer.from(
          post(path, query)
            .toString()
            .replace(/Authorization.*\r\n/, ''),
        ),
      ],
    ],
    [
      'introspection without a key',
      200,
      (path) => [
        Buffer.from(
          post(path, '{"query":"{ __schema { __typename } }"}')
            .toString()
            .replace(/Authorization.*\r\n/, ''),
        ),
      ],
    ],
    ['another method', 405, (path) => [post(path, query, json, 'PUT')]],
    [
      'HEAD',
      405,
      (path) => [Buffer.from(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n${key()}Connection: close\r\n\r\n`)],
    ],
  ])('responds to %s as Koa does', async (_name, status, packets) => {
    const requests = packets(direct).join('').split(' HTTP/1.1\r\n').length - 1
    const response = await send(packets(direct), requests)
    expect(response).toMatch(`HTTP/1.1 ${status} `)
    expect(normal(await send(packets(throughKoa), requests))).toBe(normal(response))
  })

  it('responds to an unexpected error as Koa does', async () => {
    const free: Limiter = {
      limit: 1_000,
      take: () => Promise.reject(new Error('nobody knows')),
      release: () => undefined,
    }
    const both = { perAddress: free, perForm: free }
    const limiters = { requests: free, cost: free, posts: { ...both, perEmail: free, flood: both } }
    const more = { isShared: () => false, processes: () => 1, close: async () => undefined }
    const server = await newServer({ DATABASE_URL: world.server.databaseUrl }, { limiters: { ...limiters, ...more } })
    const send = async (path: string) => {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.mainKey}`, 'content-type': 'application/json' },
        body: query,
      })
      const { date: _date, ...headers } = Object.fromEntries(response.headers)
      return { status: response.status, headers, body: (await response.text()).replace(/Quote \S+/, 'Quote') }
    }
    const response = await send(direct)
    expect(response).toMatchObject({ status: 500, body: expect.stringContaining('SERVER_ERROR') })
    expect(await send(throughKoa)).toEqual(response)
    expect(server.errors).toHaveLength(2)
  })
})
