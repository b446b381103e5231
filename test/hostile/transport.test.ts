import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { describeHostile, type HostileRequest, type HostileServer, type Reply } from './frame.ts'

/** Number of connections, if one would have no effect. */
const many = 50

const upgrade = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol: graphql-transport-ws',
    '',
    '',
  ].join('\r\n')

/** Opens many connections, writes on each, and resets each after a different delay. */
async function reset(server: HostileServer, bytes: string): Promise<undefined> {
  await Promise.all(
    Array.from({ length: many }, async (_each, place) => {
      const socket = await server.open()
      socket.write(bytes)
      // At once, in the same turn of the event loop, and later: the server has another listener each time.
      if (place % 3 === 1) await new Promise(setImmediate)
      if (place % 3 === 2) await pause(place)
      socket.resetAndDestroy()
    }),
  )
}

const post = (headers: string, body = '') => `POST /v1/contact HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`

const ask = (key: string, query = '{ contacts(first: 50) { nodes { email } } }') => {
  const body = JSON.stringify({ query })
  const headers = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /graphql HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`
}

const requests: HostileRequest[] = [
  ...['/', '/graphql', '/graphql/', '/v1/contacts', '/livez', '//', '/%00'].map((path) => ({
    name: `an upgrade to ${path} that is reset`,
    send: (server: HostileServer) => reset(server, upgrade(path)),
  })),
  {
    name: 'an upgrade to another path, which is ignored',
    send: async (server) => {
      const reply = await server.raw(upgrade('/socket'))
      expect(reply?.status).toBe(404)
      return reply
    },
  },
  ...['/livez', '/v1/openapi.json', '/graphql', '/'].map((path) => ({
    name: `an upgrade to HTTP/2 at ${path}, which is ignored`,
    send: async (server: HostileServer) => {
      const plain = upgrade(path).replace(/Connection: Upgrade\r\n|Upgrade: websocket\r\n|Sec-[^\r]*\r\n/g, '')
      const settings = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n'
      const [without, reply] = [
        await server.raw(plain),
        await server.raw(plain.replace(/\r\n\r\n$/, `\r\n${settings}\r\n`)),
      ]
      expect(reply?.status).toBe(without?.status)
      expect(reply?.body).not.toBe('')
      return reply
    },
  })),
  {
    name: 'an upgrade to HTTP/2 of a request with a body, which is served',
    send: async (server) => {
      const reply = await server.raw(
        post(
          'Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Type: application/json\r\nContent-Length: 26',
          '{"query":"{ __typename }" }',
        ),
      )
      expect(reply?.body).toMatch(/__typename|UNAUTHORIZED/)
      return reply
    },
  },
  {
    name: 'an upgrade to another protocol',
    send: (server) => server.raw(upgrade('/graphql').replace('websocket', 'x')),
  },
  {
    name: 'an upgrade without the key of WebSocket',
    send: (server) => server.raw(upgrade('/graphql').replace(/Sec-WebSocket-Key.*\r\n/, '')),
  },
  {
    name: 'bytes after an upgrade that are no frame',
    send: (server) => server.raw(`${upgrade('/graphql')}${'\xff'.repeat(10_000)}`),
  },
  { name: 'CONNECT', send: (server) => server.raw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n') },
  {
    name: 'a request that is reset while its body is sent',
    send: (server) => reset(server, post('Content-Length: 1000', '{')),
  },
  {
    name: 'a request that is reset before its answer',
    send: (server) => reset(server, 'GET /v1/contacts HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  },
  {
    name: 'a GraphQL request that is reset while its body is sent',
    send: (server) => reset(server, ask(server.key).slice(0, -1)),
  },
  {
    name: 'a GraphQL request that is reset before its answer',
    send: (server) => reset(server, ask(server.key)),
  },
  {
    name: 'a thousand GraphQL requests in one packet',
    send: async (server) => {
      const last = ask(server.key).replace('Host', 'Connection: close\r\nHost')
      const reply = await server.raw(`${ask(server.key).repeat(999)}${last}`, 20_000)
      expect(reply?.body.match(/HTTP\/1.1 (200|503) /g)).toHaveLength(1_000)
      return reply
    },
  },
  {
    name: 'headers that are sent by half, on many connections',
    send: async (server) => {
      const sockets = await Promise.all(Array.from({ length: many }, () => server.open()))
      for (const socket of sockets) socket.write('GET /v1/contacts HTTP/1.1\r\nHost: loc')
      await pause(500)
      for (const socket of sockets) socket.destroy()
      return undefined
    },
  },
  {
    name: 'bodies that come byte by byte, on many connections',
    send: async (server) => {
      const sockets = await Promise.all(Array.from({ length: many }, () => server.open()))
      const headers = `Authorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: 100000`
      for (const socket of sockets) socket.write(post(headers))
      for (let turn = 0; turn < 20; turn += 1) {
        for (const socket of sockets) socket.write('{')
        await pause(20)
      }
      for (const socket of sockets) socket.destroy()
      return undefined
    },
  },
  { name: 'no HTTP at all', send: (server) => server.raw('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.repeat(100)) },
  {
    name: 'a header of 1 MB',
    send: (server) => server.raw(`GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(1_000_000)}\r\n\r\n`),
  },
  {
    name: 'a thousand headers',
    send: (server) =>
      server.raw(
        `GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${Array.from({ length: 1_000 }, (_, i) => `a${i}: b\r\n`).join('')}\r\n`,
      ),
  },
  { name: 'a path of 15 kB', send: (server) => server.ask(`/v1/${'%61/'.repeat(4_000).slice(0, 15_000)}`) },
  {
    name: 'content length and chunks together',
    send: (server) =>
      server.raw(post('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\nGET /livez HTTP/1.1\r\n\r\n')),
  },
  {
    name: 'two content lengths',
    send: (server) => server.raw(post('Content-Length: 5\r\nContent-Length: 6', 'aaaaaa')),
  },
  {
    name: 'a chunk of negative size',
    send: (server) => server.raw(post('Transfer-Encoding: chunked', '-1\r\nabc\r\n')),
  },
  {
    name: 'a thousand requests in one packet',
    send: (server) =>
      server.raw(
        `${'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000)}GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        10_000,
      ),
  },
  {
    name: 'a body on GET',
    send: (server) =>
      server.raw(
        `GET /v1/contacts HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n${'a'.repeat(100_000)}`,
      ),
  },
  {
    name: 'Expect: 100-continue without a body',
    send: (server) => server.raw(post('Expect: 100-continue\r\nContent-Length: 10'), 1_000),
  },
  { name: 'NUL in the path', send: (server) => server.raw('GET /v1/\x00 HTTP/1.1\r\nHost: x\r\n\r\n') },
  {
    name: 'encoded NUL, slashes and dots in the path',
    send: async (server) =>
      await Promise.all(
        [
          '/%00',
          '/v1/%2e%2e/%2e%2e/etc/passwd',
          '/p/%00',
          '/f/%00',
          '/f/%ff',
          '/t/%E0%A4%A',
          '/u/%00',
          '/p/..%5c..%5c',
          '/docs/%2e%2e/x',
        ].map((path) => server.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)),
      ),
  },
  {
    name: 'hosts that are none',
    send: async (server) =>
      await Promise.all(
        ['', '[', '[::1', 'a:b:c', '%00', 'x'.repeat(5_000), '../..', '127.0.0.1:99999', '"'].map((host) =>
          server.raw(`GET /p/a HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
        ),
      ),
  },
  {
    name: 'many connections that say nothing',
    send: async (server) => {
      const sockets = await Promise.all(Array.from({ length: 300 }, () => server.open()))
      await pause(200)
      for (const socket of sockets) socket.resetAndDestroy()
      return undefined
    },
  },
  {
    name: 'authorizations that are none',
    send: async (server) => {
      const keys = [
        '',
        'Bearer',
        'Bearer ',
        `Bearer ${'a'.repeat(10_000)}`,
        'Basic Og==',
        `Bearer ${' '.repeat(5_000)}x`,
        'Bearer \xff',
      ]
      const replies: Reply[] = []
      for (const authorization of keys) replies.push(await server.ask('/v1/contacts', { headers: { authorization } }))
      return replies
    },
  },
]

describeHostile('transport', requests)
