// @module-tag rows
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Webhook as Verifier } from 'standardwebhooks'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { type Behaviour, newReceiver } from './receiver.ts'
import {
  assigned,
  type ManualClock,
  newManualClock,
  newSender,
  newWebhook,
  Test,
  Update,
  wakeSenders,
  whenWebhook,
} from './webhook-world.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const clock: ManualClock = newManualClock()
let server: Server

beforeAll(async () => {
  server = await newSender({ clock })
})

/** Creates a webhook with an endpoint that behaves like this, and one message for it. */
async function startDelivery(manner: Behaviour, sender = server) {
  const world = await newWorld({ server: sender })
  const receiver = await newReceiver(manner)
  const webhook = await newWebhook(world, receiver.url)
  await world.run(Test, { id: webhook.id })
  const attempts = async (count: number) => {
    await whenWebhook(world, webhook.id, ({ deliveries: { nodes } }) => {
      const [last] = nodes
      // Until the result is stored, the next attempt is as far away as the lease.
      return last.attempts === count && (last.responseStatus !== null || last.error !== null) && !isClaimed(last)
    })
    // The webhook may have been read a moment before its delivery.
    return whenWebhook(world, webhook.id, () => true)
  }
  const isClaimed = ({ nextAttemptAt }: { nextAttemptAt: string | null }) =>
    nextAttemptAt !== null && new Date(nextAttemptAt).getTime() === clock.now().getTime() + 60_000
  return { world, receiver, webhook, attempts }
}

const timeAfter = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds).toISOString()

