import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/account/index.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** A tenth of the requests of an account. */
const unknownKeysPerMinute = 60

const Viewer = '{ viewer { email } }'
const wrongKey = () => `cmp_${randomBytes(16).toString('hex')}`

/** Sends a request through a proxy that saw this address. */
const statusOf = async (world: World, key: string, from = '203.0.113.7') => {
  const { status, headers, body } = await world.ask(Viewer, {}, { key, headers: { 'x-forwarded-for': from } })
  return { status, retryAfter: Number(headers.get('retry-after')), message: body.errors?.[0]?.message as string }
}

const newProxied = async () => newWorld({ server: await newServer({ TRUST_PROXY: '1', RATE_LIMIT_PER_MINUTE: '600' }) })

describe('requests with unknown keys', () => {
  it('of one network are looked up sixty times a minute, and lock out nobody whose key was valid', async () => {
    const world = await newProxied()
    await statusOf(world, world.mainKey)
    const before = world.server.app.database.statements()
    const replies = await Promise.all(Array.from({ length: 200 }, () => statusOf(world, wrongKey())))
    expect(world.server.app.database.statements() - before).toBeLessThanOrEqual(unknownKeysPerMinute + 10)
    const refused = replies.filter(({ status }) => status === 429)
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(unknownKeysPerMinute)
    expect(refused).toHaveLength(200 - unknownKeysPerMinute)
    for (const { retryAfter, message } of refused) {
      expect(retryAfter).toBeGreaterThan(0)
      expect(message).toContain('unknown keys')
    }
    // The cache of valid keys is cleared, for example because another key was created.
    await apiKeys.create(world.server.system, { accountId: world.accountId, name: 'other' })
    expect((await statusOf(world, world.mainKey)).status).toBe(200)
    expect(
      (await fetch(`${world.server.url}/v1/contacts`, { headers: { 'x-forwarded-for': '203.0.113.7' } })).status,
    ).toBe(401)
    const rest = await fetch(`${world.server.url}/v1/contacts`, {
      headers: { 'x-forwarded-for': '203.0.113.7', authorization: `Bearer ${wrongKey()}` },
    })
    expect(rest.status).toBe(429)
    expect((await statusOf(world, wrongKey(), '198.51.100.9')).status).toBe(401)
  })

  it('are counted for the whole network of an IPv6 address', async () => {
    const world = await newProxied()
    const from = (n: number) => `2001:db8:1:2::${n.toString(16)}`
    const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => statusOf(world, wrongKey(), from(n))))
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(unknownKeysPerMinute)
  })

  it('with one key cost one statement', async () => {
    const world = await newProxied()
    const key = wrongKey()
    expect((await statusOf(world, key)).status).toBe(401)
    const before = world.server.app.database.statements()
    for (let n = 0; n < 100; n += 1) expect((await statusOf(world, key)).status).toBe(401)
    // The process reads its event log meanwhile.
    expect(world.server.app.database.statements() - before).toBeLessThan(20)
  })
})
