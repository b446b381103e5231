/** A text in lines of ASCII that any mail server accepts, without a line break at the end. */
interface EncodedText {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  readonly encoded: string
}

/** Maximum length of an encoded line (RFC 2045), without the line break. */
const maxLine = 76

/** Number of bytes for each character from which a text is mostly not Latin, so that base64 is much shorter. */
const base64Threshold = 1.3

/**
 * Encodes a text for a MIME part. Every line break becomes CRLF. Texts of ASCII with short lines stay as they are. In
 * quoted-printable, no line begins with a dot, which some mail servers lose.
 */
export function encodeText(text: string): EncodedText {
  if (!hasLongLine(text) && !/[^\t\r\n\x20-\x7e]/.test(text)) return { encoding: '7bit', encoded: withCrlf(text) }
  if (Buffer.byteLength(text) < text.length * base64Threshold)
    return { encoding: 'quoted-printable', encoded: toQuotedPrintable(Buffer.from(text)) }
  const encoded = Buffer.from(withCrlf(text)).toString('base64')
  return { encoding: 'base64', encoded: encoded.replace(/.{76}(?!$)/g, '$&\r\n') }
}

function hasLongLine(text: string): boolean {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    if ((end < 0 ? text.length : end) - from > maxLine) return true
    if (end < 0) return false
    from = end + 1
  }
  return false
}

function withCrlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

const [tab, lineFeed, carriageReturn, space, dot, equals] = [9, 10, 13, 32, 46, 61]
const digits = Buffer.from('0123456789ABCDEF')

/** Number of characters of each byte: 1 if it stays as it is. */
const widths = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === tab || (byte >= space && byte <= 126 && byte !== equals) ? 1 : 3,
)

/** Maximum number of output bytes for an input byte, including soft line breaks. */
const maxGrowth = 4

/** Output of the last text. Kept, because memory of this size is slow to allocate. */
let output = Buffer.allocUnsafe(100_000)
const maxKept = 1_000_000

function toQuotedPrintable(input: Buffer): string {
  const out = outputOf(input.length * maxGrowth)
  let length = 0
  let column = 0
  for (let index = 0; index < input.length; index += 1) {
    const byte = input[index] as number
    // Nearly all bytes of a text: anything but a dot is safe at the beginning of a line.
    if (byte > dot && column < maxLine - 1 && widths[byte] === 1) {
      out[length++] = byte
      column += 1
      continue
    }
    const next = input[index + 1]
    if (byte === lineFeed || byte === carriageReturn) {
      if (byte === carriageReturn && next === lineFeed) index += 1
      out[length++] = carriageReturn
      out[length++] = lineFeed
      column = 0
      continue
    }
    let width = widths[byte] as number
    // White space at the end of a line may be lost.
    if (byte <= space && (next === undefined || next === lineFeed || next === carriageReturn)) width = 3
    // A soft line break takes the last column. The bytes of one character stay together.
    if (column + (byte >= 0xc0 ? bytesOf(byte) * 3 : width) >= maxLine) {
      out[length++] = equals
      out[length++] = carriageReturn
      out[length++] = lineFeed
      column = 0
    }
    if (column === 0 && byte === dot) width = 3
    if (width === 1) out[length++] = byte
    else {
      out[length++] = equals
      out[length++] = digits[byte >> 4] as number
      out[length++] = digits[byte & 15] as number
    }
    column += width
  }
  return out.toString('latin1', 0, length)
}

/** Number of bytes of a character in UTF-8, by its first byte. */
function bytesOf(firstByte: number): number {
  return firstByte < 0xe0 ? 2 : firstByte < 0xf0 ? 3 : 4
}

function outputOf(size: number): Buffer {
  if (size > maxKept) return Buffer.allocUnsafe(size)
  if (size > output.length) output = Buffer.allocUnsafe(size)
  return output
}
