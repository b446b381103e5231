import { invalid, type Refusal } from '../../kernel/errors.ts'
import { Decimal, decimal } from '../../kernel/values/money.ts'
import { type Line, type RateTotal, toLine, totalsByRate, type VatCalculation } from '../amounts.ts'

/** The invoice that is credited, as far as the amounts of a credit note depend on it. */
interface CreditedInvoice {
  readonly currency: string
  readonly vatCalculation: VatCalculation
}

/**
 * Limits the computed lines of a credit note, with positive amounts, to the rest of its invoice. `remaining` is the rest of the
 * invoice by VAT rate. If a line credits the rest of the prices of a rate, it credits the rest of its VAT too, so that nothing is
 * left by rounding.
 *
 * Throws VALIDATION_ERROR for a rate that the invoice does not have, and if the credit exceeds the rest of a rate.
 */
export function limitCredit(
  remaining: readonly RateTotal[],
  lines: readonly Line[],
  { currency, vatCalculation }: CreditedInvoice,
): Line[] {
  const rests = new Map(remaining.map((rest) => [rest.vatRate, rest]))
  mustHaveRates(lines, [...rests.keys()])
  const missing = new Map(
    totalsByRate(lines).map((credit) => {
      const rest = rests.get(credit.vatRate) as RateTotal
      return [credit.vatRate, vatWithinRest(credit, rest, { currency, vatCalculation }).minus(credit.vat)]
    }),
  )
  return correctVat(lines, missing, vatCalculation)
}

function mustHaveRates(lines: readonly Line[], rates: readonly string[]): void {
  const message = `must be a VAT rate of the invoice: ${rates.join(', ')}`
  const wrong = lines.flatMap(({ vatRate }, index) => (rates.includes(vatRate) ? [] : [`lines.${index}.vatRate`]))
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong.slice(0, 20).map((path) => [path, [message]])))
}

/** Returns the VAT of a credit of one rate: its own, but at most the rest, and all of the rest if all prices are credited. */
function vatWithinRest(credit: RateTotal, rest: RateTotal, { currency, vatCalculation }: CreditedInvoice): Decimal {
  const isGross = vatCalculation === 'GROSS_BY_RATE'
  const priceOf = ({ amount, vat }: RateTotal) => (isGross ? amount.plus(vat) : amount)
  const [price, priceLeft] = [priceOf(credit), priceOf(rest)]
  if (!isBetween(price, priceLeft)) throw exceedsRate(rest, priceLeft, currency)
  if (price.eq(priceLeft)) return rest.vat
  // The amount without VAT must not exceed its rest either.
  const least = isGross ? price.minus(rest.amount) : decimal(0)
  const sign = priceLeft.isNegative() ? -1 : 1
  const [own, low, high] = [credit.vat, least, rest.vat].map((value) => value.times(sign)) as [
    Decimal,
    Decimal,
    Decimal,
  ]
  return decimal(Decimal.min(Decimal.max(own, low, 0), high)).times(sign)
}

/** Whether a value is from 0 to a limit that may be negative. */
function isBetween(value: Decimal, limit: Decimal): boolean {
  return limit.isNegative() ? value.gte(limit) && value.lte(0) : value.gte(0) && value.lte(limit)
}

function exceedsRate({ vatRate }: RateTotal, left: Decimal, currency: string): Refusal {
  const message = `must have a total from 0 to ${left} ${currency} at the VAT rate ${vatRate}%, which is what is left of the invoice`
  return invalid({ lines: [message] }, 'TOO_BIG')
}

/** Adds what is missing in the VAT of each rate to its line with the largest VAT. Prices with VAT do not change by that. */
function correctVat(
  lines: readonly Line[],
  missing: ReadonlyMap<string, Decimal>,
  calculation: VatCalculation,
): Line[] {
  const corrected = [...lines]
  for (const [rate, difference] of missing) {
    if (difference.isZero()) continue
    const ofRate = lines.flatMap((line, index) =>
      line.vatRate === rate ? [{ index, vat: decimal(line.vat).abs() }] : [],
    )
    const { index } = ofRate.reduce((largest, each) => (each.vat.gt(largest.vat) ? each : largest))
    const line = corrected[index] as Line
    const [amount, vat] = [decimal(line.amount), decimal(line.vat).plus(difference)]
    corrected[index] = toLine({
      ...line,
      unitPrice: decimal(line.unitPrice),
      vatRate: decimal(line.vatRate),
      amount: calculation === 'GROSS_BY_RATE' ? amount.minus(difference) : amount,
      vat,
    })
  }
  return corrected
}
