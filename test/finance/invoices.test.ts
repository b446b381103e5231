// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { invoices } from '../../src/finance/index.ts'
import { newWorld, type World } from '../support/world.ts'
import { buyer, CreditNoteIssue, InvoiceIssue, InvoicePay, moving } from './documents.ts'

const lines = [
  { name: 'Bowl', quantity: 2, unitPrice: '10.00', vatRate: '20' },
  { name: 'Book', unitPrice: '10.00', vatRate: '5.5' },
]
const issue = async (world: World, input: object) => (await world.run(InvoiceIssue, { input })).invoiceIssue.invoice
const credit = async (world: World, input: object) =>
  (await world.run(CreditNoteIssue, { input })).creditNoteIssue.creditNote
const pay = async (world: World, input: object) => (await world.run(InvoicePay, { input })).invoicePay.invoice
const numbersOf = async ({ rows, accountId }: World, prefix: string) =>
  (
    await rows<{ number: number }>('SELECT number FROM invoice WHERE account_id = $1 AND prefix = $2 ORDER BY 1', [
      accountId,
      prefix,
    ])
  ).map(({ number }) => number)

describe('invoiceIssue', () => {
  it('issues an invoice with the lines and the customer of an order', async () => {
    const world = await newWorld()
    const order = await world.order({ idOrder: 'A-1', lines })
    expect(await issue(world, { orderId: order.id })).toMatchObject({
      prefix: 'INV-',
      number: '000001',
      status: 'PAYMENT_DUE',
      type: 'one_time',
      filename: 'invoices/INV-000001.pdf',
      amount: { amount: '30.00', currency: 'EUR' },
      amountInclVat: { amount: '34.55' },
      paidAmount: { amount: '0.00' },
      openAmount: { amount: '34.55' },
      lines: [
        { name: 'Bowl', amount: { amount: '20.00' }, vat: { amount: '4.00' } },
        { name: 'Book', amount: { amount: '10.00' }, vat: { amount: '0.55' } },
      ],
      order: { idOrder: 'A-1' },
      customer: { email: 'buyer@example.com' },
    })
    const plain = await world.order({ idOrder: 'A-2', amount: '7.00' })
    expect(await issue(world, { orderId: plain.databaseId })).toMatchObject({
      number: '000002',
      amountInclVat: { amount: '7.00' },
      lines: [{ name: 'Order A-2', amount: { amount: '7.00' } }],
    })
    expect(await world.announced('invoice.created')).toHaveLength(2)
  })

  it('issues an invoice for lines, with a number series for each prefix', async () => {
    const world = await newWorld()
    const one = { customer: buyer, lines }
    expect(await issue(world, { ...one, currency: 'USD', prefix: 'US-' })).toMatchObject({
      prefix: 'US-',
      number: '000001',
      order: null,
    })
    expect(await issue(world, one)).toMatchObject({ prefix: 'INV-', number: '000001' })
    expect(await issue(world, { ...one, prefix: '' })).toMatchObject({
      prefix: '',
      number: '000001',
      filename: 'invoices/000001.pdf',
    })
    await world.run(moving('billingProfileUpdate', 'billingProfile { invoicePrefix companyName }'), {
      input: { invoicePrefix: 'US-', companyName: 'Ada Ltd' },
    })
    expect(await issue(world, one)).toMatchObject({ prefix: 'US-', number: '000002' })
    const kept = await world.rows<{ seller: object }>('SELECT seller FROM invoice WHERE account_id = $1 ORDER BY id', [
      world.accountId,
    ])
    expect(kept.map(({ seller }) => seller)).toMatchObject([
      { companyName: 'Ada & Co' },
      { companyName: 'Ada & Co' },
      { companyName: 'Ada & Co' },
      { companyName: 'Ada Ltd' },
    ])
  })

  it('issues a paid invoice if the total is 0', async () => {
    const world = await newWorld()
    expect(await issue(world, { customer: buyer, lines: [{ name: 'Gift', unitPrice: '0' }] })).toMatchObject({
      status: 'PAID',
    })
    expect((await world.announced()).map(({ type }) => type)).toEqual(['invoice.created', 'invoice.paid'])
  })

  it.each([
    [{}, 'VALIDATION_ERROR', ['customer']],
    [{ customer: buyer }, 'VALIDATION_ERROR', ['lines']],
    [{ customer: buyer, lines: [] }, 'VALIDATION_ERROR', ['lines']],
    [{ customer: buyer, lines, currency: 'ABC' }, 'VALIDATION_ERROR', ['currency']],
    [{ customer: buyer, lines, prefix: '../' }, 'VALIDATION_ERROR', ['prefix']],
    [{ customer: buyer, lines, prefix: 'a\nb' }, 'VALIDATION_ERROR', ['prefix']],
    [{ orderId: 5, lines }, 'VALIDATION_ERROR', ['lines']],
    [{ orderId: 2_147_483_647 }, 'NOT_FOUND', ['orderId']],
    [{ orderId: 'nonsense' }, 'VALIDATION_ERROR', ['orderId']],
  ])('rejects %j', async (input, code, fields) => {
    const world = await newWorld()
    const { extensions } = await world.fault(InvoiceIssue, { input })
    expect([extensions.code, Object.keys(extensions.details ?? {})]).toEqual([
      code,
      fields.map((field) => `input.${field}`),
    ])
    expect(await world.rows('SELECT FROM number_series WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it('returns INVALID_STATE for a cancelled order', async () => {
    const world = await newWorld()
    const { id } = await world.order()
    await world.run(moving('orderCancel', 'order { id }'), { input: { id } })
    expect((await world.fault(InvoiceIssue, { input: { orderId: id } })).extensions.code).toBe('INVALID_STATE')
  })

  it('numbers 50 that are issued at once from 1 to 50', async () => {
    const world = await newWorld()
    const order = await world.order()
    // One customer each, because operations on the same customer are serialized.
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        issue(world, n % 5 === 0 ? { orderId: order.id } : { customer: { email: `${n}@example.com` }, lines }),
      ),
    )
    const expected = Array.from({ length: 50 }, (_, n) => n + 1)
    expect(all.map(({ number }) => Number(number)).sort((a, b) => a - b)).toEqual(expected)
    expect(await numbersOf(world, 'INV-')).toEqual(expected)
  })

  it('leaves no gap if transactions roll back after they took a number', async () => {
    const world = await newWorld()
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    const tries = Array.from({ length: 30 }, (_, n) =>
      inTransaction(ctx, async (tx) => {
        const { invoice } = await invoices.issue(tx, { customer: { email: `${n}@example.com` }, lines, prefix: 'G-' })
        if (n % 3 === 2) throw new Error('changed my mind')
        return invoice
      }),
    )
    const results = await Promise.allSettled(tries)
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10)
    expect(await numbersOf(world, 'G-')).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    expect(await world.rows('SELECT FROM document WHERE account_id = $1', [world.accountId])).toHaveLength(20)
  })
})

