import { isUtf8 } from 'node:buffer'

/** Encodings of an imported file, with the names in the GraphQL API. */
export const importEncodings = ['UTF_8', 'UTF_16LE', 'UTF_16BE', 'WINDOWS_1252'] as const

export type ImportEncoding = (typeof importEncodings)[number]

/** Byte order marks at the beginning of a file. */
const marks: readonly (readonly [ImportEncoding, readonly number[]])[] = [
  ['UTF_8', [0xef, 0xbb, 0xbf]],
  ['UTF_16LE', [0xff, 0xfe]],
  ['UTF_16BE', [0xfe, 0xff]],
]

const longestMark = 3

/**
 * Decodes a file part by part. A byte order mark determines the encoding. Without one, the encoding is `requested`, or
 * UTF-8 until bytes are invalid in it: the file is then Windows-1252, which Excel writes. `onFallback` is called before the
 * first part that is decoded so, with the text before the invalid bytes of the part. What was decoded earlier must go through
 * `recode`.
 */
export class FileDecoder {
  readonly #requested: ImportEncoding | undefined
  readonly #onFallback: (valid: string) => void
  #encoding: ImportEncoding | undefined
  #decode: (bytes: Uint8Array, isLast: boolean) => string = () => ''
  #rest: Uint8Array = new Uint8Array()

  constructor(requested: ImportEncoding | undefined, onFallback: (valid: string) => void) {
    this.#requested = requested
    this.#onFallback = onFallback
  }

  /** Undefined until the first bytes are decoded. */
  get encoding(): ImportEncoding | undefined {
    return this.#encoding
  }

  /** Returns the text of a part, without the bytes of a character that is not complete yet. */
  decode(part: Uint8Array, isLast = false): string {
    if (this.#encoding) return this.#decode(part, isLast)
    const bytes = Buffer.concat([this.#rest, part])
    this.#rest = bytes
    if (bytes.length < longestMark && !isLast) return ''
    this.#rest = new Uint8Array()
    const [marked, mark] = marks.find(([, sign]) => sign.every((byte, place) => bytes[place] === byte)) ?? []
    this.#choose(marked ?? this.#requested)
    return this.#decode(bytes.subarray(mark?.length ?? 0), isLast)
  }

  #choose(encoding: ImportEncoding | undefined): void {
    this.#encoding = encoding ?? 'UTF_8'
    if (encoding === undefined) this.#decode = (bytes, isLast) => this.#detect(bytes, isLast)
    else if (encoding === 'WINDOWS_1252') this.#decode = decodeWindows1252
    else {
      const decoder = new TextDecoder(encoding.toLowerCase().replaceAll('_', '-'), { ignoreBOM: true })
      this.#decode = (bytes, isLast) => decoder.decode(bytes, { stream: !isLast })
    }
  }

  #detect(part: Uint8Array, isLast: boolean): string {
    const bytes = Buffer.concat([this.#rest, part])
    const length = isLast ? bytes.length : completeLength(bytes)
    const complete = bytes.subarray(0, length)
    this.#rest = bytes.subarray(length)
    if (isUtf8(complete)) return complete.toString('utf8')
    this.#rest = new Uint8Array()
    this.#choose('WINDOWS_1252')
    const text = bytes.toString('utf8')
    this.#onFallback(text.slice(0, Math.max(text.indexOf('\ufffd'), 0)))
    return decodeWindows1252(bytes)
  }
}

/** Returns the number of bytes without those of an incomplete UTF-8 character at the end. */
function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back < 4 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number
    if (byte >= 0x80 && byte < 0xc0) continue
    const size = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return size > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Characters of the bytes 0x80 to 0x9F. All other bytes are characters of Latin 1. Not all versions of Node decode them. */
const windowsOnly = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (sign) => windowsOnly[sign.charCodeAt(0) - 0x80] as string)
}

/** Decodes text as Windows-1252 that was decoded as UTF-8. */
export function recode(text: string): string {
  return decodeWindows1252(Buffer.from(text))
}
