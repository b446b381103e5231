import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { unfinishedPerNetwork } from '../../src/server/http/slow-clients.ts'
import { until } from '../runtime/process.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** Number of requests of an account in execution, with a pool of one connection, and of unfinished bodies of a network. */
const [running, unfinished] = [3, unfinishedPerNetwork]

const hour = 3_600_000

/** Each test shortens the timeout that it is about. */
const timeouts = { bodyMs: hour, responseMs: hour, transferMs: hour }

const query = JSON.stringify({ query: '{ viewer { email } }' })

/** A connection of a client, with what it has read so far. */
interface Client {
  readonly socket: Socket
  readonly text: () => string
  readonly closed: Promise<unknown>
}

/** Returns a function that counts the timers of bodies that were set from now on and not cleared. */
function watchTimers(): () => number {
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
  return () => {
    const cleared = new Set<unknown>(clear.mock.calls.map(([timer]) => timer))
    return set.mock.results.filter(({ value }, place) => set.mock.calls[place]?.[1] === hour && !cleared.has(value))
      .length
  }
}

const countSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

// A POST to the path alone does not pass through Koa. One with an empty query string does.
const [direct, throughKoa] = ['/graphql', '/graphql?']

describe.each([
  ['without Koa', direct],
  ['through Koa', throughKoa],
])('POST /graphql %s, to a client that', (_way, path) => {
  let server: Server
  let world: World
  let port: number
  /** A query with a response of 9 MB, which is more than the operating system takes for a client that does not read. */
  let largeQuery: string
  beforeAll(async () => {
    server = await newServer({ DATABASE_POOL_SIZE: '1' }, { timeouts })
    world = await newWorld({ server })
    port = Number(new URL(server.url).port)
    const { id } = await world.campaign()
    const set = 'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaignId } }'
    await world.run(set, { input: { id, html: `<p>${'long '.repeat(180_000)}</p>` } })
    const fields = Array.from({ length: 10 }, (_, place) => `c${place}: campaign(id: "${id}") { email { html } }`)
    largeQuery = JSON.stringify({ query: `{ ${fields.join(' ')} }` })
  })
  beforeEach(() => {
    Object.assign(timeouts, { bodyMs: hour, responseMs: hour })
  })

  /** Returns the headers of a request, without the empty line at their end. */
  const head = (more: string, key = world.mainKey) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${more}`
  const post = (body: string) => `${head(`Content-Length: ${body.length}\r\n`)}\r\n${body}`
  const chunked = () => `${head('Transfer-Encoding: chunked\r\n')}\r\n`
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

  /** Opens a connection and writes bytes. A client that does not read fills what the operating system takes for it. */
  const open = async (bytes: string, { isReading = true } = {}): Promise<Client> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await once(socket, 'connect')
    let text = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
    })
    // It reads a little, so that the start of the response is seen.
    if (!isReading) socket.pause().read(0)
    socket.write(bytes)
    return { socket, text: () => text, closed }
  }
  const openAll = (count: number, bytes: string, options?: { isReading: boolean }) =>
    Promise.all(Array.from({ length: count }, () => open(bytes, options)))

  /** The server has read what was written before when it responds to a later request. */
  const turn = () => fetch(`${server.url}/livez`)

  const countRunning = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    return Number(/^campanile_concurrent_requests\{limiter="api",state="running"\} (\d+)$/m.exec(text)?.[1])
  }

  /** Checks that all places are free: as many requests as ever may be unfinished at a time, and are then executed. */
  const expectFree = async () => {
    const clients = await openAll(unfinished, post(query).slice(0, -1))
    await turn()
    // Together, so that a slot that was not released is missed.
    for (const { socket } of clients) socket.write(query.slice(-1))
    await until(() => clients.every(({ text }) => text().includes('"email"') || text().startsWith('HTTP/1.1 503 ')))
    expect(clients.filter(({ text }) => text().includes('"email"')).length).toBeGreaterThanOrEqual(running)
    for (const { socket, closed } of clients) {
      socket.destroy()
      await closed
    }
    await until(async () => (await countRunning()) === 0)
    // Koa logs the error of a socket during a response.
    if (path === direct) expect(server.errors).toEqual([])
  }

  it('sends no body is disconnected at the deadline', async () => {
    timeouts.bodyMs = 100
    const clients = await openAll(unfinished, post(query).slice(0, -query.length))
    await Promise.all(clients.map(({ closed }) => closed))
    expect(clients.map(({ text }) => text()).join('')).toBe('')
    timeouts.bodyMs = hour
    await expectFree()
  })

  it('stops in the middle of a body is disconnected at the deadline', async () => {
    timeouts.bodyMs = 100
    const clients = [
      ...(await openAll(unfinished / 2, post(query).slice(0, -5))),
      ...(await openAll(unfinished / 2, chunked() + chunk(query))),
    ]
    await Promise.all(clients.map(({ closed }) => closed))
    expect(clients.map(({ text }) => text()).join('')).toBe('')
    timeouts.bodyMs = hour
    await expectFree()
  })

  it('sends a body byte by byte is disconnected at the deadline, although it never stops', async () => {
    timeouts.bodyMs = 200
    const clients = await openAll(8, post(' '.repeat(1_000_000)).slice(0, -1_000_000))
    while (clients.some(({ socket }) => !socket.closed)) {
      for (const { socket } of clients) socket.write(' ')
      await turn()
    }
    expect(clients.map(({ text }) => text()).join('')).toBe('')
    timeouts.bodyMs = hour
    await expectFree()
  })

  it('sends a body in parts before the deadline gets its response', async () => {
    const { socket, text } = await open(post(query).slice(0, -query.length))
    for (const byte of query) {
      socket.write(byte)
      await turn()
    }
    await until(() => text().includes('"email"'))
    socket.destroy()
    await expectFree()
  })

  it.each([
    [
      'whose length is over the limit',
      413,
      () => `${head('Content-Length: 2000000\r\n')}\r\n`,
      (part: string) => part,
      '',
    ],
    ['of chunks that come to exceed the limit', 413, chunked, chunk, '0\r\n\r\n'],
    ['of chunks without a key', 401, () => chunked().replace(/Authorization.*\r\n/, ''), chunk, '0\r\n\r\n'],
  ])('sends a body %s gets %s, and its next request is served', async (_name, status, headers, encode, end) => {
    const { socket, text, closed } = await open(headers())
    const part = 'a'.repeat(100_000)
    for (let sent = 0; sent < 2_000_000; sent += part.length) {
      socket.write(encode(part))
      await turn()
    }
    await until(() => text().includes('\r\n\r\n'))
    expect(text()).toMatch(`HTTP/1.1 ${status} `)
    socket.write(end)
    socket.write(post(query))
    await until(() => text().includes('"email"'))
    socket.destroy()
    await closed
    await expectFree()
  })

  it.each([
    ['has no valid key', 401, () => head('Content-Length: 1000\r\n', 'nonsense')],
    ['sends a body that is too large', 413, () => head('Content-Length: 2000000\r\n')],
    ['sends another type', 415, () => head('Content-Length: 1000\r\n').replace('application/json', 'text/plain')],
  ])(
    '%s is refused at once, and disconnected at the deadline if its body does not end',
    async (_name, status, headers) => {
      timeouts.bodyMs = 300
      const clients = await openAll(8, `${headers()}\r\n{`)
      await Promise.all(clients.map(({ closed }) => closed))
      for (const { text } of clients) expect(text()).toMatch(`HTTP/1.1 ${status} `)
      timeouts.bodyMs = hour
      await expectFree()
    },
  )

  it('disconnects in the middle of a body leaves no slot and no timer', async () => {
    const countTimers = watchTimers()
    const clients = await openAll(unfinished, post(query).slice(0, -5))
    await until(() => countTimers() === unfinished)
    for (const { socket } of clients) socket.destroy()
    await Promise.all(clients.map(({ closed }) => closed))
    await until(() => countTimers() === 0)
    await expectFree()
  })

  it('does not read its response takes no slot, and is disconnected at the deadline', async () => {
    const whole = await open(post(largeQuery))
    await until(() => whole.text().endsWith('}}'))
    whole.socket.destroy()
    expect(whole.text()).toMatch(/^HTTP\/1.1 200 /)

    timeouts.responseMs = 500
    const clients = await openAll(running, post(largeQuery), { isReading: false })
    const before = countSockets()
    await until(() => clients.every(({ socket }) => socket.readableLength > 0))
    await until(async () => (await countRunning()) === 0)
    // The ends of the server are closed. Those of the clients are not, as long as there is something to read.
    await until(() => countSockets() <= before - running)
    for (const { socket } of clients) socket.resume()
    await Promise.all(clients.map(({ closed }) => closed))
    for (const { text } of clients) {
      expect(text()).toMatch(/^HTTP\/1.1 200 /)
      expect(text().length).toBeLessThan(whole.text().length)
    }
    await expectFree()
  })

  it('disconnects before it has read its response leaves no slot', async () => {
    const clients = await openAll(running, post(largeQuery), { isReading: false })
    await until(() => clients.every(({ socket }) => socket.readableLength > 0))
    await until(async () => (await countRunning()) === 0)
    for (const { socket } of clients) socket.destroy()
    await Promise.all(clients.map(({ closed }) => closed))
    await expectFree()
  })

  it('disconnects during the execution leaves no slot', async () => {
    const clients = await openAll(unfinished, post(largeQuery))
    for (const { socket } of clients) socket.resetAndDestroy()
    await Promise.all(clients.map(({ closed }) => closed))
    await until(async () => (await countRunning()) === 0)
    await expectFree()
  })
})