describe('invoicePay', () => {
  it('pays a part, then the rest, and never more', async () => {
    const world = await newWorld()
    const { id } = await world.invoice()
    expect(await pay(world, { id, amount: '5' })).toMatchObject({
      status: 'PARTIALLY_PAID',
      paidAmount: { amount: '5.00' },
      openAmount: { amount: '7.00' },
    })
    const { extensions } = await world.fault(InvoicePay, { input: { id, amount: '7.01' } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.amount': [expect.stringContaining('7 EUR')] },
    })
    for (const amount of ['0', '-1', '0.001']) {
      expect((await world.fault(InvoicePay, { input: { id, amount } })).extensions.code).toBe('VALIDATION_ERROR')
    }
    expect(await pay(world, { id })).toMatchObject({ status: 'PAID', openAmount: { amount: '0.00' } })
    expect((await world.fault(InvoicePay, { input: { id } })).extensions.code).toBe('INVALID_STATE')
    expect(await world.announced('invoice.paid')).toHaveLength(1)
  })

  it('accepts concurrent payments up to the open amount only', async () => {
    const world = await newWorld()
    const { id } = await world.invoice()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => world.ask(InvoicePay, { input: { id, amount: '1' } })),
    )
    expect(responses.filter(({ body }) => !body.errors)).toHaveLength(12)
    expect(await world.announced('invoice.paid')).toHaveLength(1)
  })
})

