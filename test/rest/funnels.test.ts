import { describe, expect } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

const servers = useServers()
const isoMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const plainTime = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
const content = { version: 1, root: [{ type: 'section', children: [] }] }

/** Opens a world with a subdomain. */
async function newShop(gateway: (typeof gateways)[number]): Promise<World> {
  const world = await newWorld(servers, gateway)
  const name = `shop-${Math.random().toString(36).slice(2, 12)}`
  await world.rows('UPDATE account SET subdomain = $2 WHERE id = $1', [world.accountId, name])
  return world
}
const created = async (world: World, path: string, body: object): Promise<number> =>
  (await world.call('POST', path, { body })).body.data.id
const funnelOf = (world: World) => created(world, '/v1/funnel', { name: 'Spring' })
const stepOf = (world: World, funnel_id: number, name = 'Welcome') =>
  created(world, '/v1/funnel-step', { funnel_id, name })

describe.each(gateways)('funnels, %s', (gateway) => {
  check('FUN-CREATE', 'creates a funnel without steps, of any type', async () => {
    const world = await newShop(gateway)
    const { status, body } = await world.call('POST', '/v1/funnel', { body: { name: 'Spring' } })
    expect(status).toBe(201)
    expect(body).toEqual({ success: true, data: { id: expect.any(Number), name: 'Spring', type: 0 } })
    for (const type of [1, 2]) {
      const { data } = (await world.call('POST', '/v1/funnel', { body: { name: 'x', type } })).body
      expect(data.type).toBe(type)
      const found = await world.call('GET', '/v1/funnel', { query: { funnel_id: data.id } })
      expect(found.body.data.steps).toEqual([])
    }
  })

  check('FUN-CREATE/NO_SUBDOMAIN', 'for an account without a subdomain', async () => {
    const world = await newWorld(servers, gateway)
    expectError(await world.call('POST', '/v1/funnel', { body: { name: 'x' } }), 400, 'NO_SUBDOMAIN')
  })

  check('FUN-CREATE', 'refuses a wrong type and a wrong name', async () => {
    const world = await newWorld(servers, gateway)
    for (const type of [3, -1, '1', 1.5, null, 'LEAD']) {
      expectError(await world.call('POST', '/v1/funnel', { body: { name: 'x', type } }), 422, 'VALIDATION_ERROR', [
        'type',
      ])
    }
    for (const name of ['', 7, 'a\0', undefined, 'x'.repeat(256)]) {
      expectError(await world.call('POST', '/v1/funnel', { body: { name } }), 422, 'VALIDATION_ERROR', ['name'])
    }
  })

  check('FUN-LIST', 'lists funnels, newest first', async () => {
    const world = await newShop(gateway)
    const ids = [await funnelOf(world), await funnelOf(world), await funnelOf(world)]
    const { body } = await world.call('GET', '/v1/funnels', { query: { per_page: 2 } })
    expect(body).toEqual({
      success: true,
      data: [ids[2], ids[1]].map((id) => ({ id, name: 'Spring', type: 0, created_at: isoMicroseconds })),
      meta: { current_page: 1, last_page: 2, per_page: 2, total: 3 },
    })
  })

  check('FUN-GET', 'reads a funnel with its steps, in their order', async () => {
    const world = await newShop(gateway)
    const id = await funnelOf(world)
    const steps = [await stepOf(world, id), await stepOf(world, id)]
    const { body } = await world.call('GET', '/v1/funnel', { query: { funnel_id: id } })
    expect(body).toEqual({
      success: true,
      data: {
        id,
        name: 'Spring',
        type: 0,
        created_at: isoMicroseconds,
        steps: [
          { id: steps[0], name: 'Welcome', path: 'welcome', type: 1, order: 1, title: '' },
          { id: steps[1], name: 'Welcome', path: 'welcome-1', type: 1, order: 2, title: '' },
        ],
      },
    })
    const other = await newShop(gateway)
    expectError(await other.call('GET', '/v1/funnel', { query: { funnel_id: id } }), 404, 'NOT_FOUND')
    expectError(await world.call('GET', '/v1/funnel'), 422, 'VALIDATION_ERROR', ['funnel_id'])
  })

  check('FUN-UPDATE', 'changes what is sent', async () => {
    const world = await newShop(gateway)
    const id = await funnelOf(world)
    const put = (body: object) => world.call('PUT', '/v1/funnel', { body: { funnel_id: id, ...body } })
    expect((await put({ type: 2 })).body).toEqual({
      success: true,
      data: { id, name: 'Spring', type: 2, updated: true },
    })
    expect((await put({ name: 'New', type: 0 })).body.data).toEqual({ id, name: 'New', type: 0, updated: true })
    expectError(await put({ type: 3 }), 422, 'VALIDATION_ERROR', ['type'])
    expectError(await put({ funnel_id: 0 }), 404, 'NOT_FOUND')
  })

  check('FUN-DELETE', 'deletes a funnel with its steps at once', async () => {
    const world = await newShop(gateway)
    const id = await funnelOf(world)
    const step = await stepOf(world, id)
    const remove = () => world.call('DELETE', '/v1/funnel', { body: { funnel_id: id } })
    expect((await remove()).body).toEqual({ success: true, data: { id, deleted: true } })
    expectError(await remove(), 404, 'NOT_FOUND')
    expectError(await world.call('GET', '/v1/funnel-step', { query: { step_id: step } }), 404, 'NOT_FOUND')
    expect((await world.call('GET', '/v1/funnels')).body.meta.total).toBe(0)
  })

  check('FUN-STEP-CREATE', 'adds a step, and a form for it', async () => {
    const world = await newShop(gateway)
    const funnel_id = await funnelOf(world)
    const { status, body } = await world.call('POST', '/v1/funnel-step', { body: { funnel_id, name: 'Thank You!' } })
    expect(status).toBe(201)
    expect(body).toEqual({
      success: true,
      data: { id: expect.any(Number), funnel_id, name: 'Thank You!', path: 'thank-you', order: 1 },
    })
    for (const [index, path] of ['thank-you-1', 'thank-you-2'].entries()) {
      const more = await world.call('POST', '/v1/funnel-step', { body: { funnel_id, name: 'Thank You!' } })
      expect(more.body.data).toMatchObject({ path, order: index + 2 })
    }
    const { data } = (await world.call('GET', '/v1/forms')).body
    expect(data).toMatchObject(Array.from({ length: 3 }, () => ({ name: 'Thank You!', type: 'optin' })))
    expectError(await world.call('POST', '/v1/funnel-step', { body: { funnel_id: 0, name: 'x' } }), 404, 'NOT_FOUND')
    for (const type of [-1, '1', 2_147_483_648]) {
      const response = await world.call('POST', '/v1/funnel-step', { body: { funnel_id, name: 'x', type } })
      expectError(response, 422, 'VALIDATION_ERROR', ['type'])
    }
  })

  check('FUN-STEP-CONTENT', 'takes a document as an object and as text', async () => {
    const world = await newShop(gateway)
    const funnel_id = await funnelOf(world)
    const id = await stepOf(world, funnel_id)
    const put = (body: object) => world.call('PUT', '/v1/funnel-step-content', { body: { step_id: id, ...body } })
    for (const template_json of [content, JSON.stringify(content)]) {
      const { status, body } = await put({ template_json, title: 'T', description: 'D' })
      expect([status, body]).toEqual([200, { success: true, data: { id, funnel_id, updated: true } }])
    }
    const { data } = (await world.call('GET', '/v1/funnel-step', { query: { step_id: id } })).body
    expect(data).toEqual({
      id,
      funnel_id,
      name: 'Welcome',
      path: 'welcome',
      type: 1,
      order: 1,
      title: 'T',
      description: 'D',
    })
    expectError(await put({ step_id: 0, template_json: content }), 404, 'NOT_FOUND')
    const stored = await world.rows('SELECT content FROM step_version WHERE account_id = $1', [world.accountId])
    expect(stored).toEqual([{ content }, { content }])
  })

  check('FUN-STEP-CONTENT', 'takes the document of another builder, and keeps all of it', async () => {
    const world = await newShop(gateway)
    const id = await stepOf(world, await funnelOf(world))
    const foreign = { blocks: [{ kind: 'hero', text: 'Grüße' }], theme: { colour: 'red' } }
    for (const template_json of [{}, foreign, JSON.stringify(foreign), { version: 1, rows: [] }]) {
      const body = { step_id: id, template_json }
      expect((await world.call('PUT', '/v1/funnel-step-content', { body })).body.data).toMatchObject({
        id,
        updated: true,
      })
    }
    const stored = await world.rows('SELECT content FROM step_version WHERE account_id = $1 ORDER BY version', [
      world.accountId,
    ])
    const empty = { version: 1, root: [] }
    expect(stored.map((row) => Object(row).content)).toEqual([
      empty,
      { ...empty, ...foreign },
      { ...empty, ...foreign },
      { ...empty, rows: [] },
    ])
  })

  check('FUN-STEP-CONTENT', 'refuses what is no document, and says where', async () => {
    const world = await newShop(gateway)
    const id = await stepOf(world, await funnelOf(world))
    const put = (body: string) =>
      world.call('PUT', '/v1/funnel-step-content', { body: `{"step_id":${id},"template_json":${body}}` })
    const deep = (open: string, close: string) => `${open.repeat(20_000)}1${close.repeat(20_000)}`
    const wrong = [
      '7',
      'null',
      '[]',
      '"{"',
      '"7"',
      '"[]"',
      '{"version":2}',
      '{"root":{}}',
      '{"version":1,"root":[{"type":"aside"}]}',
      '{"version":1,"root":[],"x":1e999}',
      '{"version":1,"root":[],"x":"\\u0000"}',
      '{"version":1,"root":[],"x":"\\ud800"}',
      '{"version":1,"root":[],"__proto__":{}}',
      deep('{"a":', '}'),
      `{"a":${deep('[', ']')}}`,
    ]
    for (const body of wrong) expectError(await put(body), 422, 'VALIDATION_ERROR', ['template_json'])
    const { error } = (await put('{"version":1,"root":[{"type":"section","children":[{"type":"marquee"}]}]}')).body
    expect(error.details.template_json[0]).toContain('root.0.children.0.type')
    const missing = await world.call('PUT', '/v1/funnel-step-content', { body: { step_id: id } })
    expectError(missing, 422, 'VALIDATION_ERROR', ['template_json'])
  })

  check('FUN-STEP-GET', 'does not find another account’s step', async () => {
    const [world, other] = [await newShop(gateway), await newShop(gateway)]
    const id = await stepOf(other, await funnelOf(other))
    expectError(await world.call('GET', '/v1/funnel-step', { query: { step_id: id } }), 404, 'NOT_FOUND')
    expectError(await world.call('GET', '/v1/funnel-step'), 422, 'VALIDATION_ERROR', ['step_id'])
  })

  check('FUN-STEP-UPDATE/PATH_TAKEN', 'for the path of another step of the funnel', async () => {
    const world = await newShop(gateway)
    const funnel_id = await funnelOf(world)
    const [step_id] = [await stepOf(world, funnel_id), await stepOf(world, funnel_id)]
    const body = { step_id, path: 'welcome-1' }
    expectError(await world.call('PUT', '/v1/funnel-step', { body }), 409, 'PATH_TAKEN')
  })

  check('FUN-STEP-UPDATE', 'changes what is sent; its own path again is fine', async () => {
    const world = await newShop(gateway)
    const funnel_id = await funnelOf(world)
    const [id] = [await stepOf(world, funnel_id), await stepOf(world, funnel_id)]
    const put = (body: object) => world.call('PUT', '/v1/funnel-step', { body: { step_id: id, ...body } })
    const { body } = await put({ name: 'Hello', type: 4, title: 'T', path: 'hello' })
    expect(body).toEqual({
      success: true,
      data: { id, funnel_id, name: 'Hello', path: 'hello', type: 4, order: 1, title: 'T', updated: true },
    })
    expect((await put({ path: 'hello' })).status).toBe(200)
    for (const path of ['', 'A', 'a b', 7, 'x'.repeat(101)])
      expectError(await put({ path }), 422, 'VALIDATION_ERROR', ['path'])
    expectError(await put({ step_id: 0 }), 404, 'NOT_FOUND')
  })

  check('FUN-STEP-DELETE', 'deletes a step; the others close up', async () => {
    const world = await newShop(gateway)
    const funnel_id = await funnelOf(world)
    const [id, next] = [await stepOf(world, funnel_id), await stepOf(world, funnel_id)]
    const remove = () => world.call('DELETE', '/v1/funnel-step', { body: { step_id: id } })
    expect((await remove()).body).toEqual({ success: true, data: { deleted: true } })
    expectError(await remove(), 404, 'NOT_FOUND')
    expect((await world.call('GET', '/v1/funnel', { query: { funnel_id } })).body.data.steps).toMatchObject([
      { id: next, order: 1 },
    ])
  })

  check('FUN-STATS', 'sums up a funnel, step by step and group by group', async () => {
    const world = await newShop(gateway)
    const funnel_id = await funnelOf(world)
    const id = await stepOf(world, funnel_id)
    const visit = (visitor: string, source: string) =>
      world.rows(
        `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, attribution)
         VALUES ($1, now(), $2, $3, $4, jsonb_build_object('utm_source', $5::text))`,
        [world.accountId, funnel_id, id, visitor, source],
      )
    for (const [visitor, source] of [
      ['a', 'news'],
      ['a', 'news'],
      ['b', 'ads'],
      ['c', 'ads'],
    ] as const)
      await visit(visitor, source)
    await world.rows(
      `INSERT INTO submission (account_id, form_id, status, bucket, started_at, completed_at, created_at, updated_at)
       SELECT $1, form_id, 'COMPLETED', 'COLD', now(), now(), now(), now() FROM funnel_step WHERE id = $2`,
      [world.accountId, id],
    )
    await countRows(world, ['step_visitor', 'submission'])
    const empty = { visitors: 0, views: 0, optins: 0, orders: 0, revenue: [], optin_rate: 0, order_rate: 0 }
    const totals = { ...empty, visitors: 3, views: 4, optins: 1, optin_rate: 0.3333 }
    const ask = (query: Record<string, string> = {}) =>
      world.call('GET', '/v1/funnel-stats', { query: { funnel_id, ...query } })
    expect((await ask({ group_by: 'utm_source' })).body).toEqual({
      success: true,
      data: {
        funnel_id,
        since: plainTime,
        until: plainTime,
        group_by: 'utm_source',
        totals,
        steps: [{ id, name: 'Welcome', path: 'welcome', order: 1, ...totals }],
        groups: [
          { key: 'ads', ...empty, visitors: 2, views: 2 },
          { key: 'news', ...empty, visitors: 1, views: 2 },
          { key: '', ...empty, optins: 1 },
        ],
      },
    })
    expect((await ask({ period: 'all' })).body.data).toMatchObject({
      since: null,
      until: null,
      group_by: null,
      totals,
      groups: [],
    })
    expect((await ask({ utm_source: 'ads', group_by: 'day' })).body.data).toMatchObject({
      totals: { visitors: 2 },
      groups: [{ visitors: 2 }],
    })
    expect((await ask({ period: 'yesterday' })).body.data.totals).toEqual(empty)
    expectError(await ask({ period: 'ever' }), 400, 'INVALID_PERIOD')
    expectError(await ask({ period: 'between', range: '2026-02-01' }), 400, 'INVALID_PERIOD')
    expectError(await ask({ group_by: 'hour' }), 422, 'VALIDATION_ERROR', ['group_by'])
    expectError(await ask({ ad_id: 'x'.repeat(256) }), 422, 'VALIDATION_ERROR', ['ad_id'])
    expectError(await ask({ funnel_id: '0' }), 404, 'NOT_FOUND')
  })
})
