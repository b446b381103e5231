import { Decimal as Unbounded } from 'decimal.js'
import { z } from 'zod'
import { digitsOf, isCurrency } from './currencies.ts'
import { invalid } from './errors.ts'

/** Arithmetic without a binary float: 60 digits, and a half is rounded away from zero. */
export const Decimal = Unbounded.clone({
  precision: 60,
  rounding: Unbounded.ROUND_HALF_UP,
  toExpNeg: -60,
  toExpPos: 60,
})
export type Decimal = Unbounded

/** An amount as rows and clients carry it: exact, as text. */
export interface Money {
  readonly amount: string
  readonly currency: string
}

/** How a number is written that counts as a decimal: no exponent, no more digits than anyone means. */
const plainDecimal = /^[+-]?\d{1,30}(\.\d{1,30})?$/

/** The most that one amount may be, either way: below the column's numeric(19,4) by a factor of a thousand, so that sums fit. */
export const largestAmount = new Decimal('999999999999.9999')

/** A currency in use, as clients name it. */
export const currencyCode = z.string().refine(isCurrency, 'must be the ISO 4217 code of a currency in use, such as EUR')

/** Whether a text is a plain decimal number, such as `-12.50`. */
export function isDecimal(text: string): boolean {
  return plainDecimal.test(text)
}

/** A number as an exact decimal: from text, or from another decimal. */
export function decimal(value: string | number | Unbounded): Decimal {
  return new Decimal(value)
}

/** The sum of exact decimals; 0 of none. */
export function sum(values: readonly (string | Unbounded)[]): Decimal {
  return values.reduce<Decimal>((total, value) => total.plus(value), new Decimal(0))
}

/** Rounds to the decimals of a currency, a half away from zero: the one place where money is rounded. */
export function roundTo(currency: string, value: Unbounded): Decimal {
  return new Decimal(value.toDecimalPlaces(digitsOf(currency), Unbounded.ROUND_HALF_UP))
}

/** An amount as it is shown: with the decimals of its currency, such as `12.50`, `1200` and `1.250`. */
export function print({ amount, currency }: Money): string {
  const text = new Decimal(amount).toFixed(digitsOf(currency), Unbounded.ROUND_HALF_UP)
  return /^-0(\.0+)?$/.test(text) ? text.slice(1) : text
}

/**
 * The amount that a client gave. Fails with VALIDATION_ERROR, naming the field, where it has more decimals than the
 * currency, is larger than can be kept, or is negative without `isSigned`.
 */
export function amountOf(
  given: string,
  currency: string,
  field: string,
  { isSigned = false }: { isSigned?: boolean } = {},
): Decimal {
  if (!isDecimal(given)) throw invalid({ [field]: ['must be a decimal number'] })
  const amount = new Decimal(given)
  const digits = digitsOf(currency)
  if (amount.decimalPlaces() > digits) {
    throw invalid({
      [field]: [`must have ${digits === 0 ? 'no decimals' : `${digits} decimals at most`} in ${currency}`],
    })
  }
  if (!isSigned && amount.isNegative() && !amount.isZero()) throw invalid({ [field]: ['must not be negative'] })
  return mustFit(amount, field)
}

/** The same amount, where it is not larger than can be kept. Fails with VALIDATION_ERROR. */
export function mustFit(amount: Unbounded, field: string): Decimal {
  if (amount.abs().gt(largestAmount)) throw invalid({ [field]: [`must be ${largestAmount} at most`] })
  return new Decimal(amount)
}
