import { Decimal as Unbounded } from 'decimal.js'
import { z } from 'zod'
import { invalid } from '../errors.ts'
import { digitsOf, isCurrency } from './currencies.ts'

/** Decimal arithmetic with 60 digits. Halves are rounded away from zero. */
export const Decimal = Unbounded.clone({
  precision: 60,
  rounding: Unbounded.ROUND_HALF_UP,
  toExpNeg: -60,
  toExpPos: 60,
})
export type Decimal = Unbounded

/** An exact amount as text, as in rows and in the API. */
export interface Money {
  readonly amount: string
  readonly currency: string
}

/** Plain decimal notation without exponent. Maximum 30 digits before and after the point. */
const plainDecimal = /^[+-]?\d{1,30}(\.\d{1,30})?$/

/**
 * Maximum absolute value of one amount. It is a thousandth of the maximum of the column type numeric(19,4), so that
 * sums fit.
 */
const largestAmount = new Decimal('999999999999.9999')

/** Maximum number of decimals of the price of one unit, such as a kilowatt-hour. The total of the units is rounded. */
const maxPriceDecimals = 6

/** Schema of the code of an active currency. */
export const currencyCode = z.string().refine(isCurrency, 'must be the ISO 4217 code of a currency in use, such as EUR')

/** Returns whether a text is a plain decimal number, such as `-12.50`. */
export function isDecimal(text: string): boolean {
  return plainDecimal.test(text)
}

/** Converts a number, text or decimal to an exact decimal. */
export function decimal(value: string | number | Unbounded): Decimal {
  return new Decimal(value)
}

/** Returns the sum of exact decimals, or 0 for an empty list. */
export function sum(values: readonly (string | Unbounded)[]): Decimal {
  return values.reduce<Decimal>((total, value) => total.plus(value), new Decimal(0))
}

/** Rounds to the decimals of a currency, halves away from zero. Money is rounded only here. */
export function roundTo(currency: string, value: Unbounded): Decimal {
  return new Decimal(value.toDecimalPlaces(digitsOf(currency), Unbounded.ROUND_HALF_UP))
}

/** Formats an amount with the decimals of its currency, such as `12.50`, `1200` and `1.250`. */
export function print({ amount, currency }: Money): string {
  return toText(new Decimal(amount), digitsOf(currency))
}

/** Formats the price of one unit with all of its decimals, at least those of its currency: `0.2856`, `12.50`. */
export function printPrice({ amount, currency }: Money): string {
  const price = new Decimal(amount)
  return toText(price, Math.max(digitsOf(currency), price.decimalPlaces()))
}

function toText(value: Decimal, decimals: number): string {
  const text = value.toFixed(decimals, Unbounded.ROUND_HALF_UP)
  return /^-0(\.0+)?$/.test(text) ? text.slice(1) : text
}

/**
 * Parses an amount from a client. Throws VALIDATION_ERROR for the field if the amount has more decimals than the
 * currency, exceeds the maximum, or is negative.
 */
export function amountOf(text: string, currency: string, field: string): Decimal {
  const amount = parse(text, digitsOf(currency), field, ` in ${currency}`)
  if (amount.isNegative() && !amount.isZero()) throw invalid({ [field]: ['must not be negative'] }, 'TOO_SMALL')
  return mustFit(amount, field)
}

/**
 * Parses the price of one unit from a client, in any currency. It may be negative. Throws VALIDATION_ERROR for the field if the
 * price has more than `maxPriceDecimals` decimals or exceeds the maximum.
 */
export function priceOf(text: string, field: string): Decimal {
  return mustFit(parse(text, maxPriceDecimals, field), field)
}

function parse(text: string, digits: number, field: string, where = ''): Decimal {
  if (!isDecimal(text)) throw invalid({ [field]: ['must be a decimal number'] })
  const value = new Decimal(text)
  if (value.decimalPlaces() <= digits) return value
  throw invalid({ [field]: [`must have ${digits === 0 ? 'no decimals' : `${digits} decimals at most`}${where}`] })
}

/** Returns the amount. Throws VALIDATION_ERROR if it exceeds the maximum. */
export function mustFit(amount: Unbounded, field: string): Decimal {
  if (amount.abs().gt(largestAmount)) throw invalid({ [field]: [`must be ${largestAmount} at most`] }, 'TOO_BIG')
  return new Decimal(amount)
}
