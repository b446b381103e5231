// @module-tag rows
import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { newRedis } from '../support/redis.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

// Unlike PostgreSQL, Redis is not embedded. These tests run only if a Redis server is configured.
const input = process.env['TEST_REDIS_URL']

describe('rate limits if Redis is unreachable', () => {
  it('are counted by each process', async () => {
    const server = await newServer({ REDIS_URL: 'redis://127.0.0.1:1', RATE_LIMIT_PER_MINUTE: '2' })
    const world = await newWorld({ server })
    const remaining = async () => (await world.ask('{ __typename }')).body.extensions?.rateLimit.remaining
    expect([await remaining(), await remaining()]).toEqual([1, 0])
    expect((await world.ask('{ __typename }')).status).toBe(429)
  })
})

describe('rate limits of four processes', () => {
  it('allow as many concurrent requests as configured, and no more', async () => {
    const url = input ? await emptyRedis('/8') : `redis://127.0.0.1:${await newRedis()}`
    const env = { REDIS_URL: url, RATE_LIMIT_PER_MINUTE: '30' }
    const one = await newServer(env)
    const more = await Promise.all([1, 2, 3].map(() => newServer({ ...env, DATABASE_URL: one.databaseUrl })))
    const servers = [one, ...more]
    const world = await newWorld({ server: one })
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        world.ask('{ __typename }', {}, { server: servers[index % servers.length] ?? one }),
      ),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
  })
})

describe.runIf(input)('rate limits in Redis', () => {
  it('are shared by all processes', async () => {
    const env = { REDIS_URL: await emptyRedis('/9'), RATE_LIMIT_PER_MINUTE: '4' }
    const one = await newServer(env)
    const two = await newServer({ ...env, DATABASE_URL: one.databaseUrl })
    const world = await newWorld({ server: one })
    for (const [server, remaining] of [
      [one, 3],
      [two, 2],
      [one, 1],
      [two, 0],
    ] as const) {
      const { body } = await world.ask('{ __typename }', {}, { server })
      expect(body.extensions.rateLimit.remaining).toBe(remaining)
    }
    for (const server of [one, two]) expect((await world.ask('{ __typename }', {}, { server })).status).toBe(429)
  })
})

/** Empties a database of the configured Redis, because accounts of all tests have the same IDs. Returns its URL. */
async function emptyRedis(pathname: string): Promise<string> {
  const { href } = Object.assign(new URL(input as string), { pathname })
  const redis = createClient({ url: href })
  await redis.connect()
  await redis.flushDb()
  redis.destroy()
  return href
}
