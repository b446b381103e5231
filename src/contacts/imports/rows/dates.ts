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

const pattern =
  /^(\d{1,4})\s*([/.-])\s*(\d{1,2})\s*\2\s*(\d{1,4})\.?(?:[T ]\s*\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?\s*(?:Z|[+-]\d\d:?\d\d|[ap]m)?)?$/i

/** Longest text that can be a date. */
const maxLength = 60

type Parts = readonly [first: string, second: string, third: string]

/** Returns the three numbers of a date, or undefined if a text is no date. A time after the date is ignored. */
function partsOfDate(text: string): Parts | undefined {
  if (text.length > maxLength) return undefined
  const [, first, , second, third] = pattern.exec(text) ?? []
  return first && second && third ? [first, second, third] : undefined
}

/**
 * Parses a date with separators / . or -. A date that begins with a year of four digits needs no order. Returns it as
 * YYYY-MM-DD, or undefined if it is no existing date in this order.
 */
export function parseDate(text: string, order: DateOrder | null, now: Date): string | undefined {
  const parts = partsOfDate(text.trim())
  if (!parts) return undefined
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
