import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { newReceiver } from '../events/receiver.ts'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

const servers = useServers({ WEBHOOK_ALLOW_PRIVATE: 'on' })
const isoMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const newUrl = () => `https://hook.invalid/${randomUUID()}`

const post = (world: World, path: string, body: unknown) => world.call('POST', path, { body })
const put = (world: World, body: unknown) => world.call('PUT', '/v1/webhook', { body })
const get = (world: World, path: string, query: Record<string, string | number>) => world.call('GET', path, { query })
const made = async (world: World, fields: object = {}) =>
  (await post(world, '/v1/webhook', { url: newUrl(), ...fields })).body.data

/** Waits until the deliveries of a webhook satisfy `fits`, and returns them. */
async function deliveries(world: World, webhook_id: number, fits: (rows: { status: string }[]) => boolean) {
  for (;;) {
    const { body } = await get(world, '/v1/webhook-deliveries', { webhook_id })
    if (fits(body.data)) return body
  }
}

describe.each(gateways)('webhooks, %s', (gateway) => {
  const open = () => newWorld(servers, gateway)

  check('WEB-CREATE/success', 'returns the secret, and defaults to all events', async () => {
    const world = await open()
    const url = newUrl()
    const answer = await post(world, '/v1/webhook', { url })
    expect(answer).toMatchObject({ status: 201, body: { success: true } })
    expect(answer.body.data).toEqual({
      id: expect.any(Number),
      url,
      events: ['*'],
      active: true,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: isoMicroseconds,
    })
    expect((await made(world, { events: ['order.*', 'contact.created'] })).events).toEqual([
      'contact.created',
      'order.*',
    ])
  })

  check('WEB-CREATE/WEBHOOK_EXISTS', 'for a URL that the account has', async () => {
    const world = await open()
    const { url } = await made(world)
    expectError(await post(world, '/v1/webhook', { url }), 409, 'WEBHOOK_EXISTS')
    expect((await post(await open(), '/v1/webhook', { url })).status).toBe(201)
  })

  check('WEB-CREATE/VALIDATION_ERROR', 'for an invalid URL and an unknown event', async () => {
    const world = await open()
    const url = newUrl()
    const wrong: [Record<string, unknown>, string][] = [
      [{ url: 'nowhere' }, 'url'],
      [{ url: 5 }, 'url'],
      [{ url: '' }, 'url'],
      [{ url: 'ftp://example.com/' }, 'url'],
      [{ url: 'https://me:secret@example.com/' }, 'url'],
      [{ url: 'https://example.com/\0' }, 'url'],
      [{ url, events: 'contact.created' }, 'events'],
      [{ url, events: [] }, 'events'],
      [{ url, events: ['contact.born'] }, 'events'],
      [{ url, events: [5] }, 'events'],
      [{ url, description: 'x'.repeat(1001) }, 'description'],
    ]
    for (const [body, field] of wrong) {
      expectError(await post(world, '/v1/webhook', body), 422, 'VALIDATION_ERROR', [field])
    }
  })

  check('WEB-CREATE/idempotency', 'returns the same result again, including the secret', async () => {
    const world = await open()
    const sent = { body: { url: newUrl() }, headers: { 'idempotency-key': randomUUID() } }
    const first = await world.call('POST', '/v1/webhook', sent)
    expect((await world.call('POST', '/v1/webhook', sent)).body).toEqual(first.body)
  })

  check('WEB-GET/success', 'and the list contain no secret', async () => {
    const world = await open()
    const { secret: _secret, ...shown } = await made(world, { description: 'for the shop' })
    const whole = { ...shown, description: 'for the shop', disabled_at: null, disabled_reason: null }
    expect((await get(world, '/v1/webhook', { webhook_id: shown.id })).body).toEqual({ success: true, data: whole })
    expect((await get(world, '/v1/webhooks', {})).body).toEqual({
      success: true,
      data: [whole],
      meta: { current_page: 1, last_page: 1, per_page: 50, total: 1 },
    })
  })

  check('WEB-UPDATE/success', 'changes the fields that are sent, and returns only a new secret', async () => {
    const world = await open()
    const { id, secret, url } = await made(world)
    const changed = (await put(world, { webhook_id: id, events: ['contact.*'], active: false })).body.data
    expect(changed).toMatchObject({ id, url, events: ['contact.*'], active: false, updated: true })
    expect(changed).not.toHaveProperty('secret')
    const rotated = (await put(world, { webhook_id: id, rotate_secret: true })).body.data
    expect(rotated).toMatchObject({ events: ['contact.*'], active: false, secret: expect.stringMatching(/^whsec_/) })
    expect(rotated.secret).not.toBe(secret)
  })

  check('WEB-UPDATE/WEBHOOK_EXISTS', 'for the URL of another webhook', async () => {
    const world = await open()
    const [one, other] = [await made(world), await made(world)]
    expectError(await put(world, { webhook_id: one.id, url: other.url }), 409, 'WEBHOOK_EXISTS')
    expect((await put(world, { webhook_id: one.id, url: one.url })).status).toBe(200)
  })

  check('WEB-UPDATE/VALIDATION_ERROR', 'for invalid fields', async () => {
    const world = await open()
    const { id } = await made(world)
    for (const [field, value] of Object.entries({ url: 'x', events: ['x'], active: 'yes', rotate_secret: 1 })) {
      expectError(await put(world, { webhook_id: id, [field]: value }), 422, 'VALIDATION_ERROR', [field])
    }
  })

  check('WEB-DELETE/success', 'deletes the webhook', async () => {
    const world = await open()
    const { id } = await made(world)
    const sent = { body: { webhook_id: id } }
    expect((await world.call('DELETE', '/v1/webhook', sent)).body).toEqual({
      success: true,
      data: { id, deleted: true },
    })
    expectError(await world.call('DELETE', '/v1/webhook', sent), 404, 'NOT_FOUND')
    expectError(await get(world, '/v1/webhook', { webhook_id: id }), 404, 'NOT_FOUND')
  })

  check('WEB-TEST/success', 'sends one message, which the list contains and a replay repeats', async () => {
    const world = await open()
    const receiver = await newReceiver()
    const { id } = await made(world, { url: receiver.url, events: ['campaign.error'] })
    const { data } = (await post(world, '/v1/webhook-test', { webhook_id: id })).body
    expect(data).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: 0, response: null })
    const [call] = await receiver.upTo(1)
    expect(call?.body).toEqual({
      id: data.message_id,
      type: 'webhook.test',
      timestamp: isoMicroseconds,
      data: { webhook_id: id },
    })
    const { data: rows } = await deliveries(world, id, ([row]) => row?.status === 'delivered')
    expect(rows).toEqual([
      {
        ...data,
        status: 'delivered',
        attempts: 1,
        last_attempt_at: isoMicroseconds,
        next_attempt_at: null,
        response_status: 200,
        response: 'an answer',
        delivered_at: isoMicroseconds,
      },
    ])
    const replay = await post(world, '/v1/webhook-replay', { delivery_id: data.id })
    expect(replay.body).toEqual({ success: true, data: { replayed: 1 } })
    expect((await receiver.upTo(2))[1]?.text).toBe(call?.text)
  })

  check('WEB-TEST/NOT_FOUND', 'if the webhook is disabled', async () => {
    const world = await open()
    const { id } = await made(world)
    await put(world, { webhook_id: id, active: false })
    expectError(await post(world, '/v1/webhook-test', { webhook_id: id }), 404, 'NOT_FOUND')
  })

  check('WEB-DELIVERIES/INVALID_STATUS', 'for an unknown status', async () => {
    const world = await open()
    const { id } = await made(world)
    for (const status of ['sent', 'PENDING', '']) {
      expectError(await get(world, '/v1/webhook-deliveries', { webhook_id: id, status }), 400, 'INVALID_STATUS')
    }
    for (const status of ['pending', 'delivered', 'failed']) {
      expect((await get(world, '/v1/webhook-deliveries', { webhook_id: id, status })).body.data).toEqual([])
    }
  })

  check('WEB-REPLAY/VALIDATION_ERROR', 'if the input selects no deliveries', async () => {
    const world = await open()
    const since = '2026-01-01T00:00:00Z'
    expectError(await post(world, '/v1/webhook-replay', {}), 422, 'VALIDATION_ERROR', ['delivery_id'])
    expectError(await post(world, '/v1/webhook-replay', { webhook_id: 1 }), 422, 'VALIDATION_ERROR', ['since'])
    expectError(await post(world, '/v1/webhook-replay', { webhook_id: 1, since: 'then' }), 422, 'VALIDATION_ERROR', [
      'since',
    ])
    const { id } = await made(world)
    const answer = await post(world, '/v1/webhook-replay', { webhook_id: id, since })
    expect(answer.body).toEqual({ success: true, data: { replayed: 0 } })
  })

  check('LEG-WEB-CREATE/success', 'returns the webhook without an envelope, with the ID under both names', async () => {
    const world = await open()
    const url = newUrl()
    const answer = await world.call('POST', '/webhook', { key: null, query: { api_key: world.key }, body: { url } })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ url, secret: expect.stringMatching(/^whsec_/), webhook_id: answer.body.id })
  })
})

check('EVENT/webhook.test', 'is emitted once', async () => {
  const world = await newWorld(servers, 'in-process')
  await post(world, '/v1/webhook-test', { webhook_id: (await made(world)).id })
  expect((await world.announced()).filter((type) => type === 'webhook.test')).toHaveLength(1)
})