describe('creditNoteIssue', () => {
  it('credits the whole remaining amount by default, with negative amounts', async () => {
    const world = await newWorld()
    const invoice = await issue(world, { customer: buyer, lines })
    const note = await credit(world, { invoiceId: invoice.id, reason: 'It broke.' })
    expect(note).toMatchObject({
      prefix: 'CN-',
      number: '000001',
      filename: 'credit-notes/CN-000001.pdf',
      reason: 'It broke.',
      amount: { amount: '-30.00', currency: 'EUR' },
      amountInclVat: { amount: '-34.55' },
      invoice: { id: invoice.id, status: 'PAID', openAmount: { amount: '0.00' } },
    })
    const { extensions } = await world.fault(CreditNoteIssue, { input: { invoiceId: invoice.id } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'input.invoiceId': [expect.any(String)] } })
    expect((await world.announced()).map(({ type }) => type)).toEqual([
      'invoice.created',
      'credit_note.created',
      'invoice.paid',
    ])
  })

  it('apportions an amount among the VAT rates of the invoice', async () => {
    const world = await newWorld()
    const invoice = await issue(world, { customer: buyer, lines })
    const note = await credit(world, { invoiceId: invoice.databaseId, amount: '10.00' })
    expect(note).toMatchObject({
      // 10.55 of 34.55 are at 5.5 %, and 24.00 at 20 %.
      lines: [
        { vatRate: '5.5', amount: { amount: '-2.89' }, vat: { amount: '-0.16' } },
        { vatRate: '20', amount: { amount: '-5.79' }, vat: { amount: '-1.16' } },
      ],
      amount: { amount: '-8.68' },
      amountInclVat: { amount: '-10.00' },
      invoice: { status: 'PAYMENT_DUE', openAmount: { amount: '24.55' } },
    })
    const rest = await credit(world, { invoiceId: invoice.id })
    expect(rest).toMatchObject({ number: '000002', amount: { amount: '-21.32' }, amountInclVat: { amount: '-24.55' } })
  })

  it('credits lines, and rejects more than the remaining amount', async () => {
    const world = await newWorld()
    const { id } = await issue(world, { customer: buyer, lines })
    const bowl = [{ name: 'Bowl', unitPrice: '10.00', vatRate: '20' }]
    expect(await credit(world, { invoiceId: id, lines: bowl })).toMatchObject({
      lines: [{ name: 'Bowl', unitPrice: { amount: '-10.00' } }],
      amountInclVat: { amount: '-12.00' },
    })
    for (const [input, field] of [
      [{ lines: [{ ...bowl[0], quantity: 3 }] }, 'lines'],
      [{ lines: [{ name: 'x', unitPrice: '0' }] }, 'lines'],
      [{ amount: '22.56' }, 'amount'],
      [{ amount: '0' }, 'amount'],
      [{ amount: '1', lines: bowl }, 'amount'],
      [{ reason: 'x'.repeat(1001) }, 'reason'],
    ] as const) {
      const { extensions } = await world.fault(CreditNoteIssue, { input: { invoiceId: id, ...input } })
      expect([extensions.code, Object.keys(extensions.details ?? {})]).toEqual(['VALIDATION_ERROR', [`input.${field}`]])
    }
    expect((await world.fault(CreditNoteIssue, { input: { invoiceId: 0 } })).extensions.code).toBe('NOT_FOUND')
  })

  it('credits no more than the total of the invoice if many are issued concurrently', async () => {
    const world = await newWorld()
    const { id } = await issue(world, { customer: buyer, lines })
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => world.ask(CreditNoteIssue, { input: { invoiceId: id, amount: '10' } })),
    )
    expect(responses.filter(({ body }) => !body.errors)).toHaveLength(3)
  })

  it('reduces the open amount', async () => {
    const world = await newWorld()
    const { id } = await world.invoice()
    await pay(world, { id, amount: '2' })
    await credit(world, { invoiceId: id, amount: '4' })
    expect((await world.fault(InvoicePay, { input: { id, amount: '6.01' } })).extensions.code).toBe('VALIDATION_ERROR')
    expect(await pay(world, { id, amount: '6' })).toMatchObject({ status: 'PAID' })
  })
})
