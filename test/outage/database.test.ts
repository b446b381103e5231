// @module-tag rows
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { start, temporaryFolder, until } from '../runtime/process.ts'
import { newDatabase } from '../support/database.ts'
import { newProxyOf, type TcpProxy } from '../support/proxy.ts'
import { newServer, type Server } from '../support/server.ts'
import { countTicks } from '../support/timers.ts'
import { newWorld, type World } from '../support/world.ts'

/**
 * Requests are answered within so many half seconds in which the process runs. They usually need 6, and 130 if only the maximum
 * duration of a statement ended them.
 */
const most = 60

const kinds = {
  hangs: (proxy: TcpProxy) => proxy.freeze(),
  'is unavailable': (proxy: TcpProxy) => proxy.cut(),
} as const

// Most of the time is spent waiting, so what does not share a proxy waits at the same time.
const oneByOne = { concurrent: false }
const eachKind = describe.concurrent.each(Object.keys(kinds) as (keyof typeof kinds)[])

eachKind('while the database %s', (kind) => {
  let proxy: TcpProxy
  let server: Server
  let world: World
  const isReady = async () => (await fetch(`${server.url}/readyz`)).status === 200
  const block = async () => {
    await until(isReady)
    await kinds[kind](proxy)
  }
  const rest = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${world.mainKey}`, 'content-type': 'application/json', ...init.headers },
    })

  beforeAll(async () => {
    const blocked = await newProxyOf(await newDatabase())
    proxy = blocked.proxy
    server = await newServer({ DATABASE_URL: blocked.url, ROLES: 'api,worker' })
    world = await newWorld({ server })
  })

  afterEach(async () => {
    await proxy.heal()
    await until(isReady)
  })

  it('returns 503 with Retry-After for every request, and recovers with the database', oneByOne, async () => {
    await world.contact()
    await block()
    const form = new URLSearchParams({ a: 'b' })
    const asked = () =>
      Promise.all([
        world.ask('{ contacts(first: 1) { nodes { email } } }'),
        world.ask(
          'mutation { tagCreate(input: { name: "hung" }) { tag { id } } }',
          {},
          { headers: { 'idempotency-key': 'x' } },
        ),
        rest('/v1/contacts'),
        rest('/v1/tag', { method: 'POST', body: JSON.stringify({ name: 'hung too' }) }),
        rest(`/tags?api_key=${world.mainKey}`),
        rest('/v1/contacts', { headers: { authorization: 'Bearer unknown' } }),
        rest('/p/shop/1/page'),
        rest('/f/1', {
          method: 'POST',
          body: form,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      ])
    const { result, ticks } = await countTicks(500, asked)
    expect(ticks).toBeLessThan(most)
    const [query, mutation, list, creation, legacy, unknownKey, page, posted] = result
    for (const { status, headers, body } of [query, mutation]) {
      expect(status, JSON.stringify(body)).toBe(503)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(body.errors[0].extensions).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: expect.any(Number) })
      expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts/)
    }
    for (const response of [list, creation, unknownKey]) {
      expect(response.status).toBe(503)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await response.json()).toMatchObject({ success: false, error: { code: 'SERVER_ERROR' } })
    }
    for (const response of [legacy, page, posted]) {
      expect(response.status, await response.text()).toBe(503)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await proxy.heal()
    await until(isReady)
    const { id } = await world.contact()
    expect(id).toEqual(expect.any(String))
    // The sequencer works again: events since then have their position.
    await until(async () => (await world.rows('SELECT FROM outbox_event WHERE position IS NULL')).length === 0)
  })
})

eachKind('a process while the database %s', (kind) => {
  it('logs one line per second, and exits with 0 when it is stopped', async () => {
    const { proxy: own, url } = await newProxyOf(await newDatabase())
    const running = start('main', [], {
      PORT: '0',
      DATA_DIR: await temporaryFolder(),
      DATABASE_URL: url,
      SECRET: 'a secret that only tests know',
    })
    const address = (await running.line(/^ready /)).replace(/^ready /, '')
    await kinds[kind](own)
    const began = performance.now()
    await until(async () => (await fetch(`${address}/readyz`)).status === 503)
    const asked = async () => {
      const response = await fetch(`${address}/v1/contacts`, { headers: { authorization: 'Bearer any' } })
      expect(response.status).toBe(503)
    }
    for (let turn = 0; turn < 5; turn += 1) await Promise.all(Array.from({ length: 40 }, asked))
    running.signal('SIGTERM')
    const { code, stderr } = await running.end
    expect(code).toBe(0)
    const seconds = Math.ceil((performance.now() - began) / 1000)
    const lines = stderr.trim().split('\n')
    expect(lines.length, stderr).toBeLessThanOrEqual(seconds + 2)
  })
})
