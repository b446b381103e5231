import { afterAll, describe, expect, it } from 'vitest'
import { declarationOf, eventTypes } from '../../src/events/index.ts'
import { newWorld } from '../support/world.ts'
import { Create, newSender, newWebhook, Update } from './webhook-world.ts'

const usual = newSender()
const newWebhookWorld = async () => newWorld({ server: await usual })
const url = 'https://hook.invalid/hook'
const List = '{ webhooks { nodes { id url } totalCount } account { webhooks { nodes { id } totalCount } } }'

afterAll(async () => {
  expect((await usual).errors).toEqual([])
})

describe('webhookCreate', () => {
  it('defaults to all events, and returns the secret', async () => {
    const world = await newWebhookWorld()
    const created = await newWebhook(world, url)
    expect(created).toMatchObject({ url, eventPatterns: ['*'], active: true, secret: expect.stringMatching(/^whsec_/) })
    expect(Buffer.from(created.secret.slice(6), 'base64')).toHaveLength(32)
    const { webhooks, account } = await world.run(List)
    expect(webhooks).toEqual({ nodes: [{ id: created.id, url }], totalCount: 1 })
    expect(account.webhooks).toEqual({ nodes: [{ id: created.id }], totalCount: 1 })
  })

  it.each([
    [
      ['contact.created', 'contact.created', 'campaign.*'],
      ['campaign.*', 'contact.created'],
    ],
    [['order.*', '*'], ['*']],
    [
      ['tag.*', '*', 'contact.created', 'campaign.updated'],
      ['*', 'campaign.updated', 'tag.*'],
    ],
    [['webhook.test'], ['webhook.test']],
  ])('accepts event types and prefixes of them: %j', async (eventPatterns, kept) => {
    const world = await newWebhookWorld()
    expect(await newWebhook(world, url, { eventPatterns })).toMatchObject({ eventPatterns: kept })
  })

  it('accepts event types as enum values, and returns those that the webhook receives', async () => {
    const world = await newWebhookWorld()
    const made = await newWebhook(world, url, { events: ['ORDER_CREATED', 'CONTACT_TAG_ADDED', 'ORDER_CREATED'] })
    expect(made.eventPatterns).toEqual(['contact.tag_added', 'order.created'])
    expect(made.events.toSorted()).toEqual(['CONTACT_TAG_ADDED', 'ORDER_CREATED'])
    const update = async (input: object) =>
      (await world.run(Update, { input: { id: made.id, ...input } })).webhookUpdate.webhook
    expect((await update({ eventPatterns: ['credit_note.*'] })).events).toEqual(['CREDIT_NOTE_CREATED'])
    expect((await update({ description: 'x' })).events).toEqual(['CREDIT_NOTE_CREATED'])
    const all = (await update({ eventPatterns: ['*'] })).events
    expect(all.toSorted()).toEqual(
      eventTypes()
        .filter((type) => type !== 'webhook.test' && !declarationOf(type).isEdit)
        .map((type) => type.replace('.', '_').toUpperCase())
        .sort(),
    )
    expect((await update({ eventPatterns: ['campaign.*'] })).events).not.toContain('CAMPAIGN_UPDATED')
    expect((await update({ eventPatterns: ['sequence.*'] })).events.toSorted()).toEqual([
      'SEQUENCE_COMPLETED',
      'SEQUENCE_SUBSCRIBED',
      'SEQUENCE_UNSUBSCRIBED',
    ])
    expect((await update({ eventPatterns: ['tag.*', 'campaign.updated'] })).events.toSorted()).toEqual([
      'CAMPAIGN_UPDATED',
      'TAG_CREATED',
      'TAG_DELETED',
      'TAG_UPDATED',
    ])
    expect((await update({ events: ['INVOICE_PAID'] })).eventPatterns).toEqual(['invoice.paid'])
  })

  it('returns only events that its key can read', async () => {
    const world = await newWebhookWorld()
    const key = await world.key({ scopes: ['events:write', 'events:read', 'contacts:read'] })
    const { webhook } = (
      await world.run(Create, { input: { url, events: ['CONTACT_CREATED', 'ORDER_CREATED'] } }, { key })
    ).webhookCreate
    expect(webhook).toMatchObject({
      events: ['CONTACT_CREATED'],
      eventPatterns: ['contact.created', 'order.created'],
    })
  })

  it('returns VALIDATION_ERROR for event types together with patterns, and for no event types', async () => {
    const world = await newWebhookWorld()
    const refused = async (input: object) => (await world.fault(Create, { input: { url, ...input } })).extensions
    expect(await refused({ events: ['ORDER_CREATED'], eventPatterns: ['*'] })).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ path: 'input.eventPatterns', code: 'NOT_COMBINABLE' }],
    })
    expect(await refused({ events: [] })).toMatchObject({ fields: [{ path: 'input.events', code: 'REQUIRED' }] })
  })

  it.each([
    [[]],
    [['contact.born']],
    [['contact']],
    [['contact.']],
    [['con*']],
    [['*.created']],
    [['toString']],
    [['\0']],
  ])('returns VALIDATION_ERROR for unknown events: %j', async (eventPatterns) => {
    const world = await newWebhookWorld()
    const { extensions } = await world.fault(Create, { input: { url, eventPatterns } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(Object.keys(extensions.details ?? {})[0]).toMatch(/^input\.eventPatterns/)
  })

  it('returns WEBHOOK_EXISTS for a URL that the account has, also concurrently', async () => {
    const world = await newWebhookWorld()
    const responses = await Promise.all([1, 2, 3, 4].map(() => world.ask(Create, { input: { url } })))
    const codes = responses.map(({ body }) => body.errors?.[0].extensions.code ?? 'made')
    expect(codes.sort()).toEqual(['WEBHOOK_EXISTS', 'WEBHOOK_EXISTS', 'WEBHOOK_EXISTS', 'made'])
    const other = await newWebhook(await world.other(), url)
    expect(other.url).toBe(url)
    const second = await newWebhook(world, `${url}/2`)
    expect((await world.fault(Update, { input: { id: second.id, url } })).extensions.code).toBe('WEBHOOK_EXISTS')
    expect((await world.run(Update, { input: { id: second.id, url: `${url}/2` } })).webhookUpdate.webhook.id).toBe(
      second.id,
    )
  })

  it('creates at most one hundred webhooks per account, also concurrently', async () => {
    const world = await newWebhookWorld()
    await world.rows(
      `INSERT INTO webhook (account_id, url, events, scopes, secret, created_at, updated_at)
       SELECT $1, 'https://hook.invalid/' || n, '{contact.created}', '{full_access}', 'whsec_', now(), now() FROM generate_series(1, 98) n`,
      [world.accountId],
    )
    const responses = await Promise.all(
      ['a', 'b', 'c', 'd'].map((path) => world.ask(Create, { input: { url: `${url}/${path}` } })),
    )
    expect(responses.filter(({ body }) => body.errors?.[0].extensions.code === 'VALIDATION_ERROR')).toHaveLength(2)
    expect((await world.run('{ webhooks { totalCount } }')).webhooks.totalCount).toBe(100)
  })

  it('returns the same result for a repeated idempotency key, and stores no secret for it', async () => {
    const world = await newWebhookWorld()
    const input = { url, idempotencyKey: 'k1' }
    const first = await world.run(Create, { input })
    expect(await world.run(Create, { input })).toEqual(first)
    const rotate = { id: first.webhookCreate.webhook.id, rotateSecret: true, idempotencyKey: 'k2' }
    const rotated = await world.run(Update, { input: rotate })
    expect(rotated.webhookUpdate.secret).not.toBe(first.webhookCreate.secret)
    expect(await world.run(Update, { input: rotate })).toEqual(rotated)
    const stored = await world.rows('SELECT result FROM idempotency_key WHERE account_id = $1', [world.accountId])
    expect(stored).toHaveLength(2)
    expect(JSON.stringify(stored)).not.toContain('whsec_')
  })
})
