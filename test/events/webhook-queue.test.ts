// @module-tag rows
import { describe, expect, it } from 'vitest'
import { claimDeliveries, leaseMs, storeResult } from '../../src/events/deliveries/delivery-queue.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { expectNoDelay, queueDeliveries } from './webhook-queue.ts'
import { newManualClock, newSender, newWebhook, Test, wakeSenders, whenWebhook } from './webhook-world.ts'

const hasDistinctIds = (count: number) => (calls: { headers: object }[]) =>
  new Set(calls.map(({ headers }) => (headers as Record<string, string>)['webhook-id'])).size === count

describe('the webhook queue', () => {
  it('sends each message once with any number of processes', async () => {
    const first = await newSender()
    const world = await newWorld({ server: first })
    const receiver = await newReceiver()
    const { databaseId } = await newWebhook(world, receiver.url)
    await newSender({ env: { DATABASE_URL: first.databaseUrl } })
    await newSender({ env: { DATABASE_URL: first.databaseUrl } })
    await queueDeliveries(world, databaseId, 400)
    await wakeSenders(first)
    const calls = await receiver.upTo(400)
    expect(hasDistinctIds(400)(calls)).toBe(true)
    // Any further message would have been sent before the last one of another webhook.
    const marker = await newReceiver()
    const { id } = await newWebhook(world, marker.url)
    await world.run(Test, { id })
    await marker.upTo(1)
    expect(receiver.calls).toHaveLength(400)
  })

  it('delays no endpoint because of another one, and no account because of 10,000 messages of another', () =>
    expectNoDelay(10_000))

  it('sends one message at a time to an endpoint that failed last', async () => {
    const clock = newManualClock()
    const server = await newSender({ clock })
    const world = await newWorld({ server })
    let underway = 0
    let most = 0
    const receiver = await newReceiver((index) => (response) => {
      underway += 1
      if (index > 0) most = Math.max(most, underway)
      setImmediate(() => {
        underway -= 1
        response.writeHead(index < 20 ? 500 : 200).end()
      })
    })
    const { id, databaseId } = await newWebhook(world, receiver.url)
    await world.run(Test, { id })
    await whenWebhook(world, id, ({ failingSince }) => failingSince !== null)
    await queueDeliveries(world, databaseId, 15)
    clock.pass(1)
    await wakeSenders(server)
    await receiver.upTo(16)
    expect(most).toBe(1)
  })

  it('repeats a message under the same ID if its sender died before it stored the response', async () => {
    const clock = newManualClock()
    const api = await newServer({ WEBHOOK_ALLOW_PRIVATE: 'on' }, { clock })
    const world = await newWorld({ server: api })
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url)
    await world.run(Test, { id })
    // A sender that claims a delivery and then crashes.
    const capacity = { free: 50, perWebhook: 5, perAccount: 20, freeForFailing: 20, inProgress: [] }
    expect(await claimDeliveries(api.system, capacity)).toHaveLength(1)
    expect(await claimDeliveries(api.system, capacity)).toEqual([])
    const server = await newSender({ clock, env: { DATABASE_URL: api.databaseUrl } })
    const marker = await newReceiver()
    await world.run(Test, { id: (await newWebhook(world, marker.url)).id })
    await marker.upTo(1)
    expect(receiver.calls).toEqual([])
    clock.pass(leaseMs)
    await wakeSenders(server)
    await receiver.upTo(1)
    const webhook = await whenWebhook(world, id, ({ deliveries }) => deliveries.nodes[0].status === 'DELIVERED')
    expect(webhook.deliveries.nodes).toMatchObject([
      { attempts: 2, messageId: receiver.calls[0]?.headers['webhook-id'] },
    ])
  })

  it('ignores a sender that returns after another one claimed its message', async () => {
    const clock = newManualClock()
    const api = await newServer({ WEBHOOK_ALLOW_PRIVATE: 'on' }, { clock })
    const world = await newWorld({ server: api })
    const { id } = await newWebhook(world, 'https://hook.invalid/')
    await world.run(Test, { id })
    const capacity = { free: 50, perWebhook: 5, perAccount: 20, freeForFailing: 20, inProgress: [] }
    const [late] = await claimDeliveries(api.system, capacity)
    clock.pass(leaseMs)
    const [second] = await claimDeliveries(api.system, capacity)
    const result = { status: 200, response: '', milliseconds: 1 }
    if (!late || !second) throw new Error('Nothing was claimed.')
    await storeResult(api.system, late, { ...result, status: 410 }, { status: 'FAILED', isGone: true })
    const settings = async () => whenWebhook(world, id, () => true)
    expect(await settings()).toMatchObject({
      active: true,
      deliveries: { nodes: [{ status: 'PENDING', attempts: 2 }] },
    })
    await storeResult(api.system, second, result, { status: 'DELIVERED' })
    expect(await settings()).toMatchObject({ active: true, deliveries: { nodes: [{ status: 'DELIVERED' }] } })
  })

  it('finishes deliveries in flight when the process stops, and releases those that do not end', async () => {
    const api = await newServer({ WEBHOOK_ALLOW_PRIVATE: 'on' })
    const world = await newWorld({ server: api })
    const stubborn = await newReceiver((index) => (index === 0 ? () => undefined : 200))
    const slow = await newReceiver(() => (response) => setImmediate(() => response.end()))
    const stuck = await newWebhook(world, stubborn.url)
    const going = await newWebhook(world, slow.url)
    // The attempt at the stubborn endpoint would not end by itself during the test.
    const worker = await newSender({
      env: { DATABASE_URL: api.databaseUrl, ROLES: 'worker' },
      attemptTimeoutMs: 3_600_000,
    })
    for (const { id } of [stuck, going]) await world.run(Test, { id })
    await Promise.all([stubborn.upTo(1), slow.upTo(1)])
    await worker.app.close()
    const read = async (id: string) => (await whenWebhook(world, id, () => true)).deliveries.nodes[0]
    expect(await read(going.id)).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    const back = await read(stuck.id)
    expect(back).toMatchObject({ status: 'PENDING', error: null })
    expect(new Date(back.nextAttemptAt).getTime()).toBeLessThanOrEqual(Date.now())
    await newSender({ env: { DATABASE_URL: api.databaseUrl, ROLES: 'worker' } })
    await stubborn.upTo(2)
  })

  it('is reported in the metrics', async () => {
    const server = await newSender()
    const world = await newWorld({ server })
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url)
    await world.run(Test, { id })
    await whenWebhook(world, id, ({ deliveries }) => deliveries.nodes[0].status === 'DELIVERED')
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toContain('campanile_webhook_attempts_total{outcome="delivered"} 1')
    expect(metrics).toContain('campanile_webhook_deliveries_due 0')
    expect(metrics).toMatch(/campanile_webhook_delivery_lag_seconds 0/)
  })
})
