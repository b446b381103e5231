import { z } from 'zod'
import { checkAt, name } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { amountOf, Decimal, decimal, isDecimal, mustFit, roundTo, sum } from '../kernel/money.ts'

/** Maximum number of lines of an order, an invoice or a credit note. */
export const maxLines = 500

/** A line as clients send it: the price without VAT, the rate in percent. */
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
  readonly unitPrice: string
  readonly vatRate: string
  /** Quantity times unit price, without VAT. */
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
  .refine((rate) => !isDecimal(rate) || decimal(rate).decimalPlaces() <= 2, 'must have 2 decimals at most')

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
 * Computes the amount and the VAT of lines. The VAT is rounded for each line. A unit price may be negative, for a discount.
 * Throws VALIDATION_ERROR with the path of the invalid line.
 */
export function computeLines(inputs: readonly LineInput[], currency: string): Line[] {
  const given = inputs.map(({ quantity, vatRate: rate, ...line }) => ({
    ...line,
    ...(quantity != null && { quantity }),
    ...(rate != null && { vatRate: rate }),
  }))
  const lines = checkAt('lines', LineRules, given)
  return lines.map((line, index) => {
    const unitPrice = amountOf(line.unitPrice, currency, `lines.${index}.unitPrice`, { isSigned: true })
    const amount = mustFit(roundTo(currency, unitPrice.times(line.quantity)), `lines.${index}.unitPrice`)
    const vat = roundTo(currency, amount.times(line.vatRate).dividedBy(100))
    return toLine({ ...line, unitPrice, vatRate: decimal(line.vatRate), amount, vat })
  })
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
    return [toLine({ name: title, quantity: 1, unitPrice: amount, vatRate: decimal(rate), amount, vat })]
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

function toLine({ name: title, quantity, unitPrice, vatRate: rate, amount, vat }: DecimalLine): Line {
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
