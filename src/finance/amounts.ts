import { z } from 'zod'
import { invalid } from '../kernel/errors.ts'
import { checkAt, name } from '../kernel/values/check.ts'
import { Decimal, decimal, isDecimal, mustFit, priceOf, roundTo, sum } from '../kernel/values/money.ts'

/** Maximum number of lines of an order, an invoice or a credit note. */
export const maxLines = 500

/**
 * How the VAT of lines is calculated. Prices without VAT: for each rate from the sum of its lines (EN 16931, BR-CO-17), or for
 * each line. Prices with VAT: the VAT is taken out of the sum of each rate.
 */
export type VatCalculation = 'NET_BY_RATE' | 'NET_BY_LINE' | 'GROSS_BY_RATE'

/** Maximum number of decimals of a VAT rate. */
const maxRateDecimals = 4

/** A line as clients send it: the price without VAT (with VAT for `GROSS_BY_RATE`), the rate in percent. */
export interface LineInput {
  name: string
  quantity?: number | null | undefined
  unitPrice: string
  vatRate?: string | null | undefined
}

/** A line as it is stored. Amounts are exact decimals as text. */
export interface Line {
  readonly name: string
  readonly quantity: number
  /** Without VAT, or with VAT if the VAT calculation is `GROSS_BY_RATE`. */
  readonly unitPrice: string
  readonly vatRate: string
  /** Quantity times unit price, rounded to the decimals of the currency, without VAT. */
  readonly amount: string
  readonly vat: string
}

/** The totals of lines, without and with VAT. */
interface Totals {
  readonly amount: string
  readonly amountInclVat: string
}

const vatRate = z
  .string()
  .refine((rate) => isDecimal(rate) && decimal(rate).gte(0) && decimal(rate).lte(100), 'must be from 0 to 100')
  .refine(
    (rate) => !isDecimal(rate) || decimal(rate).decimalPlaces() <= maxRateDecimals,
    `must have ${maxRateDecimals} decimals at most`,
  )

const LineRules = z
  .array(
    z.object({
      name: name(255),
      quantity: z.int().min(1, 'must be 1 at least').max(1_000_000, 'must be 1,000,000 at most').default(1),
      unitPrice: z.string(),
      vatRate: vatRate.default('0'),
    }),
  )
  .min(1, 'must have one line at least')
  .max(maxLines, `must have ${maxLines} lines at most`)

/**
 * Computes the amount and the VAT of lines. The price of all units of a line is rounded by `roundTo`, because a unit price may
 * have more decimals than the currency. VAT is calculated from these prices, and rounded for each rate or for each line; the VAT
 * of a rate is shared among its lines so that it is their sum. A unit price may be negative, for a discount. Throws
 * VALIDATION_ERROR with the path of the invalid line.
 */
export function computeLines(
  inputs: readonly LineInput[],
  currency: string,
  calculation: VatCalculation = 'NET_BY_RATE',
): Line[] {
  const given = inputs.map(({ quantity, vatRate: rate, ...line }) => ({
    ...line,
    ...(quantity != null && { quantity }),
    ...(rate != null && { vatRate: rate }),
  }))
  const vatOf = newVatCalculation(currency, calculation)
  return checkAt('lines', LineRules, given).map((line, index) => {
    const rate = decimal(line.vatRate)
    const unitPrice = priceOf(line.unitPrice, `lines.${index}.unitPrice`)
    const price = mustFit(roundTo(currency, unitPrice.times(line.quantity)), `lines.${index}.unitPrice`)
    const vat = vatOf(price, rate)
    const amount = calculation === 'GROSS_BY_RATE' ? price.minus(vat) : price
    return toLine({ ...line, unitPrice, vatRate: rate, amount, vat })
  })
}

/** Returns the rounded VAT of the price of all units of a line or of a rate. */
export function vatOfPrice(price: Decimal, rate: Decimal, currency: string, calculation: VatCalculation): Decimal {
  const base = calculation === 'GROSS_BY_RATE' ? rate.plus(100) : decimal(100)
  return roundTo(currency, price.times(rate).dividedBy(base))
}

/**
 * Returns a function that computes the VAT of one line after another. By rate, it is the VAT of the lines of the rate so far less
 * that of the lines before, so that rounding differences do not add up.
 */
