import { parse } from 'csv-parse'
import { invalid, type Refusal } from '../kernel/errors.ts'
import { newTurns } from '../kernel/turns.ts'

const mebibyte = 1024 * 1024

const maxFileBytes = 256 * mebibyte
const maxRows = 1_000_000
const maxColumns = 1_000

/** A chunk is stored and applied as a whole. It ends after this many rows or bytes. */
const maxChunkRows = 200
const maxChunkBytes = mebibyte

/** A row must fit into the parser's buffer. */
const maxRowBytes = 2 * mebibyte

/** Bytes that are parsed before other work of the process can get a turn. */
const sliceBytes = 16 * 1024

/**
 * A row of a file: the line on which it begins, followed by its cells. Of a row with more or fewer cells than the header only their number
 * is kept, because it cannot be applied and can have millions.
 */
export type NumberedRow = RowOfCells | RowOfCount
type RowOfCells = [line: number, ...cells: string[]]
type RowOfCount = [line: number, cellCount: number]

/** Returns whether only the number of a row's cells was kept. */
export function isCounted(row: NumberedRow): row is RowOfCount {
  return typeof row[1] === 'number'
}

/**
 * Reads a CSV file and yields its rows in chunks, with one chunk in memory. The file must be UTF-8, with or without a byte
 * order mark. Cells are separated by commas, semicolons or tabs. Calls `onHeader` with the header before the first chunk.
 * Empty lines are skipped.
 *
 * **Throws** VALIDATION_ERROR for the field `csv`, with the line if there is one, if the file has another encoding, an
 * invalid quote or no header, or is too large.
 */
export async function* readChunks(
  source: AsyncIterable<Uint8Array>,
  onHeader: (header: string[]) => void,
): AsyncGenerator<NumberedRow[]> {
  const reader = new ChunkReader(onHeader)
  const turn = newTurns()
  let bytes = 0
  for await (const slice of checkUtf8(slices(source), reader)) {
    bytes += slice.length
    if (bytes > maxFileBytes) throw fileError(`must not be larger than ${maxFileBytes / mebibyte} MB`)
    await reader.write(slice)
    yield* reader.takeFullChunks()
    // The parser calls back synchronously, so without this no other work would run until the end of the file.
    await turn()
  }
  await reader.end()
  yield* reader.takeAllChunks()
}

/** Cuts a stream into small slices, so that the time between turns does not depend on how the client sends the file. */
async function* slices(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of source) {
    for (let from = 0; from < part.length; from += sliceBytes) yield part.subarray(from, from + sliceBytes)
  }
}

function fileError(message: string): Refusal {
  return invalid({ csv: [message] })
}

/** Parses the bytes of a CSV file and collects its rows in chunks. */
class ChunkReader {
  readonly #onHeader: (header: string[]) => void
  /** Undefined until the header is complete, because the header determines the delimiter. */
  #parser: ReturnType<typeof parse> | undefined
  #head: Uint8Array[] = []
  #headBytes = 0
  /** Number of columns. Undefined until the header is read. */
  #width: number | undefined
  #rowCount = 0
  #rows: NumberedRow[] = []
  #chunks: NumberedRow[][] = []
  /** Position at which the current chunk begins. */
  #chunkStart = 0
  #writtenBytes = 0
  /** Position after the last complete row. */
  #parsedBytes = 0
  /** Line on which the next row begins. */
  #line = 1

  constructor(onHeader: (header: string[]) => void) {
    this.#onHeader = onHeader
  }

  get line(): number {
    return this.#line
  }

