// @module-tag rows
import { describe, expect, it } from 'vitest'
import { financeJobs } from '../../src/finance/index.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { buyer, moving, OrderRecord } from './documents.ts'

const event = { provider: 'stripe', eventId: 'evt_1' }

/** Each mutation that accepts a provider event, with its input and its selection. */
const reported: Record<string, { select: string; row: string; input: (world: World) => Promise<object> }> = {
  orderRecord: order(async () => ({ idOrder: 'A-1', customer: buyer, amount: '1' })),
  orderComplete: order(async (world) => ({ id: (await world.order()).id })),
  orderCancel: order(async (world) => ({ id: (await world.order()).id })),
  orderRefund: order(async (world) => ({ id: (await world.order({ status: 'COMPLETED' })).id })),
  transactionRecord: {
    row: 'transaction',
    select: 'transaction { id status }',
    input: async (world) => ({
      idTransaction: 'T-1',
      amount: '1',
      status: 'COMPLETED',
      invoiceId: (await world.invoice()).id,
    }),
  },
  transactionUpdate: {
    row: 'transaction',
    select: 'transaction { id status }',
    input: async (world) => ({ id: (await world.transaction()).id, status: 'COMPLETED' }),
  },
  invoiceIssue: {
    row: 'invoice',
    select: 'invoice { id number }',
    input: async (world) => ({ orderId: (await world.order()).id }),
  },
  invoicePay: {
    row: 'invoice',
    select: 'invoice { id status paidAmount { amount } }',
    input: async (world) => ({ id: (await world.invoice()).id, amount: '5' }),
  },
  creditNoteIssue: {
    row: 'creditNote',
    select: 'creditNote { id number }',
    input: async (world) => ({ invoiceId: (await world.invoice()).id, amount: '5' }),
  },
  subscriptionRecord: subscription(async () => ({ idSubscription: 'S-1', name: 'Plan', amount: '1', customer: buyer })),
  subscriptionRenew: subscription(async (world) => world.subscription({ paymentsLeft: 5 })),
  subscriptionFail: subscription(async (world) => world.subscription()),
  subscriptionEnd: subscription(async (world) => world.subscription()),
  subscriptionRestart: subscription(async (world) => world.subscription({ status: 'ERROR' })),
}

function order(input: (world: World) => Promise<object>) {
  return { row: 'order', select: 'order { id status }', input }
}
function subscription(input: (world: World) => Promise<object>) {
  const named = async (world: World) => {
    const given = (await input(world)) as Partial<Named>
    return given.id ? { id: given.id } : given
  }
  return { row: 'subscription', select: 'subscription { id status paymentsLeft }', input: named }
}

describe('a provider event', () => {
  it.each(Object.entries(reported))(
    'runs %s once for 20 concurrent requests',
    async (field, { select, row, input }) => {
      const world = await newWorld()
      const asked = { ...(await input(world)), providerEvent: event }
      await world.rows('DELETE FROM outbox_event WHERE account_id = $1', [world.accountId])
      const document = moving(field, select)
      const responses = await Promise.all(Array.from({ length: 20 }, () => world.run(document, { input: asked })))
      const rows = responses.map((answer) => answer[field][row])
      expect(new Set(rows.map((each) => JSON.stringify(each))).size).toBe(1)
      const announced = await world.announced()
      expect(new Set(announced.map(({ type }) => type)).size).toBe(announced.length)
      expect((await world.run(document, { input: asked }))[field][row]).toEqual(rows[0])
      expect(await world.announced()).toEqual(announced)
    },
    30_000,
  )

  it('returns the current object if it is repeated', async () => {
    const world = await newWorld()
    const input = { idOrder: 'A-1', customer: buyer, amount: '1', providerEvent: event }
    const { order: first } = (await world.run(OrderRecord, { input })).orderRecord
    await world.run(moving('orderComplete', 'order { id }'), { input: { id: first.id } })
    const { order: again } = (await world.run(OrderRecord, { input })).orderRecord
    expect([again.id, again.status]).toEqual([first.id, 'COMPLETED'])
  })

  it('is rejected for another operation or other input', async () => {
    const world = await newWorld()
    const input = { idOrder: 'A-1', customer: buyer, amount: '1', providerEvent: event }
    const { order: created } = (await world.run(OrderRecord, { input })).orderRecord
    for (const [document, other] of [
      [OrderRecord, { ...input, amount: '2' }],
      [moving('orderComplete', 'order { id }'), { id: created.id, providerEvent: event }],
    ] as const) {
      const { extensions } = await world.fault(document, { input: other })
      expect(extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.providerEvent': [expect.any(String)] },
      })
    }
    const elsewhere = { ...input, idOrder: 'A-2', providerEvent: { ...event, provider: 'paypal' } }
    await world.run(OrderRecord, { input: elsewhere })
    await (await world.other()).run(OrderRecord, { input })
  })

  it('can be repeated after a failure', async () => {
    const world = await newWorld()
    const { id } = await world.order()
    const document = moving('orderRefund', 'order { status }')
    const input = { id, providerEvent: event }
    expect((await world.fault(document, { input })).extensions.code).toBe('INVALID_STATE')
    await world.run(moving('orderComplete', 'order { id }'), { input: { id } })
    expect((await world.run(document, { input })).orderRefund.order.status).toBe('REFUNDED')
  })

  it('can be combined with an idempotency key', async () => {
    const world = await newWorld()
    const input = { idOrder: 'A-1', customer: buyer, amount: '1.50', providerEvent: event, idempotencyKey: 'k' }
    const first = await world.run(OrderRecord, { input })
    expect(await world.run(OrderRecord, { input })).toEqual(first)
    const { idempotencyKey: _key, ...without } = input
    expect(await world.run(OrderRecord, { input: without })).toEqual(first)
    expect(await world.announced('order.created')).toHaveLength(1)
  })

  it('is deleted after 90 days', async () => {
    const world = await newWorld()
    const input = (n: number) => ({
      idOrder: `A-${n}`,
      customer: buyer,
      amount: '1',
      providerEvent: { ...event, eventId: `evt_${n}` },
    })
    for (const n of [1, 2]) await world.run(OrderRecord, { input: input(n) })
    await world.rows(
      `UPDATE provider_event SET created_at = now() - CASE event_id WHEN 'evt_1' THEN interval '91 days' ELSE interval '89 days' END
       WHERE account_id = $1`,
      [world.accountId],
    )
    await financeJobs['finance:forget-events'](world.server.system)
    const left = await world.rows('SELECT event_id FROM provider_event WHERE account_id = $1', [world.accountId])
    expect(left).toEqual([{ event_id: 'evt_2' }])
  })
})
