import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { computeLines, computeTotals, negateLines, totalsByRate, vatOfPrice } from '../../src/finance/amounts.ts'
import { limitCredit } from '../../src/finance/billing/credit-amounts.ts'
import { type Decimal, decimal, sum } from '../../src/kernel/values/money.ts'
import { newWorld, type World } from '../support/world.ts'
import { buyer, CreditNoteIssue, InvoiceIssue, moving, OrderRecord } from './documents.ts'

const calculations = ['NET_BY_RATE', 'NET_BY_LINE', 'GROSS_BY_RATE'] as const
const digits = { EUR: 2, JPY: 0, KWD: 3 } as const
const rates = ['0', '2.1', '5.5', '6.625', '8.875', '9.975', '19', '20', '100']

/** Prices in whole minor units, so that they can be used in any currency. */
const basket = fc.record({
  calculation: fc.constantFrom(...calculations),
  currency: fc.constantFrom(...(Object.keys(digits) as (keyof typeof digits)[])),
  lines: fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 99 }),
      units: fc.integer({ min: 0, max: 99_999 }),
      vatRate: fc.constantFrom(...rates),
    }),
    { minLength: 1, maxLength: 30 },
  ),
})
type Basket = typeof basket extends fc.Arbitrary<infer Value> ? Value : never

const toInput = (currency: keyof typeof digits) => (line: Basket['lines'][number]) => ({
  name: 'line',
  quantity: line.quantity,
  unitPrice: decimal(line.units)
    .div(10 ** digits[currency])
    .toFixed(),
  vatRate: line.vatRate,
})
const isWhole = (value: Decimal | string, currency: keyof typeof digits) =>
  decimal(value).decimalPlaces() <= digits[currency]

describe('the VAT of random lines', () => {
  it('is that of its rate, and prices, VAT and totals agree', () => {
    fc.assert(
      fc.property(basket, ({ calculation, currency, lines: input }) => {
        const given = input.map(toInput(currency))
        const lines = computeLines(given, currency, calculation)
        const totals = computeTotals(lines)
        for (const [index, line] of lines.entries()) {
          const { unitPrice, quantity } = given[index] as (typeof given)[number]
          const price = calculation === 'GROSS_BY_RATE' ? decimal(line.amount).plus(line.vat) : decimal(line.amount)
          expect(price.eq(decimal(unitPrice).times(quantity))).toBe(true)
          expect([isWhole(line.amount, currency), isWhole(line.vat, currency)]).toEqual([true, true])
          expect([decimal(line.amount).gte(0), decimal(line.vat).gte(0)]).toEqual([true, true])
        }
        const byRate = totalsByRate(lines)
        for (const { vatRate, amount, vat } of byRate) {
          const price = calculation === 'GROSS_BY_RATE' ? amount.plus(vat) : amount
          const own = vatOfPrice(price, decimal(vatRate), currency, calculation)
          if (calculation !== 'NET_BY_LINE') expect(vat.toString()).toBe(own.toString())
        }
        expect(sum(byRate.map(({ amount }) => amount)).toString()).toBe(decimal(totals.amount).toString())
        expect(sum(byRate.flatMap(({ amount, vat }) => [amount, vat])).eq(totals.amountInclVat)).toBe(true)
      }),
    )
  })

  it('is credited to the last cent by credits of single lines, and no rate is credited too much', () => {
    fc.assert(
      fc.property(basket, ({ calculation: vatCalculation, currency, lines: input }) => {
        const given = input.map(toInput(currency))
        const issued = computeLines(given, currency, vatCalculation)
        let remaining = totalsByRate(issued)
        for (const each of given) {
          const credit = limitCredit(remaining, computeLines([each], currency, vatCalculation), {
            currency,
            vatCalculation,
          })
          const negative = negateLines(credit)
          const before = remaining.map(({ vatRate, amount, vat }) => ({
            ...{ name: 'rest', quantity: 1, unitPrice: '0', vatRate },
            ...{ amount: amount.toString(), vat: vat.toString() },
          }))
          remaining = totalsByRate([...before, ...negative])
          for (const { amount, vat } of remaining) expect([amount.gte(0), vat.gte(0)]).toEqual([true, true])
        }
        expect(remaining.every(({ amount, vat }) => amount.isZero() && vat.isZero())).toBe(true)
      }),
    )
  })
})

