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

/**
 * Returns a text without currency, spaces and apostrophes between thousands, and with a minus at its beginning; and whether a
 * comma or a point can be its sign of decimals. Undefined if it is no number.
 */
function partsOfNumber(cell: string): NumberParts | undefined {
  if (cell.length > maxLength) return undefined
  const text = cell
    .replace(/^[\s\p{Sc}]+|[\s\p{Sc}]+$/gu, '')
    .replace(/^[\u2212\u2013]/, '-')
    .replace(/^-\s*\p{Sc}?\s*/u, '-')
    .replace(/^(.*\d)-$/, '-$1')
    .replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, '')
  const decimals = (['.', ','] as const).filter((sign) => isNumberWith(text, sign))
  return decimals.length > 0 ? { text, decimals } : undefined
}

/** Numbers with a point or a comma as the sign of decimals, and the other one, if any, between thousands. */
const patterns = {
  '.': /^-?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/,
  ',': /^-?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/,
}

const isNumberWith = (text: string, decimal: '.' | ',') => patterns[decimal].test(text)

function inPoints(text: string, decimal: '.' | ','): string {
  return text.replaceAll(decimal === '.' ? ',' : '.', '').replace(',', '.')
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
