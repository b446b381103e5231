import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import { buyer, moving, OrderRecord } from './documents.ts'

const lines = [
  { name: 'Bowl', quantity: 3, unitPrice: '12.50', vatRate: '20' },
  { name: 'Book', unitPrice: '9.99', vatRate: '5.5' },
]
const complete = moving('orderComplete', 'order { id status completedAt }')
const cancel = moving('orderCancel', 'order { id status }')
const refund = moving('orderRefund', 'order { id status }')

describe('orderRecord', () => {
  it('computes the totals line by line and emits order.created', async () => {
    const world = await newWorld()
    const input = {
      idOrder: 'A-1',
      type: 'stripe',
      lines,
      customer: { ...buyer, firstName: 'Grace', companyName: 'Navy' },
      attribution: [{ key: 'UTM_SOURCE', value: 'spring' }],
    }
    const { order } = (await world.run(OrderRecord, { input })).orderRecord
    expect(order).toMatchObject({
      idOrder: 'A-1',
      type: 'stripe',
      status: 'WAITING',
      // 37.50 + 7.50, and 9.99 + 0.54945 rounded to 0.55.
      amount: { amount: '55.54', currency: 'EUR' },
      lines: [
        { name: 'Bowl', quantity: 3, unitPrice: { amount: '12.50' }, vatRate: '20', vat: { amount: '7.50' } },
        { name: 'Book', quantity: 1, amount: { amount: '9.99', currency: 'EUR' }, vat: { amount: '0.55' } },
      ],
      attribution: [{ key: 'UTM_SOURCE', value: 'spring' }],
      customer: { email: 'buyer@example.com', firstName: 'Grace', companyName: 'Navy', contact: null },
      completedAt: null,
    })
    expect(await world.announced()).toEqual([{ type: 'order.created', data: { orderId: order.databaseId } }])
  })

  it('accepts an amount without lines in any currency, as a string and as a number', async () => {
    const world = await newWorld()
    for (const [currency, amount, shown] of [
      ['EUR', '12.5', '12.50'],
      ['EUR', 0.1, '0.10'],
      ['JPY', 1200, '1200'],
      ['KWD', '1.25', '1.250'],
      ['CLF', '1.2345', '1.2345'],
      ['EUR', '999999999999.99', '999999999999.99'],
      ['EUR', '12.5000', '12.50'],
      ['EUR', '0', '0.00'],
    ] as const) {
      const input = { idOrder: `${currency} ${shown} ${amount}`, customer: buyer, currency, amount }
      expect((await world.run(OrderRecord, { input })).orderRecord.order.amount).toEqual({ amount: shown, currency })
    }
    const literal = `mutation { orderRecord(input: { idOrder: "literal", amount: 0.30, customer: { email: "a@example.com" } }) {
      order { amount { amount } } } }`
    expect((await world.run(literal)).orderRecord.order.amount.amount).toBe('0.30')
  })

  it.each([
    [{ amount: '12.345' }, ['amount']],
    [{ amount: 0.1 + 0.2 }, ['amount']],
    [{ amount: '1.5', currency: 'JPY' }, ['amount']],
    [{ amount: '1.2345', currency: 'KWD' }, ['amount']],
    [{ amount: '1000000000000' }, ['amount']],
    [{ amount: '-1' }, ['amount']],
    [{ amount: null }, ['amount']],
    [{ amount: '10', currency: 'XXX' }, ['currency']],
    [{ amount: '10', currency: 'DEM' }, ['currency']],
    [{ lines, amount: '55.55' }, ['amount']],
    [{ lines: [], amount: null }, ['lines']],
    [{ lines: Array.from({ length: 501 }, () => lines[0]), amount: null }, ['lines']],
    [{ lines: [{ name: '', unitPrice: '1' }], amount: null }, ['lines.0.name']],
    [{ lines: [{ name: 'x', quantity: 0, unitPrice: '1' }], amount: null }, ['lines.0.quantity']],
    [{ lines: [{ name: 'x', unitPrice: '1.0000001' }], amount: null }, ['lines.0.unitPrice']],
    [{ lines: [{ name: 'x', unitPrice: '1', vatRate: '100.01' }], amount: null }, ['lines.0.vatRate']],
    [{ lines: [{ name: 'x', unitPrice: '1', vatRate: '5.55555' }], amount: null }, ['lines.0.vatRate']],
    [{ lines: [{ name: 'x', unitPrice: '-1' }], amount: null }, ['lines']],
    [{ lines: [{ name: 'x', quantity: 1_000_000, unitPrice: '1000000' }], amount: null }, ['lines.0.unitPrice']],
    [{ lines: [1, 2].map((n) => ({ name: `${n}`, unitPrice: '999999999999' })), amount: null }, ['lines']],
    [{ idOrder: ' ' }, ['idOrder']],
    [{ idOrder: 'x'.repeat(256) }, ['idOrder']],
    [{ idOrder: 'a\0b' }, ['idOrder']],
    [{ idOrder: '\ud800' }, ['idOrder']],
    [{ type: 'a\0b' }, ['type']],
    [{ customer: { email: 'nobody' } }, ['customer.email']],
    [{ customer: { ...buyer, firstName: 'a\0b' } }, ['customer.firstName']],
    [{ customer: { ...buyer, address: 'x'.repeat(501) } }, ['customer.address']],
    [{ stepId: 1 }, ['stepId']],
    [{ attribution: [1, 2].map(() => ({ key: 'GCLID', value: 'x' })) }, ['attribution']],
    [{ attribution: [{ key: 'GCLID', value: 'x'.repeat(256) }] }, ['attribution.0.value']],
    [{ createdAt: '2099-01-01T00:00:00Z' }, ['createdAt']],
    [{ createdAt: '0001-01-01T00:00:00Z' }, ['createdAt']],
    [{ providerEvent: { provider: '', eventId: '1' } }, ['providerEvent.provider']],
    [{ providerEvent: { provider: 'x', eventId: 'a\0b' } }, ['providerEvent.eventId']],
  ])('rejects %j with the name of the field and stores nothing', async (wrong, fields) => {
    const world = await newWorld()
    const input = { idOrder: 'A-1', customer: buyer, amount: '12.00', ...wrong }
    const { extensions } = await world.fault(OrderRecord, { input })
    expect(extensions.code).toBe('VALIDATION_ERROR')
    expect(Object.keys(extensions.details ?? {})).toEqual(fields.map((field) => `input.${field}`))
    expect(await world.rows('SELECT FROM customer WHERE account_id = $1', [world.accountId])).toEqual([])
    expect(await world.announced()).toEqual([])
  })

  it.each(['"1e3"', '1e3', '"NaN"', '"0x10"', 'true', '[1]', '"1,5"', '""'])(
    'rejects %s as an amount',
    async (amount) => {
      const world = await newWorld()
      const document = `mutation { orderRecord(input: { idOrder: "x", amount: ${amount}, customer: { email: "a@example.com" } }) { order { id } } }`
      expect((await world.fault(document)).extensions.code).toBe('BAD_REQUEST')
    },
  )

  it('rejects a duplicate idOrder, but accepts it in another account', async () => {
    const world = await newWorld()
    await world.order({ idOrder: 'A-1' })
    const input = { idOrder: 'A-1', customer: buyer, amount: '1' }
    const { extensions } = await world.fault(OrderRecord, { input })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.idOrder': ['is used by another order'] },
    })
    await (await world.other()).run(OrderRecord, { input })
  })

  it('creates one order for concurrent requests with the same idOrder', async () => {
    const world = await newWorld()
    const input = { idOrder: 'A-1', customer: buyer, amount: '1' }
    const responses = await Promise.all(Array.from({ length: 12 }, () => world.ask(OrderRecord, { input })))
    expect(responses.filter(({ body }) => !body.errors)).toHaveLength(1)
    expect(
      responses
        .flatMap(({ body }) => body.errors ?? [])
        .every(({ extensions }) => extensions.code === 'VALIDATION_ERROR'),
    ).toBe(true)
    expect(await world.announced('order.created')).toHaveLength(1)
  })

  it('records an order in the past and emits order.completed for a completed order', async () => {
    const world = await newWorld()
    const input = {
      idOrder: 'A-1',
      customer: buyer,
      amount: '1',
      status: 'COMPLETED',
      createdAt: '2025-02-03T04:05:06Z',
    }
    const { order } = (await world.run(OrderRecord, { input })).orderRecord
    expect(order).toMatchObject({
      status: 'COMPLETED',
      createdAt: '2025-02-03T04:05:06.000Z',
      completedAt: '2025-02-03T04:05:06.000Z',
    })
    expect((await world.announced()).map(({ type }) => type)).toEqual(['order.created', 'order.completed'])
  })

  it('needs the scope finance:write, and finance:read to read', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['contacts:read', 'contacts:write', 'finance:read'] })
    const input = { idOrder: 'A-1', customer: buyer, amount: '1' }
    expect((await world.fault(OrderRecord, { input }, { key })).extensions.code).toBe('FORBIDDEN')
    const other = await world.key({ scopes: ['contacts:read', 'finance:write'] })
    expect((await world.fault('{ orders { totalCount } }', {}, { key: other })).extensions.code).toBe('FORBIDDEN')
    const contact = await world.contact()
    const { body } = await world.ask(
      'query ($id: ID!) { contact(ref: { id: $id }) { email subscriptionSummaries { name } orders { totalCount } } }',
      contact,
      { key: other },
    )
    expect(body.data.contact).toEqual({ email: contact.email, subscriptionSummaries: [], orders: null })
    expect(body.errors).toMatchObject([{ path: ['contact', 'orders'], extensions: { code: 'FORBIDDEN' } }])
  })
})

