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

/** A time after a date, with a zone: a difference from UTC, or a name such as CET, Europe/Paris or “Eastern Standard Time”. */
const time =
  String.raw`(?:(?:T|,?\s)\s*(?:at\s+)?\d{1,2}[:.]\d\d(?:[:.]\d\d(?:[.,]\d+)?)?\s*(?:[ap]\.?m\.?)?\s*(?:Uhr)?\s*` +
  String.raw`(?:(?:Z|UTC|GMT)?\s*(?:[+-]\d\d?(?::?\d\d)?)?|\(?[A-Za-z][A-Za-z_/ ]{1,40}\)?)\s*(?:\([A-Za-z ]{1,40}\))?)?`

const pattern = new RegExp(String.raw`^(\d{1,4})\s*([/.-])\s*(\d{1,2})\s*\2\s*(\d{1,4})\.?${time}$`, 'i')

/** A date with the name of its month: 14 March 2026, 14-Mar-26, March 14th, 2026 or 14. Mai 2026, also after a weekday. */
const namedPattern = new RegExp(
  String.raw`^(?:\p{L}{2,10}\.?,?\s+)?(?:(\d{1,2})(?:st|nd|rd|th|er|º|°)?[.\s/-]*(?:de\s+|of\s+)?(\p{L}{3,12})|(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?)` +
    String.raw`[.,\s/-]+(?:de\s+)?(\d{4}|\d{2})\.?${time}$`,
  'iu',
)

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

/** Returns the three numbers of a date, or undefined if a text is no date. A time after the date is ignored. */
function partsOfDate(text: string): Parts | undefined {
  if (text.length > maxLength) return undefined
  const [, first, , second, third] = pattern.exec(text) ?? []
  return first && second && third ? [first, second, third] : undefined
}

/** Returns a date with the name of its month in the order day, month and year. */
function namedParts(text: string): Parts | undefined {
  if (text.length > maxLength) return undefined
  const [, day, name, otherName, otherDay, year] = namedPattern.exec(text) ?? []
  const month = monthOf(name ?? otherName ?? '')
  return month && year ? [day ?? (otherDay as string), month, year] : undefined
}

/**
 * Parses a date with separators / . or -, or with the name of its month. One with a name, or that begins with a year of four
 * digits, needs no order. Returns it as YYYY-MM-DD, or undefined if it is no existing date in this order.
 */
export function parseDate(text: string, order: DateOrder | null, now: Date): string | undefined {
  const parts = partsOfDate(text.trim())
  if (!parts) return inOrder(namedParts(text.trim()) ?? ['', '', ''], 'DMY', now)
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
      const parts = partsOfDate(text.trim())
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
