import { connect, type Socket } from 'node:net'
import { createClient } from 'graphql-ws'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { Limiter } from '../../src/kernel/work/rate-limiter.ts'
import { until } from '../runtime/process.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** Maximum numbers of requests per account and of executing ones, with a pool of one connection. */
const [present, running] = [32, 3]

const query = '{ viewer { email } }'

/** Starts a server that delays charging costs until it is released, so that requests stay in execution. */
async function newHeld() {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  let begun = 0
  const plenty = 1_000_000_000
  const tally = { limit: plenty, remaining: plenty, resetSeconds: 60, isExceeded: false }
  const free: Limiter = { limit: plenty, take: async () => tally, release: () => undefined }
  let isHeld = true
  const cost: Limiter = {
    ...free,
    take: async () => {
      begun += 1
      if (isHeld) await held
      return tally
    },
  }
  const limiters = {
    ...{ requests: free, cost },
    posts: { perAddress: free, perForm: free, perEmail: free, flood: { perAddress: free, perForm: free } },
    ...{ isShared: () => false, processes: () => 1, close: async () => undefined },
  }
  const server = await newServer({ DATABASE_POOL_SIZE: '1' }, { limiters })
  return {
    server,
    letGo,
    begun: () => begun,
    /** Stops delaying further requests. */
    pass: () => {
      isHeld = false
    },
  }
}

async function gauge({ url }: Server, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  )
}

const waiting = 'campanile_concurrent_requests{limiter="api",state="waiting"}'

/** Returns the numbers of requests by transport and status, such as `graphql 200`. */
async function statusesOf({ url }: Server): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.matchAll(/^campanile_request_seconds_count\{transport="(\w+)",.*status="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries(
    Array.from(lines, ([, transport, status, count]) => [`${transport} ${status}`, Number(count)]),
  )
}

/** Opens a connection and writes bytes. What the server sends is read only by a listener of `data`. */
function open({ url }: Server, bytes: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined).write(bytes)
  onTestFinished(() => void socket.destroy())
  return socket
}

const rest = (world: World) =>
  fetch(`${world.server.url}/v1/contacts`, { headers: { authorization: `Bearer ${world.mainKey}` } })

