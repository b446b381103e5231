import { describe, expect } from 'vitest'
import { legacyRoutes } from '../../rest-bridge/routes.ts'
import { check } from './check.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

const servers = useServers()
const hidden = useServers({ LEGACY_API: 'off' })

const call = (
  world: World,
  method: string,
  path: string,
  query: Record<string, string | number> = {},
  body?: unknown,
) =>
  world.call(method, path, { key: null, query: { api_key: world.key, ...query }, ...(body !== undefined && { body }) })

describe.each(gateways)('the unversioned API, %s', (gateway) => {
  check('LEG-CON-CREATE/success', 'returns {contact_id} without an envelope, as PUT does', async () => {
    const world = await newWorld(servers, gateway)
    const body = { email: 'ada@example.com', first_name: 'Ada' }
    const created = await call(world, 'POST', '/contact', {}, body)
    expect(created).toMatchObject({ status: 201, body: { contact_id: expect.any(Number) } })
    expect(Object.keys(created.body)).toEqual(['contact_id'])
    const updated = await call(world, 'PUT', '/contact', {}, body)
    expect(updated).toMatchObject({ status: 200, body: created.body })
    const again = await call(world, 'POST', '/contact', {}, body)
    expect(again).toMatchObject({ status: 409, body: { message: expect.any(String) } })
    expect(Object.keys(again.body)).toEqual(['message'])
  })

  check('LEG-CON-PUT/success', 'accepts consent under both names', async () => {
    const world = await newWorld(servers, gateway)
    const email = 'ada@example.com'
    for (const [consent, shown] of [
      [{ GDPR: true }, true],
      [{ first_name: 'Ada' }, true],
      [{ gdpr: false }, false],
      [{ gdpr: true, GDPR: false }, true],
    ] as const) {
      expect((await call(world, 'PUT', '/contact', {}, { email, ...consent })).status).toBe(200)
      expect((await call(world, 'GET', '/contact', { email })).body.GDPR).toBe(shown)
    }
    const wrong = await call(world, 'PUT', '/contact', {}, { email, GDPR: 'yes' })
    expect(wrong).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('GDPR must be true or false') },
    })
  })

  check('LEG-CON-CREATE/VALIDATION_ERROR-400', 'returns {message} with the status of /v1', async () => {
    const world = await newWorld(servers, gateway)
    const response = await call(world, 'POST', '/contact', {}, { email: 'ada@example.com', tag_ids: 'x' })
    expect(response).toMatchObject({ status: 400, body: { message: expect.stringContaining('tag_ids') } })
  })

  check('LEG-CON-GET/success', 'returns consent in capitals, and tags by name', async () => {
    const world = await newWorld(servers, gateway)
    const tag = await world.tag('vip')
    const { id } = await world.contact({ email: 'ada@example.com', gdpr: true, tag_ids: String(tag.id) })
    const { status, body } = await call(world, 'GET', '/contact', { contact_id: id })
    expect(status).toBe(200)
    expect(body).toEqual({
      id,
      contact_id: id,
      email: 'ada@example.com',
      first_name: '',
      last_name: '',
      email_marketing: false,
      GDPR: true,
      created_at: expect.stringMatching(/\.\d{6}Z$/),
      tags: ['vip'],
      sequences: [],
      custom_fields: [],
      subscriptions: [],
    })
  })

  check('LEG-CON-COUNT/success', 'returns {count} without an envelope', async () => {
    const world = await newWorld(servers, gateway)
    await world.contact()
    expect((await call(world, 'GET', '/contact-count', { period: 'today' })).body).toEqual({ count: 1 })
  })

  check('LEG-CON-COUNT/INVALID_PERIOD', 'if the period is missing', async () => {
    const world = await newWorld(servers, gateway)
    expect(await call(world, 'GET', '/contact-count')).toMatchObject({
      status: 400,
      body: { message: expect.any(String) },
    })
  })

  check('LEG-TAG-LIST/success', 'returns all rows, independent of the page size', async () => {
    const world = await newWorld(servers, gateway)
    await world.rows(
      `INSERT INTO tag (account_id, name, created_at) SELECT $1, 'tag ' || n, now() FROM generate_series(1, 250) n`,
      [world.accountId],
    )
    const { body, headers } = await call(world, 'GET', '/tags')
    expect(body).toHaveLength(250)
    expect(new Set(body.map((tag: { id: number }) => tag.id)).size).toBe(250)
    expect(Object.keys(body[0]).sort()).toEqual(['created_at', 'id', 'name', 'tag_id'])
    expect(Number(headers.get('x-ratelimit-remaining'))).toBe(999_999)
  })

  check('LEG-TAG-CONTACTS/success', 'returns all rows, independent of the page size', async () => {
    const world = await newWorld(servers, gateway)
    const tag = await world.tag('vip')
    await world.rows(
      `WITH made AS (
         INSERT INTO contact (account_id, email, created_at, updated_at)
         SELECT $1, 'c' || n || '@example.com', now(), now() FROM generate_series(1, 230) n RETURNING id)
       INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at) SELECT $1, id, $2, now() FROM made`,
      [world.accountId, tag.id],
    )
    const { body } = await call(world, 'GET', '/tags-contacts', { tag_id: tag.id })
    expect(new Set(body.map((contact: { id: number }) => contact.id)).size).toBe(230)
    expect(body[0]).toEqual({
      id: body[0].contact_id,
      contact_id: expect.any(Number),
      email: expect.any(String),
      first_name: '',
      last_name: '',
    })
  })

  check('LEG-TAG-OF-CONTACT/success', 'returns a list without an envelope', async () => {
    const world = await newWorld(servers, gateway)
    const tag = await world.tag('vip')
    const { email } = await world.contact({ tag_ids: String(tag.id) })
    const { body } = await call(world, 'GET', '/contacts-tags', { email })
    expect(body).toEqual([{ id: tag.id, tag_id: tag.id, name: 'vip', created_at: expect.any(String) }])
  })

  check('LEG-TAG-LIST/UNAUTHORIZED', 'accepts the key only in the query string, and only once', async () => {
    const world = await newWorld(servers, gateway)
    for (const api_key of ['', 'x\ny', 'schlüssel', `${world.key}x`]) {
      const answer = await world.call('GET', '/tags', { query: { api_key } })
      expect(answer).toMatchObject({ status: 401, body: { message: expect.any(String) } })
      expect(answer.body).toEqual({ message: expect.stringContaining('api_key') })
    }
    expect((await world.call('GET', '/tags')).status).toBe(401)
    const twice = await world.call('GET', '/tags', { key: null, query: { api_key: [world.key, world.key] } })
    expect(twice.status).toBe(401)
  })

  check('LEGACY/off', 'returns 404 if the unversioned API is disabled', async () => {
    const world = await newWorld(hidden, gateway)
    for (const route of legacyRoutes) {
      expect((await call(world, route.method, route.path)).status).toBe(404)
    }
    expect((await world.call('GET', '/v1/api')).status).toBe(200)
  })

  check('LEGACY/405', 'returns the allowed methods', async () => {
    const world = await newWorld(servers, gateway)
    const answer = await call(world, 'DELETE', '/contact')
    expect(answer).toMatchObject({ status: 405, body: { message: expect.any(String) } })
    expect(answer.headers.get('allow')).toBe('GET, POST, PUT, HEAD, OPTIONS')
  })
})
