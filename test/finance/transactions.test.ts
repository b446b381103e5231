import { describe, expect, it } from 'vitest'
import { transitions } from '../../src/finance/recording/status-transitions.ts'
import { newWorld } from '../support/world.ts'
import { buyer, TransactionRecord, TransactionUpdate } from './documents.ts'

const statuses = Object.keys(transitions.transaction)
const news: Record<string, string> = { COMPLETED: 'completed', REFUNDED: 'refunded', ERROR: 'error' }

describe('transactionRecord', () => {
  it('defaults customer and currency to those of the order, invoice or subscription', async () => {
    const world = await newWorld()
    const order = await world.order({ currency: 'USD', customer: { email: 'us@example.com' } })
    const invoice = await world.invoice({ orderId: order.id })
    const subscription = await world.subscription()
    for (const [input, shown] of [
      [{ orderId: order.id }, { customer: { email: 'us@example.com' }, amount: { amount: '1.00', currency: 'USD' } }],
      [{ invoiceId: invoice.databaseId }, { customer: { email: 'us@example.com' }, invoice: { id: invoice.id } }],
      [{ subscriptionId: subscription.id }, { customer: buyer, amount: { currency: 'EUR' }, type: 'one_time' }],
      [
        { customer: buyer, orderId: order.id, currency: 'EUR', type: 'subscription' },
        { customer: buyer, type: 'subscription' },
      ],
    ] as const) {
      const all = { idTransaction: JSON.stringify(input), amount: '1', ...input }
      const { transaction } = (await world.run(TransactionRecord, { input: all })).transactionRecord
      expect(transaction).toMatchObject({ status: 'WAITING', ...shown })
    }
    expect(await world.announced('transaction.completed')).toEqual([])
  })

  it('pays the invoice it names once it is completed, and a refund does not take that back', async () => {
    const world = await newWorld()
    const invoice = await world.invoice()
    const input = { idTransaction: 'T-1', invoiceId: invoice.id, amount: '5', status: 'COMPLETED' }
    const { transaction } = (await world.run(TransactionRecord, { input })).transactionRecord
    expect(transaction.invoice).toMatchObject({ status: 'PARTIALLY_PAID', paidAmount: { amount: '5.00' } })
    const rest = await world.transaction({ invoiceId: invoice.id, amount: '7' })
    const move = async (status: string) =>
      (await world.run(TransactionUpdate, { input: { id: rest.id, status } })).transactionUpdate.transaction
    expect(await move('PROCESSING')).toMatchObject({ invoice: { status: 'PARTIALLY_PAID' } })
    expect(await move('COMPLETED')).toMatchObject({ invoice: { status: 'PAID' } })
    expect(await move('REFUNDED')).toMatchObject({ invoice: { status: 'PAID' } })
    expect((await world.announced()).map(({ type }) => type)).toEqual([
      'invoice.created',
      'transaction.completed',
      'invoice.paid',
      'transaction.completed',
      'transaction.refunded',
    ])
  })

  it('announces each transaction once, and each status that has no event of its own', async () => {
    const world = await newWorld()
    const { id } = await world.transaction({ status: 'WAITING' })
    for (const status of ['PROCESSING', 'COMPLETED']) await world.run(TransactionUpdate, { input: { id, status } })
    await world.transaction({ idTransaction: 'T-2', status: 'CANCELLED' })
    const events = (await world.announced('*')).map(({ type }) => type)
    expect(events.filter((type) => type.startsWith('transaction.'))).toEqual([
      'transaction.created',
      'transaction.updated',
      'transaction.completed',
      'transaction.created',
    ])
  })

  it('rejects more than the open amount of the invoice, and another currency', async () => {
    const world = await newWorld()
    const invoice = await world.invoice()
    const input = { idTransaction: 'T-1', invoiceId: invoice.id, amount: '12.01', status: 'COMPLETED' }
    expect((await world.fault(TransactionRecord, { input })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.amount': [expect.any(String)] },
    })
    const other = { ...input, amount: '1', currency: 'USD' }
    expect((await world.fault(TransactionRecord, { input: other })).extensions.details).toHaveProperty([
      'input.currency',
    ])
    const waiting = await world.transaction({ invoiceId: invoice.id, amount: '20' })
    const completed = { id: waiting.id, status: 'COMPLETED' }
    expect((await world.fault(TransactionUpdate, { input: completed })).extensions.code).toBe('VALIDATION_ERROR')
    expect(await world.announced('transaction.completed')).toEqual([])
  })

  it.each([
    [{ customer: null }, 'VALIDATION_ERROR', ['customer']],
    [{ amount: '1.001' }, 'VALIDATION_ERROR', ['amount']],
    [{ currency: 'XXX' }, 'VALIDATION_ERROR', ['currency']],
    [{ idTransaction: '' }, 'VALIDATION_ERROR', ['idTransaction']],
    [{ idTransaction: 'taken' }, 'VALIDATION_ERROR', ['idTransaction']],
    [{ orderId: 0 }, 'NOT_FOUND', ['orderId']],
    [{ invoiceId: 0 }, 'NOT_FOUND', ['invoiceId']],
    [{ subscriptionId: '99999999999' }, 'NOT_FOUND', ['subscriptionId']],
    [{ createdAt: '2099-01-01T00:00:00Z' }, 'VALIDATION_ERROR', ['createdAt']],
  ])('rejects %j', async (wrong, code, fields) => {
    const world = await newWorld()
    await world.transaction({ idTransaction: 'taken' })
    const input = { idTransaction: 'T-1', customer: buyer, amount: '1', ...wrong }
    const { extensions } = await world.fault(TransactionRecord, { input })
    expect([extensions.code, Object.keys(extensions.details ?? {})]).toEqual([
      code,
      fields.map((field) => `input.${field}`),
    ])
  })
})

describe('transactionUpdate', () => {
  it.each(statuses)('allows from %s only the transitions of the table', async (from) => {
    const world = await newWorld()
    for (const to of statuses) {
      const { id, databaseId } = await world.transaction({ status: from })
      await world.rows('DELETE FROM outbox_event WHERE account_id = $1', [world.accountId])
      const { body } = await world.ask(TransactionUpdate, { input: { id, status: to } })
      const may = (transitions.transaction[from as never] as string[]).includes(to)
      if (may) expect(body.data.transactionUpdate.transaction.status).toBe(to)
      else
        expect(body.errors).toMatchObject([
          { message: expect.stringContaining(from), extensions: { code: 'INVALID_STATE' } },
        ])
      const announced =
        may && news[to] ? [{ type: `transaction.${news[to]}`, data: { transactionId: databaseId } }] : []
      expect(await world.announced()).toEqual(announced)
    }
  })

  it('completes concurrent transactions up to the open amount of the invoice only', async () => {
    const world = await newWorld()
    const invoice = await world.invoice()
    const all = await Promise.all(
      Array.from({ length: 10 }, () => world.transaction({ invoiceId: invoice.id, amount: '4' })),
    )
    const responses = await Promise.all(
      all.map(({ id }) => world.ask(TransactionUpdate, { input: { id, status: 'COMPLETED' } })),
    )
    expect(responses.filter(({ body }) => !body.errors)).toHaveLength(3)
    expect(await world.announced('invoice.paid')).toHaveLength(1)
  })
})
