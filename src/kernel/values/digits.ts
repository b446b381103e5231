/** The zero of each kind of decimal digits that keyboards offer: Arabic, Persian, Indic, Thai, Lao, Tibetan, Burmese, Khmer. */
const zeros = [
  ...[0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040],
  ...[0x17e0, 0x1810],
]

/** Returns a text with the digits and wide signs of other scripts as those of ASCII. */
export function toAsciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, toAsciiDigit)
}

function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number
  const zero = zeros.find((start) => code >= start && code <= start + 9)
  return zero === undefined ? digit : String(code - zero)
}