describe('an endpoint that fails', () => {
  it('receives the same bytes under the same ID until it accepts them', async () => {
    const { receiver, attempts } = await startDelivery((index) => (index < 2 ? 500 : 200))
    expect((await attempts(1)).deliveries.nodes).toMatchObject([
      { status: 'PENDING', responseStatus: 500, response: 'an answer', nextAttemptAt: timeAfter(5 * second) },
    ])
    clock.pass(5 * second)
    await wakeSenders(server)
    expect((await attempts(2)).deliveries.nodes).toMatchObject([{ nextAttemptAt: timeAfter(5 * minute) }])
    clock.pass(5 * minute)
    await wakeSenders(server)
    const [delivery] = (await attempts(3)).deliveries.nodes
    expect(delivery).toMatchObject({ status: 'DELIVERED', nextAttemptAt: null, deliveredAt: clock.now().toISOString() })
    const [first, ...others] = receiver.calls
    expect(others).toHaveLength(2)
    for (const other of others) {
      expect(other.text).toBe(first?.text)
      expect(other.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      expect(other.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature'])
    }
  })

  it('gets ten attempts over three days', async () => {
    const { receiver, attempts } = await startDelivery(() => 503)
    const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
    for (const [index, pause] of pauses.entries()) {
      expect((await attempts(index + 1)).deliveries.nodes).toMatchObject([{ nextAttemptAt: timeAfter(pause) }])
      clock.pass(pause)
      await wakeSenders(server)
    }
    expect(await attempts(10)).toMatchObject({
      active: true,
      deliveries: { nodes: [{ status: 'FAILED', nextAttemptAt: null, responseStatus: 503 }] },
    })
    clock.pass(day)
    expect(receiver.calls).toHaveLength(10)
  })

  it('is disabled immediately when it returns 410', async () => {
    const { world, webhook, attempts, receiver } = await startDelivery(() => 410)
    expect(await attempts(1)).toMatchObject({
      active: false,
      disabledReason: 'GONE',
      disabledAt: clock.now().toISOString(),
      deliveries: { nodes: [{ status: 'FAILED' }] },
    })
    expect(await world.announced('webhook.disabled')).toEqual([
      { type: 'webhook.disabled', data: { webhookId: webhook.databaseId } },
    ])
    await world.contact()
    await assigned(world)
    expect(await world.fault(Test, { id: webhook.id })).toMatchObject({ extensions: { code: 'INVALID_STATE' } })
    const { webhookUpdate } = await world.run(Update, { input: { id: webhook.id, active: true } })
    expect(webhookUpdate.webhook).toMatchObject({ active: true, disabledAt: null, disabledReason: null })
    expect(receiver.calls).toHaveLength(1)
  })

  it('is disabled after five days without a success, and its messages are kept', async () => {
    const { world, receiver, webhook, attempts } = await startDelivery(() => 500)
    await attempts(1)
    clock.pass(5 * day - minute)
    await wakeSenders(server)
    expect(await attempts(2)).toMatchObject({ active: true })
    clock.pass(5 * minute)
    await wakeSenders(server)
    expect(await attempts(3)).toMatchObject({
      active: false,
      disabledReason: 'FAILING',
      deliveries: { nodes: [{ status: 'PENDING' }] },
    })
    clock.pass(5 * day)
    // Messages of another webhook are sent in the meantime, but not those of this one.
    const other = await newReceiver()
    const { id } = await newWebhook(world, other.url)
    await world.run(Test, { id })
    await other.upTo(1)
    expect(receiver.calls).toHaveLength(3)
    await world.run(Update, { input: { id: webhook.id, active: true } })
    await receiver.upTo(4)
    expect(await attempts(4)).toMatchObject({ active: true, failingSince: clock.now().toISOString() })
  })

  it('is not disabled if some attempts succeed in between', async () => {
    const { world, webhook, attempts } = await startDelivery((index) => (index === 1 ? 200 : 500))
    await attempts(1)
    clock.pass(4 * day)
    await wakeSenders(server)
    expect(await attempts(2)).toMatchObject({ failingSince: null, deliveries: { nodes: [{ status: 'DELIVERED' }] } })
    clock.pass(4 * day)
    await world.run(Test, { id: webhook.id })
    expect(await attempts(1)).toMatchObject({ active: true, failingSince: clock.now().toISOString() })
  })

  it.each<[what: string, retryAfter: () => string, status: number, pause: number]>([
    ['seconds', () => '120', 429, 2 * minute],
    ['a date', () => new Date(Math.ceil(clock.now().getTime() / second) * second + hour).toUTCString(), 503, hour],
    ['more than a day', () => '999999', 429, day],
    ['less than the plan has', () => '1', 429, 5 * second],
    ['nothing that can be read', () => 'later', 429, 5 * second],
    ['something with another status', () => '120', 500, 5 * second],
  ])('can postpone the next attempt with Retry-After: %s', async (_what, retryAfter, status, pause) => {
    const { attempts } = await startDelivery(() => (response) => {
      response.writeHead(status, { 'retry-after': retryAfter() }).end()
    })
    const [delivery] = (await attempts(1)).deliveries.nodes
    const wait = new Date(delivery.nextAttemptAt).getTime() - clock.now().getTime()
    expect(wait).toBeGreaterThanOrEqual(pause)
    expect(wait).toBeLessThanOrEqual(pause + second)
  })
})

describe('an endpoint that misbehaves', () => {
  it('is not followed to a redirect', async () => {
    const elsewhere = await newReceiver()
    const { attempts } = await startDelivery(() => (response) => {
      response.writeHead(307, { location: elsewhere.url }).end()
    })
    expect((await attempts(1)).deliveries.nodes).toMatchObject([
      { status: 'PENDING', responseStatus: 307, error: 'Redirects are not followed.' },
    ])
    expect(elsewhere.calls).toEqual([])
  })

  it('is disconnected if it does not respond, or does not end its response', async () => {
    // With this timeout, a pause of the process would end the attempts of the other tests.
    const impatient = await newSender({ clock, attemptTimeoutMs: 300 })
    const silent = await startDelivery(() => () => undefined, impatient)
    const endless = await startDelivery(
      () => (response) => {
        response.writeHead(200)
        response.write('and so on')
      },
      impatient,
    )
    for (const { attempts } of [silent, endless]) {
      expect((await attempts(1)).deliveries.nodes).toMatchObject([
        { status: 'PENDING', responseStatus: null, error: 'The request timed out.' },
      ])
    }
  })

  it('is read up to 16 KiB of its response', async () => {
    let written = 0
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const { attempts } = await startDelivery(() => (response) => {
      const chunk = Buffer.alloc(65_536, 'x')
      response.on('close', resolve)
      const flood = () => {
        while (!response.destroyed && written < 2 ** 30) {
          written += chunk.length
          if (!response.write(chunk)) break
        }
      }
      response.on('drain', flood)
      flood()
    })
    const [delivery] = (await attempts(1)).deliveries.nodes
    expect(delivery).toMatchObject({ status: 'DELIVERED', response: 'x'.repeat(16_384) })
    await closed
    expect(written).toBeLessThan(50_000_000)
  })

  it('is retried if it closes the connection, refuses it, or has an untrusted certificate', async () => {
    const cut = await startDelivery(() => (response) => response.destroy())
    const world = await newWorld({ server })
    const tls = createTlsServer({}).listen(0, '127.0.0.1')
    tls.on('tlsClientError', () => undefined)
    await once(tls, 'listening')
    onTestFinished(() => void tls.close())
    const untrusted = await newWebhook(world, `https://127.0.0.1:${(tls.address() as AddressInfo).port}/`)
    const closed = await newWebhook(world, 'http://127.0.0.1:1/')
    for (const { id } of [untrusted, closed]) await world.run(Test, { id })
    const failed = ({ deliveries }: { deliveries: { nodes: { error: string | null }[] } }) =>
      deliveries.nodes[0]?.error !== null
    expect((await cut.attempts(1)).deliveries.nodes[0].error).toBe('The request failed: ECONNRESET.')
    expect((await whenWebhook(world, closed.id, failed)).deliveries.nodes[0].error).toContain('ECONNREFUSED')
    expect((await whenWebhook(world, untrusted.id, failed)).deliveries.nodes).toMatchObject([
      { status: 'PENDING', error: expect.stringMatching(/^The request failed: /) },
    ])
  })

  it('may respond with text that cannot be stored in the database', async () => {
    const { attempts } = await startDelivery(
      () => (response) => response.end(Buffer.from([0x61, 0, 0xff, 0xed, 0xa0, 0x80])),
    )
    expect((await attempts(1)).deliveries.nodes[0]).toMatchObject({
      status: 'DELIVERED',
      response: expect.stringMatching(/^a\ufffd+$/),
    })
  })
})

describe('a message that cannot be rendered', () => {
  it('is retried without counting as a failure of the endpoint', async () => {
    const world = await newWorld({ server })
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url)
    await world.rows("UPDATE webhook SET document = 'subscription {' WHERE account_id = $1", [world.accountId])
    await world.run(Test, { id })
    expect(await whenWebhook(world, id, ({ deliveries }) => deliveries.nodes[0].error !== null)).toMatchObject({
      failingSince: null,
      deliveries: { nodes: [{ status: 'PENDING', error: 'The message could not be built.', body: null }] },
    })
    expect(server.errors).toMatchObject([{ msg: 'building a webhook message failed' }])
    await world.rows('UPDATE webhook SET document = NULL WHERE account_id = $1', [world.accountId])
    clock.pass(5 * second)
    await wakeSenders(server)
    await receiver.upTo(1)
  })
})

describe('a new secret', () => {
  it('signs together with the previous one for a day, then alone', async () => {
    const { world, receiver, webhook } = await startDelivery(() => 200)
    const [first] = await receiver.upTo(1)
    const { secret } = (await world.run(Update, { input: { id: webhook.id, rotateSecret: true } })).webhookUpdate
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret).not.toBe(webhook.secret)
    await world.run(Test, { id: webhook.id })
    const second = (await receiver.upTo(2))[1]
    clock.pass(day)
    await world.run(Test, { id: webhook.id })
    const third = (await receiver.upTo(3))[2]
    const signers = [first, second, third].map((call) =>
      [webhook.secret, secret].map((each) => isSigned(each, call as NonNullable<typeof call>)),
    )
    expect(signers).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ])
    expect(String(second?.headers['webhook-signature']).split(' ')).toHaveLength(2)
  })
})

/** Whether the library that receivers use accepts a message. It reads the system clock, which must equal the test's. */
function isSigned(secret: string, { text, headers }: { text: string; headers: object }): boolean {
  const now = Date.now
  Date.now = () => Number((headers as Record<string, string>)['webhook-timestamp']) * 1000
  try {
    new Verifier(secret).verify(text, headers as Record<string, string>)
    return true
  } catch {
    return false
  } finally {
    Date.now = now
  }
}
