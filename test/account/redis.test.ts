import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
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

describe.runIf(input)('rate limits in Redis', () => {
  it('are shared by all processes', async () => {
    const url = new URL(input as string)
    url.pathname = '/9'
    const redis = createClient({ url: url.href })
    await redis.connect()
    await redis.flushDb()
    redis.destroy()
    const env = { REDIS_URL: url.href, RATE_LIMIT_PER_MINUTE: '4' }
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
