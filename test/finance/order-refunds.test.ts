// @module-tag rows
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { checkFigures } from '../../src/figures/check.ts'
import { orderRefunds } from '../../src/finance/index.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { moving } from './documents.ts'

const fields = `order { id status amount { amount } refundedAmount { amount } }
  creditNote { id number reason filename downloadUrl amount { amount } amountInclVat { amount }
    lines { name vatRate amount { amount } vat { amount } }
    invoice { id status openAmount { amount } creditedAmount { amount } } }`
const OrderRefund = moving('orderRefund', fields)
const CreditNoteIssue = moving('creditNoteIssue', 'creditNote { id amountInclVat { amount } }')
const Read = `query ($id: ID!) { node(id: $id) { ... on Order { status refundedAmount { amount }
  creditNotes(orderBy: { direction: ASC }) { nodes { number amountInclVat { amount } } } } } }`

/** 34.55 EUR with VAT: 24.00 at 20 % and 10.55 at 5.5 %. */
const lines = [
  { name: 'Bowl', quantity: 2, unitPrice: '10.00', vatRate: '20' },
  { name: 'Book', unitPrice: '10.00', vatRate: '5.5' },
]
const sold = (world: World, more: object = {}) => world.order({ status: 'COMPLETED', lines, ...more })
const refund = async (world: World, input: object) => (await world.run(OrderRefund, { input })).orderRefund
const refused = async (world: World, input: object) => {
  const { extensions } = await world.fault(OrderRefund, { input })
  return [extensions.code, ...Object.entries(extensions.details ?? {}).flat(2)]
}
const read = async (world: World, { id }: { id: string }) => (await world.run(Read, { id })).node
const revenueOf = async (world: World) => (await world.run('{ revenue { amount { amount currency } orders } }')).revenue
const invoiced = async (world: World) => {
  const order = await sold(world)
  return { order, invoice: await world.invoice({ orderId: order.id }) }
}

