import { z } from 'zod'
import { check, name } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { amountOf, Decimal, decimal, isDecimal, mustFit, roundTo, sum } from '../kernel/money.ts'

/** The most lines that an order, an invoice or a credit note has. */
export const mostLines = 500

/** What was bought, as clients give it: prices without VAT, the rate in percent. */
export interface LineInput {
  name: string
  quantity?: number | null | undefined
  unitPrice: string
  vatRate?: string | null | undefined
}

/** A line as it is kept, amounts exact and as text. */
export interface Line {
  readonly name: string
  readonly quantity: number
  readonly unitPrice: string
  readonly vatRate: string
  /** Quantity times unit price, without VAT. */
  readonly amount: string
  readonly vat: string
}

/** What lines come to: without VAT, and with it. */
export interface Totals {
  readonly amount: string
  readonly amountInclVat: string
}

const vatRate = z
  .string()
  .refine((rate) => isDecimal(rate) && decimal(rate).gte(0) && decimal(rate).lte(100), 'must be from 0 to 100')
  .refine((rate) => !isDecimal(rate) || decimal(rate).decimalPlaces() <= 2, 'must have 2 decimals at most')

const Lines = z
  .array(
    z.object({
      name: name(255),
      quantity: z.int().min(1, 'must be 1 at least').max(1_000_000, 'must be 1,000,000 at most').default(1),
      unitPrice: z.string(),
      vatRate: vatRate.default('0'),
    }),
  )
  .min(1, 'must have one line at least')
  .max(mostLines, `must have ${mostLines} lines at most`)

/**
 * Works out lines: each amount is quantity times unit price, and its VAT is rounded for each line by itself. A unit price
 * may be negative, for a discount. Fails with VALIDATION_ERROR naming the line.
 */
export function linesOf(given: readonly LineInput[], currency: string): Line[] {
  const read = check(z.object({ lines: Lines }), {
    lines: given.map(({ quantity, vatRate: rate, ...line }) => ({
      ...line,
      ...(quantity != null && { quantity }),
      ...(rate != null && { vatRate: rate }),
    })),
  })
  return read.lines.map((line, index) => {
    const unitPrice = amountOf(line.unitPrice, currency, `lines.${index}.unitPrice`, { isSigned: true })
    const amount = mustFit(roundTo(currency, unitPrice.times(line.quantity)), `lines.${index}.unitPrice`)
    return lineOf({
      ...line,
      unitPrice,
      vatRate: decimal(line.vatRate),
      amount,
      vat: vatOf(amount, line.vatRate, currency),
    })
  })
}

/** The VAT of an amount, by a rate in percent. */
export function vatOf(amount: Decimal, rate: string | Decimal, currency: string): Decimal {
  return roundTo(currency, amount.times(rate).dividedBy(100))
}

/** The sums of lines. Fails with VALIDATION_ERROR where they are negative, or larger than can be kept. */
export function totalsOf(lines: readonly Line[]): Totals {
  const amount = mustFit(sum(lines.map((line) => line.amount)), 'lines')
  const amountInclVat = mustFit(amount.plus(sum(lines.map((line) => line.vat))), 'lines')
  if (amount.lt(0) || amountInclVat.lt(0)) throw invalid({ lines: ['must not come to less than nothing'] })
  return { amount: amount.toString(), amountInclVat: amountInclVat.toString() }
}

/** One line over a whole amount, where nobody said what it is made of; VAT is not told apart then. */
export function singleLine(title: string, amount: string): Line {
  const price = decimal(amount)
  return lineOf({ name: title, quantity: 1, unitPrice: price, vatRate: decimal(0), amount: price, vat: decimal(0) })
}

/** What lines of one rate come to. */
export interface RateTotal {
  readonly vatRate: string
  readonly amount: Decimal
  readonly vat: Decimal
}

/** What lines come to, rate by rate, the lowest first. */
export function totalsByRate(lines: readonly Line[]): RateTotal[] {
  const byRate = Map.groupBy(lines, (line) => decimal(line.vatRate).toString())
  return [...byRate]
    .map(([rate, those]) => ({
      vatRate: rate,
      amount: sum(those.map((line) => line.amount)),
      vat: sum(those.map((line) => line.vat)),
    }))
    .sort((a, b) => decimal(a.vatRate).cmp(b.vatRate))
}

/** Lines with all signs turned: what a credit note takes back. */
export function negated(lines: readonly Line[]): Line[] {
  return lines.map((line) =>
    lineOf({
      ...line,
      unitPrice: decimal(line.unitPrice).negated(),
      vatRate: decimal(line.vatRate),
      amount: decimal(line.amount).negated(),
      vat: decimal(line.vat).negated(),
    }),
  )
}

/**
 * Lines that take `gross` out of what is left of an invoice, rate by rate in proportion, so that no rate is taken more of
 * than there is. What is left is taken to the last cent where `gross` is all of it.
 */
export function shareOf(left: readonly RateTotal[], gross: Decimal, currency: string, title: string): Line[] {
  let [toTake, over] = [gross, sum(left.map(({ amount, vat }) => amount.plus(vat)))]
  return left.flatMap((rate) => {
    const whole = rate.amount.plus(rate.vat)
    if (whole.isZero() || over.isZero()) return []
    const share = roundTo(currency, toTake.times(whole).dividedBy(over))
    ;[toTake, over] = [toTake.minus(share), over.minus(whole)]
    if (share.isZero()) return []
    const amount = roundTo(currency, share.times(rate.amount).dividedBy(whole))
    return [
      lineOf({
        name: title,
        quantity: 1,
        unitPrice: amount,
        vatRate: decimal(rate.vatRate),
        amount,
        vat: share.minus(amount),
      }),
    ]
  })
}

function lineOf(line: {
  name: string
  quantity: number
  unitPrice: Decimal
  vatRate: Decimal
  amount: Decimal
  vat: Decimal
}): Line {
  const { name: title, quantity } = line
  const [unitPrice, rate, amount, vat] = [line.unitPrice, line.vatRate, line.amount, line.vat].map(plain)
  return { name: title, quantity, unitPrice, vatRate: rate, amount, vat } as Line
}

/** Without a minus before nothing. */
function plain(value: Decimal): string {
  return value.isZero() ? '0' : new Decimal(value).toString()
}
