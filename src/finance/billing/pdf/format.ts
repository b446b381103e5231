import { DateTime } from 'luxon'
import { Decimal, print, printPrice } from '../../../kernel/values/money.ts'

/** Formats an amount with the decimals of its currency and thousands separators: `1,234.50`. */
export function formatAmount(amount: string | Decimal, currency: string): string {
  return separateThousands(print({ amount: String(amount), currency }))
}

/** Formats the price of one unit with all of its decimals, at least those of its currency: `0.2856`. */
export function formatPrice(price: string, currency: string): string {
  return separateThousands(printPrice({ amount: price, currency }))
}

function separateThousands(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? []
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction}`
}

/** Formats a rate in percent: `5.5%`. */
export function formatRate(rate: string): string {
  return `${new Decimal(rate)}%`
}

/** Formats the day of an instant in a time zone: `21 November 2026`. */
export function formatDay(instant: Date, zone: string): string {
  return DateTime.fromJSDate(instant, { zone }).setLocale('en').toFormat('d LLLL yyyy')
}
