import { toAsciiDigits } from '../../../kernel/values/check.ts'

/** Orders of day, month and year in dates of a file, with the names in the GraphQL API. */
export const dateOrders = ['DMY', 'MDY', 'YMD'] as const

export type DateOrder = (typeof dateOrders)[number]

/** Order of the dates in a column. It is null if it is not known, and `problem` is the reason. Absent if no date needs it. */
export interface ColumnDates {
  readonly order: DateOrder | null
  readonly problem?: 'AMBIGUOUS' | 'MIXED'
}

/** Two-digit years are at most this many years in the future. */
const maxFutureYears = 10

/** What follows a date: a time, after a T, a comma or a space, and after words such as “at” and “a las”. Then comes its zone. */
const time =
  /^(?:T|:|,?\s)\s*(?:\p{L}{1,4}\.?\s+){0,2}\d{1,2}(?:\s?[:.h]\s?\d\d(?:[:.m]\d\d(?:[.,]\d+)?)?s?|\s?h|(?=\s?[ap]\.?m\b))(.*)$/iu

/**
 * A zone: a difference from UTC between or beside names, such as CET, Europe/Paris, “Eastern Standard Time” and +0100 (CET). Also
 * what says which half of the day it is.
 */
const zone = /^[^\d]{0,50}(?:[+-]\d\d?(?::?\d\d)?[^\d]{0,50})?$/
const zoneSigns = /^[\p{L}\d\s_/+:.()[\]-]*$/u

const pattern = /^(\d{1,4})\s*([/.-])\s*(\d{1,2})\s*\2\s*(\d{1,4})\.?(?!\d)(.*)$/

/** 2026年3月14日, also in Korean. */
const eastAsian = /^(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일](.*)$/

