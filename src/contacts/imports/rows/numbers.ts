import { toAsciiDigits } from '../../../kernel/values/check.ts'
import { isCurrency } from '../../../kernel/values/currencies.ts'

/** Sign of decimals in the numbers of a column. It is null if it is not known. Absent if no number needs it. */
export interface ColumnNumbers {
  readonly decimal: '.' | ',' | null
}

/** Longest text that can be a number. */
const maxLength = 60

interface NumberParts {
  readonly text: string
  /** The signs of decimals with which the text is a number. */
  readonly decimals: readonly ('.' | ',')[]
}

/** Short names of currencies, as they are written beside amounts, and what is written before a dollar sign. */
const currencyWords = new Set([
  ...[
    'kr',
    'zł',
    'kč',
    'ft',
    'lei',
    'лв',
    'руб',
    'р',
    'грн',
    'fr',
    'rs',
    'rm',
    'rp',
    'r',
    'tl',
    'din',
    'us',
    'ca',
    'a',
    'c',
  ],
  ...['au', 'nz', 'hk', 's', 'nt', 'mx'],
])

const isCurrencyWord = (word: string) => isCurrency(word.toUpperCase()) || currencyWords.has(word.toLowerCase())

/** A number between signs of currencies, with what stands for no cents after it. */
const amount =
  /^([-+(]?)\s*(?:(\p{L}{1,3})\.?)?\s*\p{Sc}?\s*([-+]?)\s*([\d.,\s'’٬٫]*?\d)(?:[.,]-{1,2})?\s*(-?)\s*(?:\p{Sc}|(\p{L}{1,3})\.?)?\s*(\)?)$/u

/**
 * Returns a text without currency, spaces and apostrophes between thousands, and with a minus at its beginning; and whether a
 * comma or a point can be its sign of decimals. A number in parentheses is negative, as accountants write it. Undefined if it is
 * no number.
 */
function partsOfNumber(cell: string): NumberParts | undefined {
  // A raised or circled digit is none of the number.
  if (cell.length > maxLength || /\p{No}/u.test(cell)) return undefined
  const plain = toAsciiDigits(cell)
    .replace(/[\u2212\u2013\u2014]/g, '-')
    .trim()
  const [, before, word, sign, digits, after, unit, end] = amount.exec(plain) ?? []
  if (digits === undefined || (before === '(') !== (end === ')')) return undefined
  if (![word, unit].every((each) => each === undefined || isCurrencyWord(each))) return undefined
  const signs = [before, sign, after].filter(Boolean)
  if (signs.length > 1) return undefined
  const text = `${signs.length === 0 || signs[0] === '+' ? '' : '-'}${digits}`
    .replaceAll('\u066b', ',')
    .replaceAll('\u066c', '.')
    .replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, '')
  const decimals = (['.', ','] as const).filter((each) => isNumberWith(text, each))
  return decimals.length > 0 ? { text, decimals } : undefined
}

/** Numbers with a point or a comma as the sign of decimals, and the other one, if any, between thousands. */
const patterns = {
  // The second group is that of India.
  '.': /^-?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d\d)+,\d{3})?(?:(?<=\d)|(?=\.))(?:\.\d+)?$/,
  ',': /^-?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)?(?:(?<=\d)|(?=,))(?:,\d+)?$/,
}

const isNumberWith = (text: string, decimal: '.' | ',') => patterns[decimal].test(text)

function inPoints(text: string, decimal: '.' | ','): string {
  return text
    .replaceAll(decimal === '.' ? ',' : '.', '')
    .replace(',', '.')
    .replace(/^(-?)\./, '$10.')
}

/** Returns a number as 1234.5. Undefined if it is no number, or one whose value depends on a sign that is not known. */
export function parseNumber(cell: string, decimal: ColumnNumbers['decimal'] | undefined): string | undefined {
  const parts = partsOfNumber(cell)
  if (!parts) return undefined
  if (decimal) return parts.decimals.includes(decimal) ? inPoints(parts.text, decimal) : undefined
  const values = new Set(parts.decimals.map((sign) => inPoints(parts.text, sign)))
  const [value] = values
  // Of a column with both signs, not even those numbers are certain that fit only one.
  return values.size === 1 && (decimal === undefined || /^-?\d+$/.test(parts.text)) ? value : undefined
}

/** Returns whether a cell is a number with any sign of decimals. */
export const isAnyNumber = (cell: string) => partsOfNumber(cell) !== undefined

/** Returns a tally of the numbers of a column: the sign of decimals is the one with which all of them are numbers. */
export function newNumberTally() {
  const possible = new Set<'.' | ','>(['.', ','])
  let needsSign = false
  return {
    add: (cell: string) => {
      const parts = partsOfNumber(cell)
      if (!parts) return
      needsSign ||= /[.,]/.test(parts.text)
      for (const sign of possible) if (!parts.decimals.includes(sign)) possible.delete(sign)
    },
    result: (): ColumnNumbers | undefined => {
      if (!needsSign) return undefined
      const [decimal] = possible
      return { decimal: possible.size === 1 && decimal ? decimal : null }
    },
  }
}
