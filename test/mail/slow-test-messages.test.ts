import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { type Act, drop, type Manners, newRelay, silent, trickle } from './relay.ts'
import { createSubscribers, newSender, sendCampaign } from './sending.ts'
import { CampaignTest, campaignOf, greeting } from './test-message.ts'

describe('a test message to a mail server that hangs', () => {
  it('fails in time at each step, and is sent if the request is repeated', async () => {
    const manners: Manners = {}
    const relay = await newRelay(manners)
    const world = await newWorld({ server: await newServer({ MAIL_URL: relay.url }, { directMailTimeoutMs: 500 }) })
    const { id } = await campaignOf(world, greeting)
    const steps: [keyof Manners, Act, string][] = [
      ['greeting', silent, 'connection, greeting, login, MAIL FROM'],
      ['mail', trickle, 'connection, greeting, login, MAIL FROM'],
      ['rcpt', silent, 'RCPT TO, DATA'],
      ['data', trickle, 'RCPT TO, DATA'],
    ]
    for (const [place, [step, act, name]] of steps.entries()) {
      manners[step] = () => act
      const input = { id, emails: [`${step}@example.com`] }
      for (const idempotencyKey of [null, step]) {
        const { message, extensions } = await world.fault(CampaignTest, { input: { ...input, idempotencyKey } })
        expect(extensions.code).toBe('SERVER_ERROR')
        expect(message).toBe(`The mail server did not accept the message: no answer within 0.5 s (${name})`)
      }
      await until(() => relay.open() === 0)
      expect(relay.taken).toHaveLength(place)

      delete manners[step]
      const repeated = { input: { ...input, idempotencyKey: step } }
      const { campaignTest } = await world.run(CampaignTest, repeated)
      expect(campaignTest.results[0].answer).toBe('250 accepted')
      expect((await world.run(CampaignTest, repeated)).campaignTest.results[0].answer).toBe('250 accepted')
      expect(relay.taken.slice(place)).toEqual(input.emails)
      // Each attempt counts, also a failure.
      const today = "SELECT used FROM quota_usage WHERE account_id = $1 AND slot = 'test_messages'"
      expect(await world.rows(today, [world.accountId])).toEqual([{ used: 3 * (place + 1) }])
    }
  })

  it.each<[string, Act, string]>([
    ['sends no reply', silent, 'no answer within 0.5 s (after the end of the message)'],
    ['drops the connection', drop, 'Connection closed unexpectedly'],
  ])(
    'is reported as uncertain if it %s after the final dot, and is not sent again with the key',
    async (_, act, reason) => {
      const manners: Manners = { end: () => act }
      const relay = await newRelay(manners)
      const world = await newWorld({ server: await newServer({ MAIL_URL: relay.url }, { directMailTimeoutMs: 500 }) })
      const { id } = await campaignOf(world, greeting)
      const input = { id, emails: ['me@example.com'] }
      const keyed = { input: { ...input, idempotencyKey: 'one' } }
      const expected = {
        message: `The mail server did not confirm the message, which may have been delivered: ${reason}`,
        extensions: { code: 'SERVER_ERROR' },
      }
      expect(await world.fault(CampaignTest, { input })).toMatchObject(expected)
      expect(await world.fault(CampaignTest, keyed)).toMatchObject(expected)
      delete manners.end
      expect(await world.fault(CampaignTest, keyed)).toMatchObject(expected)
      expect(relay.asked).toHaveLength(2)
      await world.run(CampaignTest, { input: { ...input, idempotencyKey: 'two' } })
      expect(relay.taken).toEqual(input.emails)
    },
  )

  it('does not delay other accounts, whatever number of requests with idempotency keys waits for it', async () => {
    const relay = await newRelay({ greeting: () => silent })
    const requests = 10
    const env = { MAIL_URL: relay.url, MAIL_POOL: String(requests), DATABASE_POOL_SIZE: String(requests) }
    const world = await newWorld({ server: await newServer(env) })
    const other = await world.other()
    const { id } = await campaignOf(world, greeting)
    const waiting = Array.from({ length: requests }, (_, n) =>
      world.ask(CampaignTest, { input: { id, emails: ['me@example.com'], idempotencyKey: `key-${n}` } }),
    )
    await until(() => relay.open() === requests)
    // A connection to the database is waited for up to five seconds.
    await other.contact()
    expect(await other.run('{ contacts { totalCount } }')).toEqual({ contacts: { totalCount: 1 } })
    expect(relay.open()).toBe(requests)
    relay.endAll()
    for (const { body } of await Promise.all(waiting)) expect(body.errors[0].extensions.code).toBe('SERVER_ERROR')
  })

  it('is sent once, whatever other processes get a request with the key, also after its process was stopped', async () => {
    let answer: Act = silent
    const slow = await newRelay({ rcpt: () => answer })
    const quick = await newRelay()
    const world = await newWorld({ server: await newSender(slow.url) })
    const second = await newServer({ DATABASE_URL: world.server.databaseUrl, MAIL_URL: quick.url })
    const { id } = await campaignOf(world, greeting)
    const variables = { input: { id, emails: ['me@example.com'], idempotencyKey: 'one' } }
    const first = world.ask(CampaignTest, variables)
    await until(() => slow.asked.length === 1)
    const running = await world.fault(CampaignTest, variables, { server: second })
    expect(running.extensions.code).toBe('IDEMPOTENCY_CONFLICT')

    await world.rows(
      "UPDATE idempotency_key SET created_at = created_at - interval '3 minutes' WHERE account_id = $1",
      [world.accountId],
    )
    const interrupted = await world.fault(CampaignTest, variables, { server: second })
    expect(interrupted.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.idempotencyKey': [expect.stringContaining('interrupted')] },
    })
    expect(quick.asked).toEqual([])

    answer = undefined
    slow.endAll('421 4.3.2 closing')
    await first
    await world.run(CampaignTest, variables, { server: second })
    expect([...slow.taken, ...quick.taken]).toEqual(['me@example.com'])
  })

  it('is not sent later if no connection was free', async () => {
    let hangs = true
    const relay = await newRelay({ rcpt: (to) => (hangs && to === 'c1@example.com' ? silent : undefined) })
    const env = { ROLES: 'api,worker', MAIL_URL: relay.url, MAIL_POOL: '1' }
    const world = await newWorld({ server: await newServer(env, { directMailTimeoutMs: 500 }) })
    await createSubscribers(world, 1)
    await sendCampaign(world)
    await until(() => relay.asked.length === 1)

    const { id } = await campaignOf(world, greeting)
    const { message } = await world.fault(CampaignTest, { input: { id, emails: ['me@example.com'] } })
    expect(message).toBe('The mail server did not accept the message: no connection was free within 0.5 s')
    hangs = false
    await until(() => relay.open() === 0)
    await world.run(CampaignTest, { input: { id, emails: ['you@example.com'] } })
    expect(relay.asked).toEqual(['c1@example.com', 'you@example.com'])
    expect(relay.taken).toEqual(['you@example.com'])
  })
})
