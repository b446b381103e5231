// @module-tag rows
import { beforeAll, describe, expect, it } from 'vitest'
import { forgetOldDeliveries } from '../../src/events/index.ts'
import type { Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { Delete, newManualClock, newSender, newWebhook, Replay, Test, Update, whenWebhook } from './webhook-world.ts'

const clock = newManualClock()
let server: Server

beforeAll(async () => {
  server = await newSender({ clock })
})

const globalId = (type: string) => Buffer.from(`${type}:2147483648`).toString('base64url')
const newReplayWorld = () => newWorld({ server })
const settled = ({ deliveries }: { deliveries: { nodes: { status: string }[] } }) =>
  deliveries.nodes.length > 0 && deliveries.nodes.every(({ status }) => status !== 'PENDING')

describe('webhookReplay', () => {
  it('repeats one delivery with the same ID and bytes, whatever its result was', async () => {
    const world = await newReplayWorld()
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url)
    await world.contact()
    const [delivery] = (await whenWebhook(world, id, settled)).deliveries.nodes
    const { id: other } = await newWebhook(world, `${receiver.url}/2`, { eventPatterns: ['webhook.test'] })
    const wrong = { input: { deliveryId: delivery.id, webhookId: other } }
    expect((await world.fault(Replay, wrong)).extensions.code).toBe('NOT_FOUND')
    const { databaseId } = (
      await world.run('query ($id: ID!) { node(id: $id) { ... on WebhookDelivery { databaseId } } }', delivery)
    ).node
    const again = { input: { deliveryId: databaseId, webhookId: id } }
    expect(await world.run(Replay, again)).toEqual({ webhookReplay: { replayed: 1 } })
    const [first, second] = await receiver.upTo(2)
    expect(second?.text).toBe(first?.text)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    const after = await whenWebhook(world, id, settled)
    expect(after.deliveries.nodes).toMatchObject([{ id: delivery.id, status: 'DELIVERED', attempts: 2 }])
  })

  it('repeats failed and missed deliveries once, and no successful ones', async () => {
    const world = await newReplayWorld()
    const since = clock.now().toISOString()
    let isGone = false
    const receiver = await newReceiver(() => (isGone ? 410 : 200))
    const { id } = await newWebhook(world, receiver.url, { eventPatterns: ['contact.created'] })
    const taken = await world.contact()
    await receiver.upTo(1)
    await whenWebhook(world, id, settled)
    isGone = true
    const refused = await world.contact()
    await whenWebhook(world, id, ({ active }) => !active)
    const missed = await world.contact()
    await world.tag()
    // Another webhook has received the event, so the reader has passed it.
    const marker = await newReceiver()
    const reported = await newWebhook(world, marker.url)
    await world.contact({ email: 'last@example.com' })
    await whenWebhook(world, reported.id, ({ deliveries: { nodes } }) =>
      nodes.some(({ body }: { body: string | null }) => body?.includes('last@example.com')),
    )
    isGone = false
    await world.run(Update, { input: { id, active: true } })
    const replay = { input: { webhookId: id, since } }
    expect(await world.run(Replay, replay)).toEqual({ webhookReplay: { replayed: 3 } })
    expect(await world.run(Replay, replay)).toEqual({ webhookReplay: { replayed: 0 } })
    const calls = await receiver.upTo(5)
    const again = calls.slice(2).map(({ body }) => body.data.email)
    expect(again.sort()).toEqual(['last@example.com', refused.email, missed.email].sort())
    expect(again).not.toContain(taken.email)
    expect(
      (await world.run(Replay, { input: { webhookId: id, since: '2999-01-01T00:00:00Z' } })).webhookReplay,
    ).toEqual({
      replayed: 0,
    })
  })

  it.each([
    [{}, ['deliveryId']],
    [{ webhookId: 1 }, ['since']],
    [{ since: '2026-01-01T00:00:00Z' }, ['deliveryId']],
    [{ deliveryId: 1, since: '2026-01-01T00:00:00Z' }, ['since']],
  ])('requires exactly one of both fields, not %j', async (input, fields) => {
    const { extensions } = await (await newReplayWorld()).fault(Replay, { input })
    expect([extensions.code, Object.keys(extensions.details ?? {})]).toEqual([
      'VALIDATION_ERROR',
      fields.map((field) => `input.${field}`),
    ])
  })

  it.each(['0', '-1', '999999999999999999999', '9223372036854775807', '2147483648', globalId('WebhookDelivery')])(
    'returns NOT_FOUND for the delivery %s',
    async (deliveryId) => {
      expect((await (await newReplayWorld()).fault(Replay, { input: { deliveryId } })).extensions.code).toBe(
        'NOT_FOUND',
      )
    },
  )

  it.each(['x', globalId('Webhook')])(
    'returns VALIDATION_ERROR for %s, which is no ID of a delivery',
    async (deliveryId) => {
      const { extensions } = await (await newReplayWorld()).fault(Replay, { input: { deliveryId } })
      expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', fields: [{ code: 'INVALID_ID' }] })
    },
  )
})

describe('deliveries', () => {
  it('are deleted after thirty days and with their webhook', async () => {
    const world = await newReplayWorld()
    const receiver = await newReceiver()
    const [kept, gone] = [await newWebhook(world, receiver.url), await newWebhook(world, `${receiver.url}/2`)]
    for (const { id } of [kept, gone]) await world.run(Test, { id })
    await whenWebhook(world, kept.id, settled)
    await whenWebhook(world, gone.id, settled)
    const count = async () =>
      (
        await world.rows<{ n: number }>('SELECT count(*)::int AS n FROM webhook_delivery WHERE account_id = $1', [
          world.accountId,
        ])
      )[0]?.n
    await forgetOldDeliveries(server.system)
    expect(await count()).toBe(2)
    await world.run(Delete, { id: gone.id })
    await forgetOldDeliveries(server.system)
    expect(await count()).toBe(1)
    clock.pass(30 * 24 * 60 * 60 * 1000 + 1)
    await forgetOldDeliveries(server.system)
    expect(await count()).toBe(0)
  })
})
