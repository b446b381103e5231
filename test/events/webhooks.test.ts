// @module-tag rows
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../src/client/index.ts'
import { scopes } from '../../src/kernel/scopes.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { Create, Delete, newSender, newWebhook, Read, Replay, Test, Update, whenWebhook } from './webhook-world.ts'

const usual = newSender()
const newWebhookWorld = async () => newWorld({ server: await usual })
const url = 'https://hook.invalid/hook'
const Rotate = 'mutation ($id: ID!) { webhookUpdate(input: { id: $id, rotateSecret: true }) { secret webhook { id } } }'
const List = '{ webhooks { nodes { id url } totalCount } account { webhooks { nodes { id } totalCount } } }'

afterAll(async () => {
  expect((await usual).errors).toEqual([])
})

describe('a webhook', () => {
  it('receives an event as a signed POST with the data of the REST API', async () => {
    const world = await newWebhookWorld()
    const receiver = await newReceiver()
    const { id, secret } = await newWebhook(world, receiver.url)
    const contact = await world.contact({ email: 'ada@example.com', firstName: 'Ada' })
    const [call] = await receiver.upTo(1)
    expect(call).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', 'user-agent': 'Campanile' },
    })
    expect(new Verifier(secret).verify(call?.text as string, call?.headers as Record<string, string>)).toEqual({
      id: call?.headers['webhook-id'],
      type: 'contact.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      data: expect.objectContaining({ id: contact.databaseId, email: 'ada@example.com', first_name: 'Ada', tags: [] }),
    })
    expect(await verifyWebhook(call?.text as string, call?.headers as never, secret)).toEqual(call?.body)
    const webhook = await whenWebhook(world, id, ({ deliveries }) => deliveries.nodes[0]?.status === 'DELIVERED')
    expect(webhook.deliveries.nodes).toMatchObject([
      { type: 'CONTACT_CREATED', attempts: 1, responseStatus: 200, response: 'an answer', body: call?.text },
    ])
  })

  it('receives only the events that it selects, and none of another account', async () => {
    const world = await newWebhookWorld()
    const receiver = await newReceiver()
    await newWebhook(world, `${receiver.url}/tags`, { eventPatterns: ['contact.tag_added'] })
    await newWebhook(world, `${receiver.url}/contacts`, { eventPatterns: ['contact.*', 'contact.created'] })
    await newWebhook(world, `${receiver.url}/sequences`, { eventPatterns: ['sequence.*'] })
    const other = await world.other()
    await newWebhook(other, `${receiver.url}/other`)
    const tag = await world.tag()
    await world.contact({ addTagIds: [tag.id] })
    const calls = await receiver.upTo(3)
    expect(calls.map(({ path, body }) => [path, body.type]).sort()).toEqual([
      ['/hook/contacts', 'contact.created'],
      ['/hook/contacts', 'contact.tag_added'],
      ['/hook/tags', 'contact.tag_added'],
    ])
    // The same event has the same ID for all webhooks.
    const added = calls.filter(({ body }) => body.type === 'contact.tag_added')
    expect(added[0]?.headers['webhook-id']).toBe(added[1]?.headers['webhook-id'])
    expect(added[0]?.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/)
  })

  it('receives only what the key that created it can read', async () => {
    const world = await newWebhookWorld()
    const receiver = await newReceiver()
    const key = await world.key({ scopes: ['events:write', 'events:read', 'sequences:read'] })
    const { webhook } = (await world.run(Create, { input: { url: receiver.url } }, { key })).webhookCreate
    const sequence = await world.sequence()
    await world.stage(sequence)
    await world.subscribe(await world.contact(), sequence)
    const [call] = await receiver.upTo(1)
    expect(call?.body.type).toBe('sequence.subscribed')
    // The webhook now has the scopes of the full-access key that changed it.
    await world.run(Update, { input: { id: webhook.id, eventPatterns: ['*'] } })
    await world.contact()
    expect((await receiver.upTo(2))[1]?.body.type).toBe('contact.created')
  })

  it('receives nothing while it is disabled, and the pending events after that', async () => {
    const world = await newWebhookWorld()
    let isDown = true
    const receiver = await newReceiver(() => (isDown ? 500 : 200))
    const { id } = await newWebhook(world, receiver.url)
    await world.contact()
    await receiver.upTo(1)
    await world.run(Update, { input: { id, active: false } })
    await world.contact()
    const another = await newReceiver()
    await newWebhook(world, another.url)
    const last = await world.contact()
    // Events are assigned to webhooks in order: the one of the deactivated time has been skipped by then.
    await until(() => another.calls.some(({ body }) => body.data.email === last.email))
    isDown = false
    await world.run(Update, { input: { id, active: true } })
    const delivered = await whenWebhook(world, id, ({ deliveries }) =>
      deliveries.nodes.every(({ status }: { status: string }) => status === 'DELIVERED'),
    )
    expect(delivered.deliveries.nodes).toHaveLength(1)
    expect(receiver.calls).toHaveLength(2)
  })

  it('is deleted with its deliveries', async () => {
    const world = await newWebhookWorld()
    const { id } = await newWebhook(world, url)
    expect(await world.run(Delete, { id })).toEqual({ webhookDelete: { deletedWebhookId: id } })
    expect(await world.run(Read, { id })).toEqual({ webhook: null })
    expect((await world.fault(Delete, { id })).extensions.code).toBe('NOT_FOUND')
    expect((await world.fault(Test, { id })).extensions.code).toBe('NOT_FOUND')
    expect(await newWebhook(world, url)).toMatchObject({ url })
  })
})