describe('a refund in part', () => {
  it('issues one credit note for its part, and the last one credits exactly what is left', async () => {
    const world = await newWorld()
    const { order, invoice } = await invoiced(world)
    const issued = () =>
      world.rows('SELECT lines, buyer, amount, document_id FROM invoice WHERE account_id = $1', [world.accountId])
    const before = await issued()
    const first = await refund(world, { id: order.id, amount: '10.01', reason: 'Broken' })
    expect(first).toMatchObject({
      order: { status: 'COMPLETED', amount: { amount: '34.55' }, refundedAmount: { amount: '10.01' } },
      creditNote: {
        number: '000001',
        reason: 'Broken',
        amountInclVat: { amount: '-10.01' },
        lines: [
          { vatRate: '5.5', amount: { amount: '-2.90' }, vat: { amount: '-0.16' } },
          { vatRate: '20', amount: { amount: '-5.79' }, vat: { amount: '-1.16' } },
        ],
        invoice: {
          id: invoice.id,
          status: 'PAYMENT_DUE',
          openAmount: { amount: '24.54' },
          creditedAmount: { amount: '10.01' },
        },
      },
    })
    const pdf = new Uint8Array(await (await fetch(first.creditNote.downloadUrl)).arrayBuffer())
    expect((await extractText(await getDocumentProxy(pdf))).text.join(' ')).toMatch(
      /CN-000001.*Credits invoice INV-000001.*Broken.*-10\.01/s,
    )
    await refund(world, { id: order.databaseId, amount: '0.01' })
    expect(await refused(world, { id: order.id, amount: '24.54' })).toEqual([
      'VALIDATION_ERROR',
      'input.amount',
      'must not exceed the amount of 24.53 EUR that is left of the order',
    ])
    const last = await refund(world, { id: order.id, amount: '24.53' })
    expect(last).toMatchObject({
      order: { status: 'REFUNDED', refundedAmount: { amount: '34.55' } },
      creditNote: {
        number: '000003',
        invoice: { openAmount: { amount: '0.00' }, creditedAmount: { amount: '34.55' } },
      },
    })
    const sums = await world.rows(
      `SELECT line ->> 'vatRate' AS rate, trim_scale(sum((line ->> 'amount')::numeric))::text AS amount,
         trim_scale(sum((line ->> 'vat')::numeric))::text AS vat
       FROM credit_note, jsonb_array_elements(lines) line WHERE account_id = $1 GROUP BY 1 ORDER BY 1`,
      [world.accountId],
    )
    expect(sums).toEqual([
      { rate: '20', amount: '-20', vat: '-4' },
      { rate: '5.5', amount: '-10', vat: '-0.55' },
    ])
    expect(await refused(world, { id: order.id, amount: '0.01' })).toEqual([
      'INVALID_STATE',
      'input.id',
      expect.any(String),
    ])
    expect(await issued()).toEqual(before)
  })

  it('is announced, and reduces revenue, the value of the contact and what funnels earned at once', async () => {
    const world = await newWorld()
    const contact = await world.contact({ email: 'buyer@example.com' })
    const step = await world.step(await world.funnel())
    const order = await sold(world, { stepId: step.id })
    const figures = async () => {
      const { node, revenueSeries, account, orders, funnels } = await world.run(
        `query ($id: ID!) {
          node(id: $id) { ... on Contact { purchases { orders lifetimeValue { amount } } } }
          revenueSeries(period: TODAY, groupBy: PRODUCT) { label series { total } }
          account { series(figure: REVENUE, interval: DAY, period: TODAY) { total } orders: series(figure: ORDERS, period: TODAY) { total } }
          orders(filter: { refundedAmount: { gt: 0 } }) { totalCount }
          funnels { nodes { stats { totals { orders revenue { amount } } } } } }`,
        contact,
      )
      return { node, revenueSeries, account, orders, funnel: funnels.nodes[0].stats.totals }
    }
    expect(await figures()).toMatchObject({ account: { series: { total: '34.55' } }, orders: { totalCount: 0 } })
    await world.rows('DELETE FROM outbox_event WHERE account_id = $1', [world.accountId])
    await refund(world, { id: order.id, amount: '6.91' })
    expect(await figures()).toMatchObject({
      node: { purchases: { orders: 1, lifetimeValue: [{ amount: '27.64' }] } },
      // A fifth of each product.
      revenueSeries: [
        { label: 'Bowl', series: { total: '19.20' } },
        { label: 'Book', series: { total: '8.44' } },
      ],
      account: { series: { total: '27.64' }, orders: { total: '1' } },
      orders: { totalCount: 1 },
      funnel: { orders: 1, revenue: [{ amount: '27.64' }] },
    })
    expect(await revenueOf(world)).toEqual([{ amount: { amount: '27.64', currency: 'EUR' }, orders: 1 }])
    await world.invoice({ orderId: order.id })
    await refund(world, { id: order.id, amount: '7.64' })
    expect((await world.announced()).map(({ type, data }) => [type, data])).toEqual([
      ['order.partially_refunded', { orderId: order.databaseId }],
      ['invoice.created', expect.anything()],
      ['credit_note.created', expect.anything()],
      ['order.partially_refunded', { orderId: order.databaseId }],
    ])
    await refund(world, { id: order.id })
    expect(await revenueOf(world)).toEqual([])
    expect((await figures()).node.purchases).toMatchObject({ orders: 0, lifetimeValue: [] })
    expect((await world.announced()).at(-1)?.type).toBe('order.refunded')
    expect(await checkFigures(world.server.system)).toEqual([])
  })

  it('names the lines that come back, at what is left of their rate', async () => {
    const world = await newWorld()
    const { order } = await invoiced(world)
    const bowl = [{ name: 'Bowl', unitPrice: '10.00', vatRate: '20' }]
    const { order: after, creditNote } = await refund(world, { id: order.id, lines: bowl })
    expect(after.refundedAmount.amount).toBe('12.00')
    expect(creditNote.lines).toEqual([
      { name: 'Bowl', vatRate: '20', amount: { amount: '-10.00' }, vat: { amount: '-2.00' } },
    ])
    expect(await refused(world, { id: order.id, lines: [{ ...bowl[0], quantity: 2 }] })).toMatchObject({
      0: 'VALIDATION_ERROR',
      1: 'input.lines',
    })
  })

  it('needs no invoice, and asks which one if there are several', async () => {
    const world = await newWorld()
    const order = await sold(world)
    expect(await refund(world, { id: order.id, amount: '5' })).toMatchObject({
      order: { refundedAmount: { amount: '5.00' } },
      creditNote: null,
    })
    const invoices = [await world.invoice({ orderId: order.id }), await world.invoice({ orderId: order.id })] as const
    expect(await refused(world, { id: order.id, amount: '5' })).toEqual([
      'VALIDATION_ERROR',
      'input.invoiceId',
      'is required, because the order has several invoices: INV-000001, INV-000002',
    ])
    const named = await refund(world, { id: order.id, amount: '5', invoiceId: invoices[1].id })
    expect(named.creditNote.invoice.id).toBe(invoices[1].id)
    const other = await world.invoice()
    expect(await refused(world, { id: order.id, amount: '5', invoiceId: other.id })).toMatchObject({ 0: 'NOT_FOUND' })
    await world.creditNote(invoices[0])
    const rest = await refund(world, { id: order.id, amount: '24.55' })
    expect([rest.order.status, rest.creditNote.invoice.id]).toEqual(['REFUNDED', invoices[1].id])
  })

  it.each([
    ['0', 'must be greater than 0'],
    ['-1', 'must not be negative'],
    ['34.56', 'must not exceed the amount of 34.55 EUR that is left of the order'],
    ['1.001', 'must have 2 decimals at most in EUR'],
    ['9999999999999', expect.stringContaining('must be')],
    ['NaN', expect.any(String)],
    ['1e2', expect.any(String)],
    ['', expect.any(String)],
  ])('is refused for the amount %j, and nothing is stored', async (amount, message) => {
    const world = await newWorld()
    const { order } = await invoiced(world)
    const { errors } = (await world.ask(OrderRefund, { input: { id: order.id, amount } })).body
    expect(['VALIDATION_ERROR', 'BAD_REQUEST']).toContain(errors?.[0].extensions.code)
    const reasons = Object.values(errors?.[0].extensions.details ?? { none: [errors?.[0].message] }).flat()
    expect(reasons).toEqual([message])
    expect(await read(world, order)).toEqual({
      status: 'COMPLETED',
      refundedAmount: { amount: '0.00' },
      creditNotes: { nodes: [] },
    })
  })

  it.each([
    ['an amount with lines', { amount: '1', lines }, 'input.amount'],
    ['a long reason', { amount: '1', reason: 'x'.repeat(1001) }, 'input.reason'],
    ['a reason alone', { reason: 'Broken' }, 'input.reason'],
    ['an invoice alone', { invoiceId: 1 }, 'input.invoiceId'],
    ['no lines', { lines: [] }, 'input.lines'],
    ['another VAT rate', { lines: [{ name: 'Bowl', unitPrice: '1', vatRate: '7' }] }, 'input.lines.0.vatRate'],
  ])('is refused for %s', async (_name, input, field) => {
    const world = await newWorld()
    const { order } = await invoiced(world)
    expect(await refused(world, { id: order.id, ...input })).toMatchObject({ 0: 'VALIDATION_ERROR', 1: field })
  })

  it('is refused for a reason without an invoice, and for an order that is not completed', async () => {
    const world = await newWorld()
    const order = await sold(world)
    expect(await refused(world, { id: order.id, amount: '1', reason: 'Broken' })).toMatchObject({ 1: 'input.reason' })
    const waiting = await world.order()
    expect(await refused(world, { id: waiting.id, amount: '1' })).toMatchObject({ 0: 'INVALID_STATE' })
  })

  it('keeps unit prices of six decimals and currencies without decimals exact', async () => {
    const world = await newWorld()
    const energy = { name: 'Electricity, kWh', unitPrice: '0.2856', quantity: 1000, vatRate: '19' }
    const power = await sold(world, { lines: [energy] })
    await world.invoice({ orderId: power.id })
    await refund(world, { id: power.id, amount: '113.29' })
    await refund(world, { id: power.id, amount: '113.29' })
    const { creditNote } = await refund(world, { id: power.id, amount: '113.28' })
    expect(creditNote.invoice.creditedAmount.amount).toBe('339.86')
    const yen = await sold(world, { currency: 'JPY', lines: [{ ...energy, unitPrice: '0.5' }] })
    await world.invoice({ orderId: yen.id })
    expect(await refused(world, { id: yen.id, amount: '0.5' })).toMatchObject({ 2: 'must have no decimals in JPY' })
    const { order } = await refund(world, { id: yen.id, amount: '595' })
    expect([order.status, order.refundedAmount.amount]).toEqual(['REFUNDED', '595'])
  })

  it('runs once for each provider event and for each idempotency key, also at once', async () => {
    const world = await newWorld()
    const { order } = await invoiced(world)
    for (const once of [{ providerEvent: { provider: 'stripe', eventId: 're_1' } }, { idempotencyKey: 'key' }]) {
      const input = { id: order.id, amount: '3', ...once }
      const tries = await Promise.all(Array.from({ length: 8 }, () => world.ask(OrderRefund, { input })))
      const done = tries.flatMap(({ body }) => (body.errors ? [] : [body.data.orderRefund.creditNote.id]))
      expect(new Set(done).size).toBe(1)
      expect((await refund(world, input)).creditNote.id).toBe(done[0])
    }
    expect(await read(world, order)).toMatchObject({ refundedAmount: { amount: '6.00' } })
    const other = { id: order.id, amount: '4', providerEvent: { provider: 'stripe', eventId: 're_1' } }
    expect(await refused(world, other)).toMatchObject({ 0: 'VALIDATION_ERROR', 1: 'input.providerEvent' })
  })

  it('never exceeds the order and the invoice when many race, also with credit notes', async () => {
    const world = await newWorld()
    for (let round = 0; round < 3; round += 1) {
      const { order, invoice } = await invoiced(world)
      const tries = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          n % 4 === 3
            ? world.ask(CreditNoteIssue, { input: { invoiceId: invoice.id, amount: '7' } })
            : world.ask(OrderRefund, { input: { id: order.id, amount: n % 2 === 0 ? '10' : '20.55' } }),
        ),
      )
      for (const { body } of tries)
        expect(body.errors?.[0].extensions.code ?? 'done').toMatch(/done|VALIDATION_ERROR|STATE/)
      const [sums] = await world.rows<{ isWithin: boolean }>(
        `SELECT -sum(n.amount_incl_vat) <= 34.55 AND o.refunded_amount <= 34.55 AS "isWithin"
         FROM "order" o JOIN credit_note n ON n.account_id = o.account_id AND n.order_id = o.id
         WHERE o.account_id = $1 AND o.id = $2 GROUP BY o.account_id, o.id, o.refunded_amount`,
        [world.accountId, order.databaseId],
      )
      expect(sums?.isWithin).toBe(true)
      const succeeded = tries.filter(({ body }) => body.data?.orderRefund).length
      expect(succeeded).toBeGreaterThan(0)
      const { refundedAmount } = await read(world, order)
      const expected = tries.flatMap(({ body }, n) => (body.data?.orderRefund ? [n % 2 === 0 ? 10 : 20.55] : []))
      expect(Number(refundedAmount.amount)).toBeCloseTo(
        expected.reduce((sum, each) => sum + each, 0),
        2,
      )
    }
    expect(await checkFigures(world.server.system)).toEqual([])
  })

  it('leaves nothing half done, and no gap in the numbers, if its transaction ends before the commit', async () => {
    const world = await newWorld()
    const { order } = await invoiced(world)
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    const cut = inTransaction(ctx, async (tx) => {
      await orderRefunds.refund(tx, { id: order.databaseId, amount: '10' })
      await tx.sql`SELECT pg_terminate_backend(pg_backend_pid())`
    })
    await expect(cut).rejects.toThrow()
    expect(await read(world, order)).toMatchObject({ refundedAmount: { amount: '0.00' }, creditNotes: { nodes: [] } })
    expect((await refund(world, { id: order.id, amount: '10' })).creditNote.number).toBe('000001')
    expect(await revenueOf(world)).toMatchObject([{ amount: { amount: '24.55' } }])
  })
})

describe('an invoice without an order', () => {
  it('is credited in part, and shows what is left', async () => {
    const world = await newWorld()
    const invoice: Named = await world.invoice({ type: 'subscription' })
    await world.creditNote(invoice, { amount: '5.00' })
    const { node } = await world.run(
      'query ($id: ID!) { node(id: $id) { ... on Invoice { creditedAmount { amount } openAmount { amount } } } }',
      { id: invoice.id },
    )
    expect(node).toEqual({ creditedAmount: { amount: '5.00' }, openAmount: { amount: '7.00' } })
  })
})
