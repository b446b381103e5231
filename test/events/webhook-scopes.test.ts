import { beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/kernel/scopes.ts'
import type { Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { newSender, newWebhook, Read, Replay, Update, whenWebhook } from './webhook-world.ts'

const Rotate = 'mutation ($id: ID!) { webhookUpdate(input: { id: $id, rotateSecret: true }) { secret } }'
const Move = 'mutation ($input: WebhookUpdateInput!) { webhookUpdate(input: $input) { webhookId secret } }'
const Bodies = 'query ($id: ID!) { webhook(id: $id) { deliveries { nodes { id type body } } } }'
const since = '2026-01-01T00:00:00Z'

let server: Server
beforeAll(async () => {
  server = await newSender()
})

type Webhook = {
  deliveries: { nodes: { id: string; type: string; status: string; body: string | null; error: string }[] }
}
const isDelivered = ({ deliveries: { nodes } }: Webhook) =>
  nodes.length > 0 && nodes.every(({ status }) => status === 'DELIVERED')

const isEnded = ({ deliveries: { nodes } }: Webhook) => nodes.every(({ status }) => status !== 'PENDING')

/** Creates a webhook with full access that has received an event of a contact. */
async function createDelivery(input: object = { eventPatterns: ['contact.created'] }) {
  const world = await newWorld({ server })
  const receiver = await newReceiver()
  const { id } = await newWebhook(world, receiver.url, input)
  await world.contact({ email: 'ada@example.com' })
  const { deliveries } = await whenWebhook(world, id, isDelivered)
  return { world, receiver, id, delivery: deliveries.nodes[0] as Webhook['deliveries']['nodes'][number] }
}

const keyOf = (world: World, ...scopes: Scope[]) => world.key({ scopes })
const codes = async (world: World, document: string, variables: object, key: string) =>
  ((await world.ask(document, variables, { key })).body.errors ?? []).map(
    ({ extensions }: { extensions: { code: string } }) => extensions.code,
  )

describe('the body of a delivery', () => {
  it('is null with FORBIDDEN for a key that cannot read the event', async () => {
    const { world, id } = await createDelivery()
    const { body } = await world.ask(Bodies, { id }, { key: await keyOf(world, 'events:read') })
    expect(body.data.webhook.deliveries.nodes).toMatchObject([{ type: 'CONTACT_CREATED', body: null }])
    expect(body.errors).toMatchObject([
      { path: ['webhook', 'deliveries', 'nodes', 0, 'body'], extensions: { code: 'FORBIDDEN' } },
    ])
    const both = await keyOf(world, 'events:read', 'contacts:read')
    const { webhook } = await world.run(Bodies, { id }, { key: both })
    expect(webhook.deliveries.nodes[0].body).toContain('ada@example.com')
  })

  it('requires the scopes of all fields that a document selects', async () => {
    const document =
      'subscription { events { ... on SequenceEvent { sequence { name } ...Who } } } fragment Who on SequenceEvent { contact { email } }'
    const world = await newWorld({ server })
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url, { document, eventPatterns: ['sequence.*'] })
    const [contact, sequence] = [await world.contact(), await world.sequence()]
    await world.stage(sequence)
    await world.subscribe(contact, sequence)
    await whenWebhook(world, id, isDelivered)
    expect(await codes(world, Bodies, { id }, await keyOf(world, 'events:read', 'sequences:read'))).toEqual([
      'FORBIDDEN',
    ])
    expect(await codes(world, Bodies, { id }, await keyOf(world, 'events:read', 'contacts:read'))).toEqual([
      'FORBIDDEN',
    ])
    const all = await keyOf(world, 'events:read', 'sequences:read', 'contacts:read')
    expect((await world.run(Bodies, { id }, { key: all })).webhook.deliveries.nodes[0].body).toContain(contact.email)
  })

  it('requires contacts:read if the REST API has a contact in it', async () => {
    const world = await newWorld({ server })
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url, { eventPatterns: ['form_submission.started'] })
    const { id: contact } = await world.contact()
    await world.submission(await world.form(), { contact: { id: contact } })
    await whenWebhook(world, id, isDelivered)
    expect(await codes(world, Bodies, { id }, await keyOf(world, 'events:read', 'forms:read'))).toEqual(['FORBIDDEN'])
    const both = await keyOf(world, 'events:read', 'forms:read', 'contacts:read')
    expect(await codes(world, Bodies, { id }, both)).toEqual([])
  })
})