describe('an order', () => {
  it('goes from waiting to completed to refunded, and nowhere else', async () => {
    const world = await newWorld()
    const order = await world.order()
    const input = { id: order.id }
    expect((await world.fault(refund, { input })).extensions.code).toBe('INVALID_STATE')
    expect((await world.run(complete, { input })).orderComplete.order).toMatchObject({
      status: 'COMPLETED',
      completedAt: expect.any(String),
    })
    const { message, extensions } = await world.fault(complete, { input })
    expect([extensions.code, message]).toEqual(['INVALID_STATE', expect.stringContaining('COMPLETED')])
    expect((await world.fault(cancel, { input })).extensions.code).toBe('INVALID_STATE')
    expect((await world.run(refund, { input })).orderRefund.order.status).toBe('REFUNDED')
    for (const document of [complete, cancel, refund]) {
      expect((await world.fault(document, { input })).extensions.code).toBe('INVALID_STATE')
    }
    expect((await world.announced()).map(({ type }) => type)).toEqual([
      'order.created',
      'order.completed',
      'order.refunded',
    ])
  })

  it('is completed or cancelled once by concurrent requests', async () => {
    const world = await newWorld()
    await world.run(complete, { input: { id: (await world.order()).id } })
    for (let round = 0; round < 5; round += 1) {
      const input = { id: (await world.order()).databaseId }
      const tries = Array.from({ length: 8 }, (_, n) => world.ask(n % 2 === 0 ? complete : cancel, { input }))
      const responses = await Promise.all(tries)
      expect(responses.filter(({ body }) => !body.errors)).toHaveLength(1)
    }
    expect(await world.announced()).toHaveLength(12)
  })

  it('is found by id or by idOrder, and BAD_REQUEST is returned for both or none', async () => {
    const world = await newWorld()
    const order = await world.order({ idOrder: 'A-1' })
    const find = (args: string) => world.ask(`{ order(ref: { ${args} }) { id idOrder } }`)
    for (const args of [`id: "${order.id}"`, `id: ${order.databaseId}`, 'idOrder: "A-1"']) {
      expect((await find(args)).body.data.order).toEqual({ id: order.id, idOrder: 'A-1' })
    }
    for (const args of ['id: 0', 'idOrder: "a-1"', 'idOrder: ""']) expect((await find(args)).body.data.order).toBeNull()
    for (const args of ['', 'idOrder: null', `id: ${order.databaseId}, idOrder: "A-1"`]) {
      expect((await find(args)).body.errors).toMatchObject([
        { message: expect.stringContaining('OrderRefInput'), extensions: { code: 'BAD_REQUEST' } },
      ])
    }
  })
})