function newVatCalculation(currency: string, calculation: VatCalculation): (price: Decimal, rate: Decimal) => Decimal {
  if (calculation === 'NET_BY_LINE') return (price, rate) => vatOfPrice(price, rate, currency, calculation)
  const soFar = new Map<string, { price: Decimal; vat: Decimal }>()
  return (price, rate) => {
    const before = soFar.get(rate.toString()) ?? { price: decimal(0), vat: decimal(0) }
    const total = before.price.plus(price)
    const vat = vatOfPrice(total, rate, currency, calculation)
    soFar.set(rate.toString(), { price: total, vat })
    return vat.minus(before.vat)
  }
}

/** Computes the totals of lines. Throws VALIDATION_ERROR if they are negative or too large to be stored. */
export function computeTotals(lines: readonly Line[]): Totals {
  const amount = mustFit(sum(lines.map((line) => line.amount)), 'lines')
  const amountInclVat = mustFit(amount.plus(sum(lines.map((line) => line.vat))), 'lines')
  if (amount.lt(0) || amountInclVat.lt(0)) throw invalid({ lines: ['must not have a negative total'] })
  return { amount: amount.toString(), amountInclVat: amountInclVat.toString() }
}

/** Builds one line with a VAT rate of 0 for an amount that has no lines. */
export function buildSingleLine(title: string, amount: string): Line {
  const price = decimal(amount)
  return toLine({ name: title, quantity: 1, unitPrice: price, vatRate: decimal(0), amount: price, vat: decimal(0) })
}

/** The total of the lines with one VAT rate. */
export interface RateTotal {
  readonly vatRate: string
  readonly amount: Decimal
  readonly vat: Decimal
}

/** Computes the totals of lines by VAT rate, the lowest rate first. */
export function totalsByRate(lines: readonly Line[]): RateTotal[] {
  const byRate = Map.groupBy(lines, (line) => decimal(line.vatRate).toString())
  return [...byRate]
    .map(([rate, group]) => ({
      vatRate: rate,
      amount: sum(group.map((line) => line.amount)),
      vat: sum(group.map((line) => line.vat)),
    }))
    .sort((a, b) => decimal(a.vatRate).cmp(b.vatRate))
}

/** Negates the amounts of lines, for a credit note. */
export function negateLines(lines: readonly Line[]): Line[] {
  return lines.map((line) =>
    toLine({
      ...line,
      unitPrice: decimal(line.unitPrice).negated(),
      vatRate: decimal(line.vatRate),
      amount: decimal(line.amount).negated(),
      vat: decimal(line.vat).negated(),
    }),
  )
}

/**
 * Builds lines that credit `gross`, VAT included, in proportion to the remaining total of each VAT rate. No rate is credited
 * more than its remaining total. If `gross` is the whole remaining total, every rate is credited to the last cent.
 */
export function apportionCredit(
  remaining: readonly RateTotal[],
  gross: Decimal,
  currency: string,
  title: string,
  calculation: VatCalculation = 'NET_BY_RATE',
): Line[] {
  // Both shrink with each rate, so that rounding differences end up in the last one.
  let [grossLeft, totalLeft] = [gross, sum(remaining.map(({ amount, vat }) => amount.plus(vat)))]
  return remaining.flatMap(({ vatRate: rate, amount: rateAmount, vat: rateVat }) => {
    const rateGross = rateAmount.plus(rateVat)
    if (rateGross.isZero() || totalLeft.isZero()) return []
    const share = roundTo(currency, grossLeft.times(rateGross).dividedBy(totalLeft))
    ;[grossLeft, totalLeft] = [grossLeft.minus(share), totalLeft.minus(rateGross)]
    if (share.isZero()) return []
    const amount = roundTo(currency, share.times(rateAmount).dividedBy(rateGross))
    const vat = share.minus(amount)
    const unitPrice = calculation === 'GROSS_BY_RATE' ? share : amount
    return [toLine({ name: title, quantity: 1, unitPrice, vatRate: decimal(rate), amount, vat })]
  })
}

interface DecimalLine {
  name: string
  quantity: number
  unitPrice: Decimal
  vatRate: Decimal
  amount: Decimal
  vat: Decimal
}

/** Converts a computed line to its stored form. */
export function toLine({ name: title, quantity, unitPrice, vatRate: rate, amount, vat }: DecimalLine): Line {
  return {
    name: title,
    quantity,
    unitPrice: formatDecimal(unitPrice),
    vatRate: formatDecimal(rate),
    amount: formatDecimal(amount),
    vat: formatDecimal(vat),
  }
}

/** Formats a decimal. Zero has no sign. */
function formatDecimal(value: Decimal): string {
  return value.isZero() ? '0' : new Decimal(value).toString()
}