describe('requests beyond the capacity', () => {
  it('are queued up to a limit, are refused with 503 above it, and do not block another account', async () => {
    const { server, letGo, begun, pass } = await newHeld()
    const world = await newWorld({ server })
    const flood: ReturnType<World['ask']>[] = []
    // A request that is refused because the process is busy is sent again until the queue is full.
    await until(async () => {
      const there = await gauge(server, 'campanile_concurrent_requests{limiter="api",state="waiting"}')
      for (let count = there + begun(); count < present; count += 1) flood.push(world.ask(query))
      return there === present - running
    })
    expect(begun()).toBe(running)
    pass()
    const [refused, inRest, overSocket] = await Promise.all([world.ask(query), rest(world), world.socket().ask(query)])
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.body.errors[0].extensions).toEqual({ code: 'UNAVAILABLE', retryAfterSeconds: expect.any(Number) })
    expect(inRest.status).toBe(503)
    expect(Number(inRest.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await inRest.json()).toMatchObject({ success: false, error: { code: 'SERVER_ERROR' } })
    expect(overSocket.errors?.[0]?.extensions).toMatchObject({ code: 'UNAVAILABLE' })
    expect(
      await gauge(server, 'campanile_concurrent_requests_refused{limiter="api",reason="full"}'),
    ).toBeGreaterThanOrEqual(3)

    const other = await world.other()
    expect((await other.ask('{ viewer { email } }')).status).toBe(200)
    for (const path of ['/livez', '/readyz', '/metrics']) expect((await fetch(`${server.url}${path}`)).status).toBe(200)
    expect((await fetch(`${server.url}/u/none`)).status).toBeLessThan(500)

    letGo()
    const responses = await Promise.all(flood)
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(running)
    expect(responses.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    expect((await world.ask('{ viewer { email } }')).status).toBe(200)
  })

  it('are refused without execution after their maximum wait', async () => {
    const { server, letGo, begun } = await newHeld()
    const world = await newWorld({ server })
    const flood = Array.from({ length: running + 3 }, () => world.ask(query))
    await until(
      async () => (await gauge(server, 'campanile_concurrent_requests_refused{limiter="api",reason="timeout"}')) === 3,
    )
    letGo()
    const responses = await Promise.all(flood)
    expect(responses.filter(({ status }) => status === 503)).toHaveLength(3)
    expect(begun()).toBe(running)
  })

  it('of visitors are counted by network: an IPv6 client has many addresses', async () => {
    const server = await newServer({ DATABASE_POOL_SIZE: '1', TRUST_PROXY: '1' })
    const form = await (await newWorld({ server })).form()
    const blocker = new pg.Client({ connectionString: server.databaseUrl })
    await blocker.connect()
    onTestFinished(() => blocker.end())
    await blocker.query('BEGIN; LOCK TABLE form')
    // A request that is refused because the process is busy is sent again.
    const visit = async (place: number): Promise<Response> => {
      const headers = { 'x-forwarded-for': `2001:db8:0:1::${place}` }
      const reply = await fetch(`${server.url}/f/${form.databaseId}`, { headers })
      return reply.status === 503 ? visit(place) : reply
    }
    const replies = Array.from({ length: running + 1 }, (_, place) => visit(place))
    const count = (state: string) => gauge(server, `campanile_concurrent_requests{limiter="visitors",state="${state}"}`)
    await until(async () => (await count('running')) + (await count('waiting')) === running + 1)
    expect([await count('running'), await count('waiting')]).toEqual([running, 1])
    await blocker.query('COMMIT')
    await Promise.all(replies)
  })

  it('leave the queue when their client disconnects, are counted as closed, and keep their place while executed', async () => {
    const { server, letGo, begun } = await newHeld()
    const world = await newWorld({ server })
    const controller = new AbortController()
    const headers = { authorization: `Bearer ${world.mainKey}`, 'content-type': 'application/json' }
    const { signal } = controller
    const ask = () =>
      fetch(`${server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }), signal })
    const flood = Array.from({ length: running + 5 }, () => ask().catch(() => undefined))
    await until(async () => (await gauge(server, waiting)) === 5)
    const inRest = Array.from({ length: 2 }, () =>
      fetch(`${server.url}/v1/contacts`, { headers, signal }).catch(() => undefined),
    )
    await until(async () => (await gauge(server, waiting)) === 7)
    controller.abort()
    await Promise.all([...flood, ...inRest])
    await until(async () => (await gauge(server, waiting)) === 0)
    expect(await gauge(server, 'campanile_concurrent_requests{limiter="api",state="running"}')).toBe(running)
    expect(await gauge(server, 'campanile_concurrent_requests_closed{limiter="api"}')).toBe(7)
    letGo()
    await until(async () => (await gauge(server, 'campanile_concurrent_requests{limiter="api",state="running"}')) === 0)
    expect(begun()).toBe(running)
    const counts = await statusesOf(server)
    expect(counts).toMatchObject({ 'graphql closed': 5, 'v1 closed': 2 })
    expect(Object.keys(counts).filter((name) => name.endsWith(' 503'))).toEqual([])
    expect(server.errors).toEqual([])
  })

  it('over WebSocket leave the queue when the socket is closed', async () => {
    const { server, letGo, begun } = await newHeld()
    const world = await newWorld({ server })
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      connectionParams: { authorization: `Bearer ${world.mainKey}` },
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      lazyCloseTimeout: 10_000,
    })
    onTestFinished(async () => client.dispose())
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    // More than eleven on one socket, at which Node warns about its listeners.
    const asked = running + 15
    const ends = Array.from(
      { length: asked },
      () =>
        new Promise((resolve) => {
          client.subscribe({ query }, { next: () => undefined, error: resolve, complete: () => resolve(undefined) })
        }),
    )
    await until(async () => (await gauge(server, waiting)) === asked - running)
    client.terminate()
    await Promise.all(ends)
    await until(async () => (await gauge(server, waiting)) === 0)
    letGo()
    await until(async () => (await gauge(server, 'campanile_concurrent_requests{limiter="api",state="running"}')) === 0)
    expect(begun()).toBe(running)
    expect(await statusesOf(server)).toMatchObject({ 'websocket closed': asked - running })
    expect(warnings).toEqual([])
  })
})

describe('requests that a client sends before it has a response', () => {
  it('are executed one after another, and answered in their order', async () => {
    const { server, letGo, begun } = await newHeld()
    const world = await newWorld({ server })
    const ask = (name: string) => {
      const body = JSON.stringify({ query: `{ ${name}: viewer { email } }` })
      const headers = `Host: localhost\r\nAuthorization: Bearer ${world.mainKey}\r\nContent-Type: application/json`
      return `POST /graphql HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    }
    let text = ''
    open(server, ask('first') + ask('second')).on('data', (part) => {
      text += part
    })
    await until(() => begun() === 1)
    // The packet was read whole: a later request has its response.
    await fetch(`${server.url}/livez`)
    expect(begun()).toBe(1)
    expect(await gauge(server, waiting)).toBe(0)
    letGo()
    await until(() => text.includes('second'))
    expect(Array.from(text.matchAll(/"(first|second)"/g), ([, name]) => name)).toEqual(['first', 'second'])
  })

  it('end the connection if they are more than a client can wait for', async () => {
    const { server, letGo, begun } = await newHeld()
    const world = await newWorld({ server })
    const ask = `GET /v1/contacts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.mainKey}\r\n\r\n`
    const socket = open(server, ask.repeat(1_500)).resume()
    await until(() => socket.destroyed)
    expect(begun()).toBeLessThanOrEqual(1)
    letGo()
    expect((await world.ask(query)).status).toBe(200)
  })

  it('for files that it does not read take the places of its address alone, until they make no progress', async () => {
    const hour = 3_600_000
    const timeouts = { bodyMs: hour, responseMs: hour, transferMs: hour }
    const server = await newServer({ TRUST_PROXY: '1' }, { timeouts })
    const file = (address: string) =>
      `GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`
    const count = (state: string) =>
      gauge(server, `campanile_concurrent_requests{limiter="downloads",state="${state}"}`)
    // Longer in all than what the operating system takes for a client that does not read.
    const sockets = Array.from({ length: 80 }, () => open(server, file('192.0.2.1').repeat(20)).pause())
    await until(async () => (await count('running')) === 64 && (await count('waiting')) > 0)
    const headers = { 'x-forwarded-for': '192.0.2.2' }
    expect((await fetch(`${server.url}/docs/swagger-ui-bundle.js`, { headers })).status).toBe(200)
    timeouts.transferMs = 100
    for (const socket of sockets) socket.destroy()
    await until(async () => (await count('running')) === 0)
    const stuck = open(server, file('192.0.2.1').repeat(20)).pause()
    // A client that does not read notices by writing that its connection was closed.
    await until(() => {
      stuck.write('\r\n')
      return stuck.destroyed
    })
    expect(await count('running')).toBe(0)
  })
})
