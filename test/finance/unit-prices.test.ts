// @module-tag rows
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { buyer, CreditNoteIssue, InvoiceIssue, OrderRecord } from './documents.ts'

const Lines = '{ node(id: $id) { ... on Invoice { lines { unitPrice { amount } amount { amount } vat { amount } } } } }'
const energy = { name: 'Electricity, kWh', unitPrice: '0.2856', quantity: 1000, vatRate: '19' }

const issue = async (world: World, input: object) => (await world.run(InvoiceIssue, { input })).invoiceIssue.invoice
const linesOf = async (world: World, { id }: { id: string }) =>
  (await world.run(`query ($id: ID!) ${Lines}`, { id })).node.lines

async function textOf({ downloadUrl }: { downloadUrl: string }): Promise<string> {
  const pdf = new Uint8Array(await (await fetch(downloadUrl)).arrayBuffer())
  return (await extractText(await getDocumentProxy(pdf))).text.join(' ')
}

describe('a unit price', () => {
  it('has up to six decimals, and the total of its units those of the currency', async () => {
    const world = await newWorld()
    const invoice = await issue(world, { customer: buyer, lines: [energy] })
    expect([invoice.amount.amount, invoice.amountInclVat.amount]).toEqual(['285.60', '339.86'])
    expect(await linesOf(world, invoice)).toEqual([
      { unitPrice: { amount: '0.2856' }, amount: { amount: '285.60' }, vat: { amount: '54.26' } },
    ])
  })

  it('is the same in an order, its invoice, the credit note, and their PDFs', async () => {
    const world = await newWorld()
    const lines = [
      { name: 'Clicks', unitPrice: '0.000125', quantity: 100_000, vatRate: '20' },
      { name: 'Hour', unitPrice: '80.5', vatRate: '20' },
      { name: 'Day', unitPrice: '600', vatRate: '20' },
    ]
    const prices = ['0.000125', '80.50', '600.00']
    const { order } = (await world.run(OrderRecord, { input: { idOrder: 'A-1', customer: buyer, lines } })).orderRecord
    expect(order.lines.map(({ unitPrice }: { unitPrice: { amount: string } }) => unitPrice.amount)).toEqual(prices)
    const invoice = await issue(world, { orderId: order.id })
    expect(await linesOf(world, invoice)).toMatchObject(prices.map((amount) => ({ unitPrice: { amount } })))
    const { creditNote } = (await world.run(CreditNoteIssue, { input: { invoiceId: invoice.id, lines } }))
      .creditNoteIssue
    expect(creditNote.lines).toMatchObject(prices.map((amount) => ({ unitPrice: { amount: `-${amount}` } })))
    expect(creditNote.invoice.openAmount.amount).toBe('0.00')
    for (const [text, sign] of [
      [await textOf(invoice), ''],
      [await textOf(creditNote), '-'],
    ] as const)
      for (const price of prices) expect(text).toContain(` ${sign}${price} `)
  })

  it('rounds halves of the total of its units away from zero, also of a discount and with VAT', async () => {
    const world = await newWorld()
    const half = { name: 'Pin', unitPrice: '0.0125', quantity: 2, vatRate: '0' }
    const discount = { ...half, name: 'Discount', unitPrice: '-0.005', quantity: 1 }
    for (const pricesInclVat of [false, true]) {
      const invoice = await issue(world, { customer: buyer, lines: [half, discount], pricesInclVat })
      expect(await linesOf(world, invoice)).toMatchObject([
        { unitPrice: { amount: '0.0125' }, amount: { amount: '0.03' } },
        { unitPrice: { amount: '-0.005' }, amount: { amount: '-0.01' } },
      ])
      expect(invoice.amount.amount).toBe('0.02')
    }
    const yen = { ...half, unitPrice: '0.25' }
    expect((await issue(world, { customer: buyer, lines: [yen], currency: 'JPY' })).amount.amount).toBe('1')
  })

  it.each([
    ['an order', OrderRecord, { idOrder: 'A-1', customer: buyer }],
    ['an invoice', InvoiceIssue, { customer: buyer }],
    ['an invoice in a currency without decimals', InvoiceIssue, { customer: buyer, currency: 'JPY' }],
  ])('returns VALIDATION_ERROR for more decimals: %s', async (_name, document, input) => {
    const world = await newWorld()
    const lines = [energy, { ...energy, unitPrice: '0.1234567' }]
    const { extensions } = await world.fault(document, { input: { ...input, lines } })
    expect(extensions.details).toEqual({ 'input.lines.1.unitPrice': ['must have 6 decimals at most'] })
    expect(extensions.code).toBe('VALIDATION_ERROR')
  })
})