  async write(slice: Uint8Array): Promise<void> {
    if (this.#parser) return this.#parse(this.#parser, slice)
    // Each slice is searched once, because a client may send the file byte by byte.
    this.#head.push(slice)
    this.#headBytes += slice.length
    if (slice.some(isLineEnd) || this.#headBytes >= maxChunkBytes) await this.#parseHead()
  }

  async end(): Promise<void> {
    const parser = this.#parser ?? (await this.#parseHead())
    await new Promise<void>((resolve, reject) => {
      parser.once('error', (error: Error) => reject(toFileError(error))).end(() => resolve())
    })
    if (this.#width === undefined) throw fileError('must not be empty: the first line must contain the column names')
  }

  takeFullChunks(): NumberedRow[][] {
    return this.#chunks.splice(0)
  }

  /** Returns the complete chunks and the last, incomplete one. */
  takeAllChunks(): NumberedRow[][] {
    if (this.#rows.length > 0) this.#endChunk()
    return this.takeFullChunks()
  }

  async #parseHead(): Promise<ReturnType<typeof parse>> {
    const head = Buffer.concat(this.#head.splice(0))
    const parser = parse({
      bom: true,
      delimiter: findDelimiter(head),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      on_record: ((cells: string[], info: { lines: number; bytes: number }) => this.#addRecord(cells, info)) as never,
    })
    // The callbacks of `write` and `end` report the error.
    parser.on('error', () => undefined)
    this.#parser = parser
    await this.#parse(parser, head)
    return parser
  }

  async #parse(parser: ReturnType<typeof parse>, bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      parser.write(bytes, (error) => (error ? reject(toFileError(error)) : resolve()))
    })
    this.#writtenBytes += bytes.length
    // The parser buffers an incomplete row, so an unclosed quote would buffer the rest of the file.
    if (this.#writtenBytes - this.#parsedBytes > maxRowBytes) {
      throw fileError(
        `must not contain a row of more than ${maxRowBytes / mebibyte} MB: line ${this.#line} is too long or has a quote that is never closed`,
      )
    }
  }

  /** Receives each record from the parser. Returns null, so that the parser does not keep the record. */
  #addRecord(cells: string[], { lines, bytes }: { lines: number; bytes: number }): null {
    const line = this.#line
    this.#line = lines + 1
    this.#parsedBytes = bytes
    if (this.#width === undefined) this.#readHeader(cells)
    else if (cells.some((cell) => cell !== ''))
      this.#addRow(cells.length === this.#width ? [line, ...cells] : [line, cells.length], bytes)
    return null
  }

  #readHeader(cells: string[]): void {
    this.#width = cells.length
    if (cells.length > maxColumns) throw fileError(`must not have more than ${maxColumns} columns`)
    this.#onHeader(cells)
  }

  #addRow(row: NumberedRow, bytes: number): void {
    this.#rowCount += 1
    if (this.#rowCount > maxRows) throw fileError(`must not have more than ${maxRows} rows`)
    this.#rows.push(row)
    if (this.#rows.length < maxChunkRows && bytes - this.#chunkStart <= maxChunkBytes) return
    this.#endChunk()
    this.#chunkStart = bytes
  }

  #endChunk(): void {
    this.#chunks.push(this.#rows)
    this.#rows = []
  }
}

/** Yields the slices of a file unchanged. Throws unless they are UTF-8. */
async function* checkUtf8(source: AsyncIterable<Uint8Array>, reader: ChunkReader): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  for await (const slice of source) {
    if (isFirst && slice.length > 1 && [0xfeff, 0xfffe].includes(((slice[0] as number) << 8) | (slice[1] as number))) {
      throw fileError('must be encoded in UTF-8, not in UTF-16')
    }
    isFirst = false
    try {
      decoder.decode(slice, { stream: true })
    } catch {
      throw fileError(`must be encoded in UTF-8: invalid bytes after line ${reader.line}`)
    }
    yield slice
  }
  try {
    decoder.decode()
  } catch {
    throw fileError('must be encoded in UTF-8: the file ends within a character')
  }
}

/** Returns the delimiter that occurs most often in the header outside of quotes. */
function findDelimiter(head: Uint8Array): string {
  const counts = new Map(delimiters.map((sign) => [sign.charCodeAt(0), 0]))
  let isQuoted = false
  for (const byte of head) {
    if (byte === quote) isQuoted = !isQuoted
    if (isQuoted) continue
    if (isLineEnd(byte)) break
    const count = counts.get(byte)
    if (count !== undefined) counts.set(byte, count + 1)
  }
  const countOf = (sign: string) => counts.get(sign.charCodeAt(0)) as number
  return delimiters.reduce((best, sign) => (countOf(sign) > countOf(best) ? sign : best))
}

const delimiters = [',', ';', '\t']
const quote = 0x22

function isLineEnd(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d
}

/** Replaces the parser's messages, so that clients never read the library's wording. */
function toFileError(error: Error): Error {
  const { code, lines } = error as { code?: string; lines?: number }
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return fileError(`contains a quote that is never closed, in the row that ends on line ${lines}`)
    case 'CSV_INVALID_CLOSING_QUOTE':
      return fileError(`contains text after a closing quote on line ${lines}`)
    case 'INVALID_OPENING_QUOTE':
      return fileError(`contains a quote in the middle of a cell on line ${lines}`)
    default:
      return code?.startsWith('CSV_') ? fileError(`cannot be parsed on line ${lines}`) : error
  }
}
