import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

const servers = useServers()
const isoMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const move = (world: World, verb: 'Complete' | 'Cancel' | 'Refund', id: number) =>
  world.graph(`mutation { order${verb}(input: { id: ${id} }) { order { id } } }`)

const recordTransaction = (world: World, email: string) =>
  world.graph(
    'mutation ($input: TransactionRecordInput!) { transactionRecord(input: $input) { transaction { databaseId } } }',
    { input: { idTransaction: 'T-1', customer: { email }, amount: '1' } },
  )

describe.each(gateways)('orders, %s', (gateway) => {
  const open = () => newWorld(servers, gateway)
  const get = async (world: World, path: string, query = {}) => (await world.call('GET', path, { query })).body

  check('ORD-GET/success', 'returns an order by its id_order', async () => {
    const world = await open()
    const { id } = await world.order({ idOrder: 'A-1', type: 'stripe', amount: '12.30' })
    const [customer] = await world.rows<{ id: number }>('SELECT id FROM customer WHERE account_id = $1', [
      world.accountId,
    ])
    expect(await get(world, '/v1/order', { id_order: 'A-1' })).toEqual({
      success: true,
      data: {
        id,
        id_order: 'A-1',
        id_customer: customer?.id,
        email: 'buyer@example.com',
        firstname: 'Grace',
        lastname: 'Hopper',
        type: 'stripe',
        status: 'waiting',
        amount: 12.3,
        currency: 'EUR',
        created_at: isoMicroseconds,
      },
    })
  })

  check('ORD-GET/NOT_FOUND', 'for an unknown id_order and for that of another account', async () => {
    const [world, other] = [await open(), await open()]
    await other.order({ idOrder: 'theirs' })
    for (const id_order of ['theirs', 'A-1', '0', 'x'.repeat(900)]) {
      expectError(await world.call('GET', '/v1/order', { query: { id_order } }), 404, 'NOT_FOUND')
    }
  })

  check('ORD-GET/VALIDATION_ERROR', 'for an invalid id_order', async () => {
    const world = await open()
    for (const id_order of ['', 'a\0b', 'x'.repeat(1001)]) {
      expectError(await world.call('GET', '/v1/order', { query: { id_order } }), 422, 'VALIDATION_ERROR', ['id_order'])
    }
  })

  check('ORD-LIST/success', 'lists newest first, filtered by status and period', async () => {
    const world = await open()
    const all = [
      await world.order(),
      await world.order({ status: 'COMPLETED' }),
      await world.order(),
      await world.order({ status: 'COMPLETED' }),
    ]
    await move(world, 'Cancel', all[2]?.id ?? 0)
    await move(world, 'Refund', all[3]?.id ?? 0)
    const list = (query = {}) => get(world, '/v1/orders', query)
    const page = await list({ per_page: 3 })
    expect(page.meta).toEqual({ current_page: 1, last_page: 2, per_page: 3, total: 4 })
    expect(page.data.map(({ status }: { status: string }) => status)).toEqual(['refunded', 'cancelled', 'completed'])
    expect(page.data[2]).toEqual((await get(world, '/v1/order', { id_order: all[1]?.id_order })).data)
    for (const [index, status] of ['waiting', 'completed', 'cancelled', 'refunded'].entries()) {
      const { data, meta } = await list({ status, period: 'today' })
      expect([data.map(({ id }: { id: number }) => id), meta.total]).toEqual([[all[index]?.id], 1])
    }
    await world.order({ createdAt: '2020-02-29T12:00:00Z' })
    expect((await list({ period: 'between', range: '2020-02-29to2020-02-29' })).meta.total).toBe(1)
    expect(await list({ period: 'yesterday' })).toMatchObject({ data: [], meta: { last_page: 1, total: 0 } })
  })

  check('ORD-LIST/INVALID_STATUS', 'for an unknown status', async () => {
    const world = await open()
    for (const status of ['', 'Waiting', 'pending', 'COMPLETED', 'completed,waiting']) {
      expectError(await world.call('GET', '/v1/orders', { query: { status } }), 400, 'INVALID_STATUS')
    }
  })

  check(
    'SALES-AMOUNT/success',
    'returns the total of completed and waiting orders in the currency of the account',
    async () => {
      const world = await open()
      for (const input of [
        { amount: '0.10' },
        { amount: '0.20', status: 'COMPLETED' },
        { amount: '5', currency: 'USD' },
      ])
        await world.order(input)
      await move(world, 'Cancel', (await world.order()).id)
      await move(world, 'Refund', (await world.order({ status: 'COMPLETED' })).id)
      expect(await get(world, '/v1/sales-amount', { period: 'all' })).toEqual({ success: true, data: { amount: 0.3 } })
      expect((await get(world, '/v1/sales-amount', { period: 'yesterday' })).data).toEqual({ amount: 0 })
    },
  )

  check('SALES-AMOUNT/INVALID_PERIOD', 'without a period', async () => {
    expectError(await (await open()).call('GET', '/v1/sales-amount'), 400, 'INVALID_PERIOD')
  })

  check('LEG-SALES-AMOUNT/success', 'returns the amount without an envelope', async () => {
    const world = await open()
    await world.order({ amount: '0.10' })
    const response = await world.call('GET', '/sales-amount', {
      key: null,
      query: { api_key: world.key, period: 'today' },
    })
    expect([response.status, response.body]).toEqual([200, { amount: 0.1 }])
  })

  check('LEG-SALES-AMOUNT/INVALID_PERIOD', 'without a period', async () => {
    const world = await open()
    const answer = await world.call('GET', '/sales-amount', { key: null, query: { api_key: world.key } })
    expect([answer.status, answer.body]).toEqual([400, { message: expect.any(String) }])
  })

  check('REVENUE/success', 'returns the total of completed orders by currency, of today by default', async () => {
    const world = await open()
    await world.order({ amount: '100' })
    for (const [currency, amount] of [
      ['EUR', '1.10'],
      ['JPY', '300'],
      ['EUR', '2.20'],
    ])
      await world.order({ currency, amount, status: 'COMPLETED' })
    await world.order({ amount: '7', status: 'COMPLETED', createdAt: '2024-01-01T00:00:00Z' })
    expect(await get(world, '/v1/revenue')).toEqual({
      success: true,
      data: [
        { currency: 'JPY', amount: 300, orders: 1 },
        { currency: 'EUR', amount: 3.3, orders: 2 },
      ],
    })
    expect((await get(world, '/v1/revenue', { period: 'between', range: '2024-01-01to2024-01-02' })).data).toEqual([
      { currency: 'EUR', amount: 7, orders: 1 },
    ])
    expect((await get(world, '/v1/revenue', { period: 'yesterday' })).data).toEqual([])
  })

  for (const [what, record] of [
    ['orders', (world: World, email: string) => world.order({ customer: { email } })],
    ['transactions', (world: World, email: string) => recordTransaction(world, email)],
  ] as const) {
    check('CON-DELETE/success', `keeps a contact that has ${what}, and unsubscribes it`, async () => {
      const world = await open()
      const sequence = await world.sequence()
      await world.stage(sequence.id)
      const contact = await world.contact({ email_marketing: true, gdpr: true, sequence_ids: String(sequence.id) })
      const read = async () => (await get(world, '/v1/contact', { contact_id: contact.id })).data
      expect(await read()).toMatchObject({ email_marketing: true, sequences: [sequence.id] })
      await record(world, contact.email)
      const answer = await world.call('DELETE', '/v1/contact', { body: { contact_id: contact.id } })
      expect([answer.status, answer.body]).toEqual([
        200,
        { success: true, data: { deleted: false, reason: expect.stringContaining(what) } },
      ])
      expect(await read()).toMatchObject({ email_marketing: false, gdpr: true, sequences: [] })
    })

    check('CON-DELETE/success', `keeps a contact that was created after its ${what}`, async () => {
      const world = await open()
      const email = 'Late.Comer@Example.com'
      await record(world, email.toLowerCase())
      const contact = await world.contact({ email })
      const [row] = await world.rows('SELECT contact_id FROM customer WHERE account_id = $1', [world.accountId])
      expect(row).toEqual({ contact_id: contact.id })
      // This is also true if the contact and the order are not linked yet.
      await world.rows('UPDATE customer SET contact_id = NULL WHERE account_id = $1', [world.accountId])
      const answer = await world.call('DELETE', '/v1/contact', { body: { email } })
      expect(answer.body).toEqual({ success: true, data: { deleted: false, reason: expect.stringContaining(what) } })
    })
  }
})

describe('order events', () => {
  const checkEvent = (type: string, act: (world: World) => Promise<unknown>) =>
    check(`EVENT/${type}`, 'is emitted once', async () => {
      const world = await newWorld(servers, 'in-process')
      await act(world)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })

  checkEvent('order.created', (world) => world.order())
  checkEvent('order.completed', async (world) => move(world, 'Complete', (await world.order()).id))
  checkEvent('order.cancelled', async (world) => move(world, 'Cancel', (await world.order()).id))
  checkEvent('order.refunded', async (world) => move(world, 'Refund', (await world.order({ status: 'COMPLETED' })).id))
})