/** A date with the name of its month: 14 March 2026, 14-Mar-26, March 14th, 2026 or 14. Mai 2026, also after a weekday. */
const named =
  /^(?:\p{L}{2,10}\.?,?\s+)?(?:(\d{1,2})(?:st|nd|rd|th|er|º|°)?[.\s/-]*(?:de\s+|of\s+)?(\p{L}{3,12})|(\p{L}{3,12})\.?[\s/-]+(\d{1,2})(?:st|nd|rd|th)?)[.,\s/-]+(?:de\s+)?['’]?(\d{4}|\d{2})\.?(?!\d)(.*)$/iu

/** The same with the year first: 2026-Mar-14. */
const namedAfterYear = /^(\d{4})[.\s/-]+(\p{L}{3,12})\.?[\s/-]+(\d{1,2})(?!\d)(.*)$/u

/** The same with a time before the year, as Unix writes it: Sat Mar 14 10:00:00 UTC 2026. */
const unix = /^\p{L}{2,4}\.?\s+(\p{L}{3,12})\s+(\d{1,2})\s+\d\d:\d\d:\d\d\s+(?:[+-]\d{4}\s+|[A-Z]{1,5}\s+)?(\d{4})$/u

// cspell:disable
/** Beginnings of the names of months in the languages of the product, without diacritics. */
const months: readonly (readonly string[])[] = [
  ['jan', 'janv', 'ene', 'gen', 'sty'],
  ['feb', 'fev', 'lut'],
  ['mar', 'mrz', 'maa', 'mrt'],
  ['apr', 'avr', 'abr', 'kwi'],
  ['may', 'mai', 'mag', 'mei', 'maj'],
  ['jun', 'juin', 'giu', 'cze'],
  ['jul', 'juil', 'lug', 'lip'],
  ['aug', 'aou', 'ago', 'sie'],
  ['sep', 'set', 'wrz'],
  ['oct', 'okt', 'ott', 'out', 'paz'],
  ['nov', 'lis'],
  ['dec', 'dez', 'dic', 'gru'],
]
// cspell:enable

/** Returns the number of a month by its name or the beginning of it. The longest beginning that is known decides. */
function monthOf(name: string): string | undefined {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const found = [4, 3].map((length) => months.findIndex((names) => names.includes(plain.slice(0, length))))
  const index = found.find((each) => each >= 0)
  return index === undefined ? undefined : String(index + 1)
}

/** Longest text that can be a date. */
const maxLength = 120

type Parts = readonly [first: string, second: string, third: string]

/** Returns a text as dates are compared: in digits of ASCII. Empty if it is too long. */
function plainDate(text: string): string {
  return text.length > maxLength ? '' : toAsciiDigits(text).trim()
}

/** Whether what follows a date is nothing, or a time. */
function isTime(rest: string | undefined): boolean {
  if (!rest) return rest === ''
  const after = time.exec(rest)?.[1]
  return after !== undefined && zoneSigns.test(after) && zone.test(after)
}

/** Returns the three numbers of a date, or undefined if a text is no date. A time after the date is ignored. */
function partsOfDate(plain: string): Parts | undefined {
  const [, first, , second, third, rest] = pattern.exec(plain) ?? []
  return first && second && third && isTime(rest) ? [first, second, third] : undefined
}

/** Returns a date that needs no order, because it names its month or its parts, in the order day, month and year. */
function namedParts(plain: string): Parts | undefined {
  const [, year, month, day, rest] = eastAsian.exec(plain) ?? []
  if (year && month && day) return isTime(rest) ? [day, month, year] : undefined
  return (
    withMonth(plain, named, ([first, name, otherName, second, last]) => [first ?? second, name ?? otherName, last]) ??
    withMonth(plain, namedAfterYear, ([first, name, last]) => [last, name, first]) ??
    withMonth(plain, unix, ([name, first, last]) => [first, name, last], false)
  )
}

/** Returns the parts of a date without separators: 20260314, in the years of living persons. */
function compactParts(plain: string): Parts | undefined {
  const [, year, month, day] = /^((?:19|20)\d\d)(\d\d)(\d\d)$/.exec(plain) ?? []
  return year && month && day ? [day, month, year] : undefined
}

type Groups = readonly (string | undefined)[]

/** Returns the parts of a date with the name of its month that a pattern finds. Its last group is what follows the date. */
function withMonth(
  plain: string,
  pattern: RegExp,
  order: (groups: Groups) => Groups,
  hasRest = true,
): Parts | undefined {
  const found = pattern.exec(plain)?.slice(1)
  if (!found || (hasRest && !isTime(found.at(-1)))) return undefined
  const [day, name = '', year] = order(found)
  const month = monthOf(name)
  return day && month && year ? [day, month, year] : undefined
}

/**
 * Parses a date with separators / . or -, or with the name of its month, or without separators as 20260314. One with a name, or
 * that begins with a year of four digits, needs no order. Returns it as YYYY-MM-DD, or undefined if no such date exists in this
 * order.
 */
export function parseDate(text: string, order: DateOrder | null, now: Date): string | undefined {
  const plain = plainDate(text)
  const parts = partsOfDate(plain)
  if (!parts) return inOrder(namedParts(plain) ?? compactParts(plain) ?? ['', '', ''], 'DMY', now)
  return inOrder(parts, parts[0].length === 4 ? 'YMD' : order, now)
}

function inOrder([first, second, third]: Parts, order: DateOrder | null, now: Date): string | undefined {
  if (order === 'DMY') return toDate(third, second, first, now)
  if (order === 'MDY') return toDate(third, first, second, now)
  return order === 'YMD' ? toDate(first, second, third, now) : undefined
}

function toDate(year: string, month: string, day: string, now: Date): string | undefined {
  if ((year.length !== 2 && year.length !== 4) || month.length > 2 || day.length > 2) return undefined
  const text = `${year.length === 4 ? year : fullYear(Number(year), now)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const date = new Date(`${text}T00:00:00Z`)
  // JavaScript parses 30 February as 2 March, so only an existing date formats back to the same text.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined
}

function fullYear(year: number, now: Date): number {
  const latest = now.getUTCFullYear() + maxFutureYears
  const century = latest - (latest % 100)
  return century + year > latest ? century - 100 + year : century + year
}

/** Collects the dates of a column, and returns the order that all of them have. */
interface DateTally {
  add(text: string): void
  result(): ColumnDates | undefined
}

/**
 * Returns a tally of the dates of a column. The order is DMY or MDY: only dates that begin with a year of four digits are YMD
 * by themselves. Texts that are no date in any order do not count.
 */
export function newDateTally(now: Date): DateTally {
  let [canBeDmy, canBeMdy, hasDates, isAmbiguous] = [true, true, false, false]
  return {
    add: (text) => {
      const parts = partsOfDate(plainDate(text))
      if (!parts || parts[0].length === 4) return
      const [dmy, mdy] = [inOrder(parts, 'DMY', now), inOrder(parts, 'MDY', now)]
      if (dmy === undefined && mdy === undefined) return
      hasDates = true
      canBeDmy &&= dmy !== undefined
      canBeMdy &&= mdy !== undefined
      isAmbiguous ||= dmy !== mdy
    },
    result: () => {
      if (!hasDates) return undefined
      if (canBeDmy && canBeMdy && isAmbiguous) return { order: null, problem: 'AMBIGUOUS' }
      if (!canBeDmy && !canBeMdy) return { order: null, problem: 'MIXED' }
      return { order: canBeDmy ? 'DMY' : 'MDY' }
    },
  }
}