describe('a key of events:write', () => {
  it('changes neither URL nor secret of a webhook that receives what the key cannot read', async () => {
    const { world, receiver, id, delivery } = await createDelivery()
    const key = await keyOf(world, 'events:write')
    const other = await newReceiver()
    for (const [document, variables] of [
      [Move, { input: { id, url: other.url } }],
      [Move, { input: { id, rotateSecret: true } }],
      [Rotate, { id }],
      [Replay, { input: { deliveryId: delivery.id } }],
      [Replay, { input: { webhookId: id, since } }],
    ] as const) {
      expect(await codes(world, document, variables, key), document).toEqual(['FORBIDDEN'])
    }
    expect((await world.run(Read, { id })).webhook.url).toBe(receiver.url)
    expect(receiver.calls).toHaveLength(1)
    const reader = await keyOf(world, 'events:write', 'contacts:read')
    expect(await codes(world, Replay, { input: { deliveryId: delivery.id } }, reader)).toEqual([])
    await receiver.upTo(2)
    expect(await codes(world, Rotate, { id }, reader)).toEqual([])
    expect(await codes(world, Move, { input: { id, url: other.url } }, reader)).toEqual([])
    // Changes of other fields require no more scopes than before.
    expect(await codes(world, Move, { input: { id, active: false } }, key)).toEqual([])
  })

  it('requires every scope for a webhook that receives all events', async () => {
    const { world, id } = await createDelivery({ eventPatterns: ['*'] })
    const reader = await keyOf(world, 'events:write', 'contacts:read')
    expect(await codes(world, Rotate, { id }, reader)).toEqual(['FORBIDDEN'])
  })
})

describe('a webhook with a changed URL', () => {
  it('sends nothing that was rendered for the old URL: pending deliveries are cancelled', async () => {
    const world = await newWorld({ server })
    const old = await newReceiver(() => 500)
    const { id } = await newWebhook(world, old.url, { eventPatterns: ['contact.created'] })
    await world.contact({ email: 'ada@example.com' })
    await old.upTo(1)
    const other = await newReceiver()
    await world.run(Update, { input: { id, url: other.url } })
    // A job fails it if a worker was storing the result at that moment.
    const { deliveries } = await whenWebhook(world, id, isEnded)
    expect(deliveries.nodes).toMatchObject([
      { status: 'FAILED', error: 'The URL of the webhook was changed.', nextAttemptAt: null },
    ])
    await world.contact({ email: 'grace@example.com' })
    expect((await other.upTo(1))[0]?.text).toContain('grace@example.com')
    expect(old.calls).toHaveLength(1)
    expect(JSON.stringify(other.calls.map(({ text }) => text))).not.toContain('ada@example.com')
  })

  it('renders a replay again with the current scopes of the key', async () => {
    const { world, receiver, id, delivery } = await createDelivery({
      eventPatterns: ['contact.created'],
      document: selecting('contact { email }'),
    })
    expect(receiver.calls).toHaveLength(1)
    const other = await newReceiver()
    await world.run(Update, { input: { id, url: other.url, document: selecting('contactId') } })
    await world.run(Replay, { input: { deliveryId: delivery.id } })
    const [call] = await other.upTo(1)
    expect(call?.body.data.events).toEqual({ contactId: expect.any(String) })
    expect(call?.text).not.toContain('ada@example.com')
    expect(receiver.calls).toHaveLength(1)
  })

  it('sends no events that it no longer receives', async () => {
    const { world, id, delivery } = await createDelivery()
    const other = await newReceiver()
    await world.run(Update, { input: { id, url: other.url, eventPatterns: ['order.*'] } })
    const fault = await world.fault(Replay, { input: { deliveryId: delivery.id } })
    expect(fault.extensions.code).toBe('VALIDATION_ERROR')
    expect(await world.run(Replay, { input: { webhookId: id, since } })).toEqual({ webhookReplay: { replayed: 0 } })
  })
})

const selecting = (fields: string) => `subscription { events { ... on ContactEvent { ${fields} } } }`