describe('VAT in the API', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  const issue = async (lines: object[], more = {}) =>
    (await world.run(InvoiceIssue, { input: { customer: buyer, lines, ...more } })).invoiceIssue.invoice
  const credit = (input: object) => world.ask(CreditNoteIssue, { input })
  const amounts = ({ amount, amountInclVat }: { amount: { amount: string }; amountInclVat: { amount: string } }) => [
    amount.amount,
    amountInclVat.amount,
  ]

  it.each([
    ['9.975', '109.98'],
    ['8.875', '108.88'],
    ['6.625', '106.63'],
    ['8.3125', '108.31'],
  ])('has the rate %s', async (vatRate, total) => {
    const invoice = await issue([{ name: 'Bowl', unitPrice: '100.00', vatRate }], { currency: 'CAD' })
    expect(amounts(invoice)).toEqual(['100.00', total])
    const lines = [{ name: 'Bowl', unitPrice: '100.00', vatRate }]
    const { order } = (await world.run(OrderRecord, { input: { idOrder: vatRate, customer: buyer, lines } }))
      .orderRecord
    expect(order).toMatchObject({ amount: { amount: total }, lines: [{ vatRate }] })
  })

  it('is taken out of prices with VAT', async () => {
    const invoice = await issue([{ name: 'Book', unitPrice: '9.99', vatRate: '19' }], { pricesInclVat: true })
    expect(invoice).toMatchObject({ vatCalculation: 'GROSS_BY_RATE' })
    expect(amounts(invoice)).toEqual(['8.39', '9.99'])
    expect(invoice.lines).toEqual([{ name: 'Book', amount: { amount: '8.39' }, vat: { amount: '1.60' } }])
    const { body } = await credit({
      invoiceId: invoice.id,
      lines: [{ name: 'Book', unitPrice: '9.99', vatRate: '19' }],
    })
    const { creditNote } = body.data.creditNoteIssue
    expect(creditNote).toMatchObject({ vatCalculation: 'GROSS_BY_RATE', invoice: { openAmount: { amount: '0.00' } } })
    expect(amounts(creditNote)).toEqual(['-8.39', '-9.99'])
  })

  it('of an order with prices with VAT is that of its invoice', async () => {
    const lines = [{ name: 'Book', quantity: 3, unitPrice: '9.99', vatRate: '19' }]
    const input = { idOrder: 'gross', customer: buyer, lines, pricesInclVat: true, amount: '29.97' }
    const { order } = (await world.run(OrderRecord, { input })).orderRecord
    expect(order).toMatchObject({ vatCalculation: 'GROSS_BY_RATE', amount: { amount: '29.97' } })
    expect(order.lines).toMatchObject([
      { unitPrice: { amount: '9.99' }, amount: { amount: '25.18' }, vat: { amount: '4.79' } },
    ])
    const { invoice } = (await world.run(InvoiceIssue, { input: { orderId: order.id } })).invoiceIssue
    expect([invoice.vatCalculation, ...amounts(invoice)]).toEqual(['GROSS_BY_RATE', '25.18', '29.97'])
    const { extensions } = await world.fault(InvoiceIssue, { input: { orderId: order.id, pricesInclVat: true } })
    expect(extensions.details).toHaveProperty(['input.pricesInclVat'])
  })

  it('is rounded for each rate, or for each line if the billing profile says so', async () => {
    const own = await newWorld()
    const lines = Array.from({ length: 3 }, () => ({ name: 'Pin', unitPrice: '0.13', vatRate: '20' }))
    const issued = async () => (await own.run(InvoiceIssue, { input: { customer: buyer, lines } })).invoiceIssue.invoice
    const byRate = await issued()
    expect([byRate.vatCalculation, ...amounts(byRate)]).toEqual(['NET_BY_RATE', '0.39', '0.47'])
    const update = moving('billingProfileUpdate', 'billingProfile { vatRounding companyName }')
    const { billingProfile } = (await own.run(update, { input: { vatRounding: 'LINE' } })).billingProfileUpdate
    expect(billingProfile.vatRounding).toBe('LINE')
    const byLine = await issued()
    expect([byLine.vatCalculation, ...amounts(byLine)]).toEqual(['NET_BY_LINE', '0.39', '0.48'])
    // A credit note calculates as its invoice, not as the setting says now.
    const { creditNote } = (await own.run(CreditNoteIssue, { input: { invoiceId: byRate.id, lines: lines.slice(1) } }))
      .creditNoteIssue
    expect([creditNote.vatCalculation, ...amounts(creditNote)]).toEqual(['NET_BY_RATE', '-0.26', '-0.31'])
  })

  it('of a credit note has a rate of the invoice and at most what is left of it', async () => {
    const bowl = { name: 'Bowl', unitPrice: '10.00', vatRate: '20' }
    const book = { name: 'Book', unitPrice: '50.00', vatRate: '5.5' }
    const invoice = await issue([bowl, book])
    const wrong = (await credit({ invoiceId: invoice.id, lines: [bowl, { ...bowl, vatRate: '19' }] })).body.errors
    expect(wrong[0].extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.lines.1.vatRate': [expect.stringContaining('5.5, 20')] },
    })
    const tooMuch = (await credit({ invoiceId: invoice.id, lines: [{ ...bowl, unitPrice: '10.01' }] })).body.errors
    expect(tooMuch[0].extensions.details).toEqual({ 'input.lines': [expect.stringContaining('20%')] })
    // Parallel credits of one rate: only one fits.
    const parallel = await Promise.all([1, 2, 3].map(() => credit({ invoiceId: invoice.id, lines: [bowl] })))
    expect(parallel.filter(({ body }) => !body.errors)).toHaveLength(1)
    expect((await credit({ invoiceId: invoice.id, lines: [book] })).body.errors).toBeUndefined()
  })
})
