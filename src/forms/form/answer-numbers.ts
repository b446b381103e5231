/** The zero of each kind of decimal digits that keyboards offer: Arabic, Persian, Devanagari, Bengali and Thai. */
const zeros = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50]

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
  return typed
    .normalize('NFKC')
    .trim()
    .replace(/\p{Nd}/gu, toAsciiDigit)
    .replace(/^[−–]/, '-')
    .replace('٫', ',')
}

function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number
  const zero = zeros.find((start) => code >= start && code <= start + 9)
  return zero === undefined ? digit : String(code - zero)
}
