import { DateTime } from 'luxon'
import { Decimal, print } from '../../kernel/money.ts'

/** An amount as a paper shows it: with the decimals of its currency, and thousands set apart. */
export function shownAmount(amount: string | Decimal, currency: string): string {
  const [, sign = '', whole = '', fraction = ''] =
    /^(-?)(\d+)(\.\d+)?$/.exec(print({ amount: String(amount), currency })) ?? []
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction}`
}

/** A rate in percent: `5.5%`. */
export function shownRate(rate: string): string {
  return `${new Decimal(rate)}%`
}

/** The day of a moment on the clocks of a zone: `21 November 2026`. */
export function shownDay(moment: Date, zone: string): string {
  return DateTime.fromJSDate(moment, { zone }).setLocale('en').toFormat('d LLLL yyyy')
}