describe('an API key', () => {
  const operations = async (world: World) => {
    const { id } = await newWebhook(world, url)
    const reading = [List, Read, '{ webhookDryRun(type: WEBHOOK_TEST) { body } }'].map(
      (text) => [text, { id }] as const,
    )
    const writing = [
      [Create, { input: { url: `${url}/2` } }],
      [Update, { input: { id } }],
      [Rotate, { id }],
      [Test, { id }],
      [Replay, { input: { webhookId: id, since: '2026-01-01T00:00:00Z' } }],
      [Delete, { id }],
    ] as const
    return { reading, writing }
  }

  it('cannot read or write webhooks without the scope', async () => {
    const world = await newWebhookWorld()
    const { reading, writing } = await operations(world)
    const reader = await world.key({ scopes: ['events:read', 'account:read'] })
    const writer = await world.key({ scopes: ['events:write'] })
    const all = await world.key({ scopes: [...scopes] })
    const none = await world.key({ scopes: ['contacts:read', 'account:read'] })
    const codeOf = async (document: string, variables: object, key: string) =>
      (await world.ask(document, variables, { key })).body.errors?.[0].extensions.code ?? 'OK'
    for (const [document, variables] of reading) {
      expect(await codeOf(document, variables, none), document).toBe('FORBIDDEN')
      expect(await codeOf(document, variables, writer), document).toBe('FORBIDDEN')
      expect(await codeOf(document, variables, reader), document).toBe('OK')
    }
    for (const [document, variables] of writing) {
      expect(await codeOf(document, variables, none), document).toBe('FORBIDDEN')
      expect(await codeOf(document, variables, reader), document).toBe('FORBIDDEN')
      // A key can write objects that it cannot read. Their data is null.
      const { body } = await world.ask(document, variables, { key: writer })
      expect(body.errors?.every(({ path }: { path: unknown[] }) => path.length === 2) ?? true, document).toBe(
        document !== Rotate && document !== Replay,
      )
      if (document !== Delete) expect(await codeOf(document, variables, all), document).toMatch(/^(OK|WEBHOOK_EXISTS)$/)
    }
  })

  it('cannot access webhooks of another account or their deliveries', async () => {
    const world = await newWebhookWorld()
    const other = await world.other()
    const { id, databaseId } = await newWebhook(world, url)
    const { delivery } = (await world.run(Test, { id })).webhookTest
    for (const foreign of [id, databaseId]) {
      expect(await other.run(Read, { id: foreign })).toEqual({ webhook: null })
      for (const [document, variables] of [
        [Update, { input: { id: foreign, active: false } }],
        [Rotate, { id: foreign }],
        [Test, { id: foreign }],
        [Delete, { id: foreign }],
        [Replay, { input: { webhookId: foreign, since: '2026-01-01T00:00:00Z' } }],
        [Replay, { input: { deliveryId: delivery.id } }],
      ] as const) {
        expect((await other.fault(document, variables)).extensions.code, document).toBe('NOT_FOUND')
      }
    }
    expect(
      (await other.fault(`{ webhookDryRun(webhookId: "${id}", type: QUOTA_REACHED) { body } }`)).extensions.code,
    ).toBe('NOT_FOUND')
  })
})

describe('edits', () => {
  it('are sent to webhooks that select them, and not to those with `*` or a shared prefix', async () => {
    const world = await newWebhookWorld()
    const [all, shared, selected] = [await newReceiver(), await newReceiver(), await newReceiver()]
    await newWebhook(world, all.url)
    await newWebhook(world, shared.url, { eventPatterns: ['campaign.*', 'contact.*'] })
    await newWebhook(world, selected.url, { eventPatterns: ['tag.*', 'campaign.created', 'contact.created'] })
    const tag = await world.tag()
    const { databaseId } = await world.campaign()
    await world.contact()
    // Up to five messages are sent to an endpoint at the same time, so they can arrive in another order.
    const received = Object.fromEntries((await selected.upTo(3)).map(({ body }) => [body.type, body.data]))
    expect(received).toEqual({
      'tag.created': { tag_id: tag.databaseId },
      'campaign.created': { campaign_id: databaseId },
      'contact.created': expect.any(Object),
    })
    for (const receiver of [all, shared])
      expect((await receiver.upTo(1)).map(({ body }) => body.type)).toEqual(['contact.created'])
  })
})
