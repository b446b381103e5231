import { toAsciiDigits } from '../../kernel/values/check.ts'

/** Spaces and apostrophes, as they are written between groups of three digits. */
const grouping = /^([+-]?)(\d{1,3}(?:[\s'’]\d{3})+)(?![\s'’\d])/

/**
 * Returns a number that a visitor typed in plain notation: `1,5` and `1 000.5` become `1.5` and `1000.5`. The decimal sign is a
 * comma or a point; spaces and apostrophes may separate thousands. Returns undefined for any other text, and for one that can be
 * read in two ways: `1.000,5`, `1,000` and `1,000,000`. A point alone is always the decimal sign, because programs write numbers
 * so.
 */
export function readTypedNumber(typed: string): string | undefined {
  const text = toPlainSigns(typed).replace(
    grouping,
    (_all, sign: string, digits: string) => sign + digits.replace(/\D/g, ''),
  )
  const isGrouped = text !== toPlainSigns(typed)
  const [, sign, whole, mark, fraction] = /^([+-]?)(\d*)(?:([.,])(\d+))?$/.exec(text) ?? []
  if (sign === undefined || (whole === '' && fraction === undefined)) return undefined
  if (mark === ',' && !isGrouped && fraction?.length === 3 && /^[1-9]\d{0,2}$/.test(whole as string)) return undefined
  return `${sign}${whole || '0'}${fraction === undefined ? '' : `.${fraction}`}`
}

/** Replaces digits, minus signs and decimal signs of other scripts by those of ASCII. */
function toPlainSigns(typed: string): string {
  return toAsciiDigits(typed).trim().replace(/^[−–]/, '-').replace('٫', ',')
}

/**
 * Returns a phone number with the digits, signs and blanks of ASCII: address books and keyboards write other hyphens, other
 * digits and wide signs.
 */
export function toPlainPhone(typed: string): string {
  return toAsciiDigits(typed)
    .replace(/[\p{Pd}−⁃]/gu, '-')
    .replace(/[・·․]/g, '.')
    .replace(/\s+/g, ' ')
    .trim()
}
