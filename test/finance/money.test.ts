import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  apportionCredit,
  buildSingleLine,
  computeLines,
  computeTotals,
  type Line,
  negateLines,
  totalsByRate,
} from '../../src/finance/amounts.ts'
import { currencies, digitsOf, isCurrency } from '../../src/kernel/values/currencies.ts'
import { amountOf, Decimal, decimal, print, roundTo, sum } from '../../src/kernel/values/money.ts'
import { newWorld } from '../support/world.ts'
import { buyer } from './documents.ts'

const byDigits = { EUR: 2, JPY: 0, KWD: 3 } as const
const currency = fc.constantFrom(...(Object.keys(byDigits) as (keyof typeof byDigits)[]))

/** Amounts of a currency in whole minor units. */
const price = (of: keyof typeof byDigits, most: number) =>
  fc
    .integer({ min: 0, max: most })
    .map((coins) => new Decimal(coins).times(new Decimal(10).pow(-byDigits[of])).toFixed())

const basket = currency.chain((of) =>
  fc.record({
    currency: fc.constant(of),
    lines: fc.array(
      fc.record({
        name: fc.constant('line'),
        quantity: fc.integer({ min: 1, max: 999 }),
        unitPrice: fc.oneof(
          price(of, 999_999),
          fc.integer({ min: 0, max: 99_999_999 }).map((millionths) => new Decimal(millionths).times('1e-6').toFixed()),
        ),
        vatRate: fc.constantFrom('0', '2.1', '5.5', '7', '10', '19', '20', '25.5'),
      }),
      { minLength: 1, maxLength: 20 },
    ),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
)
const gross = (lines: readonly Line[]) => sum(lines.flatMap(({ amount, vat }) => [amount, vat]))

describe('currencies', () => {
  it('have the decimals of ISO 4217', () => {
    const digits = { JPY: 0, KRW: 0, CLP: 0, ISK: 0, BHD: 3, KWD: 3, TND: 3, CLF: 4, UYW: 4, EUR: 2, USD: 2, MRU: 2 }
    for (const [code, count] of Object.entries(digits)) expect([code, digitsOf(code)]).toEqual([code, count])
    expect(currencies.length).toBeGreaterThan(155)
    expect(new Set(currencies).size).toBe(currencies.length)
    for (const code of ['DEM', 'XXX', 'XAU', 'eur', '', 'constructor']) expect(isCurrency(code)).toBe(false)
  })

  it('have the decimals that Intl uses, except for currencies where daily use differs', () => {
    // For these, CLDR has the decimals of daily use instead of those of ISO 4217.
    const daily =
      'AFN ALL AMD COP CRC GYD HUF IDR IQD IRR KPW LAK LBP MGA MMK MUR PKR RSD SLE SOS SYP TWD TZS UZS YER'.split(' ')
    for (const code of currencies.filter((each) => !daily.includes(each))) {
      const shown = new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
      expect([code, digitsOf(code)]).toEqual([code, shown.maximumFractionDigits])
    }
  })
})

describe('rounding', () => {
  it('rounds halves away from zero', () => {
    for (const [of, input, rounded] of [
      ['EUR', '0.005', '0.01'],
      ['EUR', '-0.005', '-0.01'],
      ['EUR', '1.00499999999999999999999999', '1.00'],
      ['JPY', '0.5', '1'],
      ['JPY', '2.5', '3'],
      ['KWD', '-0.0005', '-0.001'],
    ] as const)
      expect(print({ amount: roundTo(of, decimal(input)).toString(), currency: of })).toBe(rounded)
  })

  it('is not applied to input: an amount is accepted unchanged or rejected', () => {
    fc.assert(
      fc.property(
        currency,
        fc.integer({ min: 0, max: 999_999_999 }),
        fc.integer({ min: 0, max: 6 }),
        (of, coins, places) => {
          const given = new Decimal(coins).times(new Decimal(10).pow(-places))
          const text = given.toFixed(places)
          const fits = given.decimalPlaces() <= byDigits[of]
          if (fits) expect(amountOf(text, of, 'amount').eq(given)).toBe(true)
          else expect(() => amountOf(text, of, 'amount')).toThrow('decimals')
        },
      ),
    )
  })
})

describe('lines', () => {
  it('have totals that equal the sum of their rounded parts', () => {
    fc.assert(
      fc.property(basket, ({ currency: of, lines: input }) => {
        const lines = computeLines(input, of, 'NET_BY_LINE')
        const totals = computeTotals(lines)
        for (const [index, line] of lines.entries()) {
          const { quantity, unitPrice, vatRate } = input[index] as (typeof input)[number]
          expect(decimal(line.amount).eq(roundTo(of, decimal(unitPrice).times(quantity)))).toBe(true)
          const exact = decimal(line.amount).times(vatRate).dividedBy(100)
          expect(exact.minus(line.vat).abs().times(2).lte(new Decimal(10).pow(-byDigits[of]))).toBe(true)
          expect(decimal(line.vat).decimalPlaces()).toBeLessThanOrEqual(byDigits[of])
        }
        expect(gross(lines).eq(totals.amountInclVat)).toBe(true)
        const rates = totalsByRate(lines)
        expect(sum(rates.flatMap(({ amount, vat }) => [amount, vat])).eq(totals.amountInclVat)).toBe(true)
        expect(gross(negateLines(lines)).plus(totals.amountInclVat).isZero()).toBe(true)
      }),
    )
  })

  it('are credited completely by partial credits, and no VAT rate is credited more than its total', () => {
    fc.assert(
      fc.property(basket, ({ currency: of, lines: input, share }) => {
        const lines = computeLines(input, of)
        const whole = gross(lines)
        const part = roundTo(of, whole.times(share))
        const first = part.isZero() ? [] : apportionCredit(totalsByRate(lines), part, of, 'part')
        expect(gross(first).eq(part)).toBe(true)
        const left = totalsByRate([...lines, ...negateLines(first)])
        for (const rate of left) {
          expect(rate.amount.gte(0), rate.vatRate).toBe(true)
          expect(rate.amount.plus(rate.vat).gte(0), rate.vatRate).toBe(true)
        }
        const rest = whole.minus(part).isZero() ? [] : apportionCredit(left, whole.minus(part), of, 'rest')
        for (const rate of totalsByRate([...lines, ...negateLines(first), ...negateLines(rest)])) {
          expect([rate.vatRate, rate.amount.toString(), rate.vat.toString()]).toEqual([rate.vatRate, '0', '0'])
        }
      }),
    )
  })

  it('are built for an amount without lines', () => {
    expect(buildSingleLine('Order 1', '12.5')).toEqual({
      name: 'Order 1',
      quantity: 1,
      unitPrice: '12.5',
      vatRate: '0',
      amount: '12.5',
      vat: '0',
    })
  })
})

describe('totals in PostgreSQL', () => {
  it('equal the sum of orders, lines, invoices and credit notes', async () => {
    const world = await newWorld()
    const baskets = fc.sample(basket, { numRuns: 12, seed: 20261121 })
    const expected: Record<string, Decimal> = { EUR: decimal(0), JPY: decimal(0), KWD: decimal(0) }
    for (const { currency: of, lines, share } of baskets) {
      const total = decimal(computeTotals(computeLines(lines, of)).amountInclVat)
      expected[of] = (expected[of] as Decimal).plus(total)
      const order = await world.order({ currency: of, lines, customer: buyer, status: 'COMPLETED' })
      const invoice = await world.invoice({ orderId: order.id })
      const part = roundTo(of, total.times(share))
      if (!part.isZero()) await world.creditNote(invoice, { amount: part.toFixed() })
      if (part.lt(total)) await world.creditNote(invoice)
    }
    const rows = await world.rows<Record<string, string>>(
      `SELECT o.currency, sum(o.amount)::text AS orders, sum(l.total)::text AS lines, sum(i.amount_incl_vat)::text AS invoices,
         sum(n.total)::text AS credited, sum(i.amount + n.net)::text AS net
       FROM "order" o JOIN invoice i ON i.order_id = o.id
         JOIN LATERAL (SELECT sum(amount + vat) AS total FROM order_line WHERE order_id = o.id) l ON true
         JOIN LATERAL (SELECT coalesce(sum(amount_incl_vat), 0) AS total, coalesce(sum(amount), 0) AS net FROM credit_note WHERE invoice_id = i.id) n ON true
       WHERE o.account_id = $1 GROUP BY 1`,
      [world.accountId],
    )
    for (const row of rows) {
      const whole = expected[row['currency'] as string] as Decimal
      for (const column of ['orders', 'lines', 'invoices']) expect(whole.eq(row[column] as string), column).toBe(true)
      expect(whole.negated().eq(row['credited'] as string)).toBe(true)
      expect(decimal(row['net'] as string).isZero()).toBe(true)
    }
    const { revenue } = await world.run('{ revenue(period: ALL) { amount { amount currency } } }')
    for (const { amount } of revenue) expect(expected[amount.currency]?.eq(amount.amount)).toBe(true)
  })
})
