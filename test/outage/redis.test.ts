// @module-tag rows
import { beforeAll, describe, expect, it } from 'vitest'
import { start, temporaryFolder, until } from '../runtime/process.ts'
import { newProxy, type TcpProxy } from '../support/proxy.ts'
import { newRedis } from '../support/redis.ts'
import { newServer, type Server } from '../support/server.ts'
import { countTicks } from '../support/timers.ts'
import { newWorld, type World } from '../support/world.ts'

/** Requests per minute. Each of two processes allows half of them. */
const limit = 20

const input = process.env['TEST_REDIS_URL']

const kinds = {
  hangs: (proxy: TcpProxy) => proxy.freeze(),
  'is unavailable': (proxy: TcpProxy) => proxy.cut(),
} as const

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('while Redis %s', (kind) => {
  let proxy: TcpProxy
  let env: Record<string, string>
  let servers: Server[]
  let world: World

  /** Returns the number of accepted requests, and in how many tenths of a second of this process the slowest was answered. */
  const send = async (account: World, count: number) => {
    let accepted = 0
    let longest = 0
    for (let turn = 0; turn < count; turn += 1) {
      const server = servers[turn % 2] as Server
      const { result, ticks } = await countTicks(100, () => account.ask('{ __typename }', {}, { server }))
      longest = Math.max(longest, ticks)
      const { status } = result
      if (status === 200) accepted += 1
      else expect(status).toBe(429)
    }
    return { accepted, longest }
  }

  beforeAll(async () => {
    const target = input ? new URL(input) : undefined
    proxy = await newProxy({ host: target?.hostname ?? '127.0.0.1', port: Number(target?.port) || (await newRedis()) })
    env = { REDIS_URL: `redis://127.0.0.1:${proxy.port}/8`, RATE_LIMIT_PER_MINUTE: String(limit) }
    const first = await newServer(env)
    servers = [first, await newServer({ ...env, DATABASE_URL: first.databaseUrl })]
    world = await newWorld({ server: first })
  })

  it('allows half of the limit in each of two processes, delays no request, and shares the count again after that', async () => {
    expect((await send(await world.other(), limit + 6)).accepted).toBe(limit)
    await until(async () => {
      const metrics = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
      return metrics.every((text) => /^campanile_processes 2$/m.test(text))
    })
    await kinds[kind](proxy)
    const away = await send(await world.other(), limit + 6)
    expect(away.accepted).toBe(limit)
    // The first request of a process waits for three, and would wait for forty at least until the connection is given up.
    expect(away.longest).toBeLessThan(30)
    await proxy.heal()
    await until(async () => {
      const fresh = await world.other()
      for (const server of servers) await fresh.ask('{ __typename }', {}, { server })
      const { body } = await fresh.ask('{ __typename }', {}, { server: servers[0] as Server })
      return body.extensions.rateLimit.remaining === limit - 3
    })
  })

  it('still delivers notifications, and a process exits when it is stopped', async () => {
    const running = start('main', [], {
      ...env,
      PORT: '0',
      DATA_DIR: await temporaryFolder(),
      DATABASE_URL: world.server.databaseUrl,
      SECRET: 'a secret that only tests know',
    })
    const address = (await running.line(/^ready /)).replace(/^ready /, '')
    await kinds[kind](proxy)
    const fresh = await world.other()
    const response = await fetch(`${address}/v1/contacts`, { headers: { authorization: `Bearer ${fresh.mainKey}` } })
    expect(response.status).toBe(200)
    // Another process assigns the position of the event, and notifies this one.
    await fresh.contact()
    await until(async () => (await fresh.rows('SELECT FROM outbox_event WHERE position IS NULL')).length === 0)
    running.signal('SIGTERM')
    const { code, stderr } = await running.end
    expect(code).toBe(0)
    expect(stderr.trim().split('\n').length, stderr).toBeLessThan(8)
    await proxy.heal()
  })
})
