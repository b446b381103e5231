import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse'
import { invalid, type Refusal } from '../kernel/errors.ts'

/** How large a file may be. */
export const mostBytes = 256 * 1024 * 1024
export const mostRows = 1_000_000
const mostColumns = 1_000

/** A part of a file that is kept, and applied, as one: so many rows, or so many bytes of it. */
const rowsInChunk = 1_000
const bytesInChunk = 1024 * 1024

/** How many bytes are read without a pause. */
const bytesInPiece = 32 * 1024

/** A row of a file: the number of the line on which it begins, and its cells. */
export type NumberedRow = [line: number, ...cells: string[]]

/**
 * Reads a CSV file and cuts it into parts, of which one at a time is in memory: UTF-8 with or without a byte order mark,
 * cells parted by commas, semicolons or tabs. `begin` is told the header before the first part. Lines without anything in
 * them are left out.
 *
 * Fails with VALIDATION_ERROR naming `csv`, and the line where there is one: for another encoding, a quote that is not
 * closed or stands where none can be, a file that is too large, and a file without a header.
 */
export async function* chunksOf(
  source: AsyncIterable<Uint8Array>,
  begin: (header: string[]) => void,
): AsyncGenerator<NumberedRow[]> {
  const cutter = newCutter(begin)
  let bytes = 0
  for await (const part of utf8(inPieces(source), cutter)) {
    bytes += part.length
    if (bytes > mostBytes) throw fault(`is larger than ${mostBytes / 1024 / 1024} MB`)
    await cutter.write(part)
    yield* cutter.full()
    // A parser that has all it needs calls back at once: others would wait for the whole file.
    await nextTurn()
  }
  await cutter.end()
  yield* cutter.rest()
}

/** The same bytes, a few at a time: how long others wait does not depend on how a file comes. */
async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of source) {
    for (let from = 0; from < part.length; from += bytesInPiece) yield part.subarray(from, from + bytesInPiece)
  }
}

/** What is wrong with a file as a whole. */
export function fault(message: string): Refusal {
  return invalid({ csv: [message] })
}

interface Cutter {
  write(part: Uint8Array): Promise<void>
  end(): Promise<void>
  /** The parts that are whole by now. */
  full(): Generator<NumberedRow[]>
  /** The same, and what is left. */
  rest(): Generator<NumberedRow[]>
  /** On which line the reading is. */
  line(): number
}

function newCutter(begin: (header: string[]) => void): Cutter {
  let parser: ReturnType<typeof parse> | undefined
  let heads: Uint8Array[] = []
  let headBytes = 0
  let hasHeader = false
  let rows: NumberedRow[] = []
  let chunks: NumberedRow[][] = []
  let total = 0
  let [chunkBytes, nextLine, written, read] = [0, 1, 0, 0]

  const take = (record: string[], { lines, bytes }: { lines: number; bytes: number }) => {
    const line = nextLine
    nextLine = lines + 1
    read = bytes
    if (!hasHeader) {
      hasHeader = true
      if (record.length > mostColumns) throw fault(`has more than ${mostColumns} columns`)
      begin(record)
      return null
    }
    if (record.every((cell) => cell === '')) return null
    total += 1
    if (total > mostRows) throw fault(`has more than ${mostRows} rows`)
    rows.push([line, ...record])
    if (rows.length >= rowsInChunk || bytes - chunkBytes > bytesInChunk) {
      chunks.push(rows)
      rows = []
      chunkBytes = bytes
    }
    return null
  }
  const open = (head: Uint8Array) => {
    const made = parse({
      bom: true,
      delimiter: delimiterOf(head),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      on_record: take as never,
    })
    // What goes wrong is told to whoever writes.
    made.on('error', () => undefined)
    return made
  }
  const send = async (part: Uint8Array) => {
    await new Promise<void>((resolve, reject) => {
      parser?.write(part, (error) => (error ? reject(told(error)) : resolve()))
    })
    written += part.length
    // The parser keeps what it has of a row until it has all of it.
    if (written - read > 2 * bytesInChunk) {
      throw fault(
        `has a row of more than ${(2 * bytesInChunk) / 1024 / 1024} MB on line ${nextLine}, or a quote that is never closed`,
      )
    }
  }
  const sendHead = () => {
    const head = Buffer.concat(heads)
    heads = []
    parser = open(head)
    return send(head)
  }
  const finish = () =>
    new Promise<void>((resolve, reject) => {
      parser?.once('error', (error: Error) => reject(told(error))).end(() => resolve())
    })

  return {
    write: async (part) => {
      if (parser) return send(part)
      // The header says what parts the cells: it must be there before anything is read. Each part is looked at once, for
      // a client may send it byte by byte.
      heads.push(part)
      headBytes += part.length
      if (!part.some(isLineEnd) && headBytes < bytesInChunk) return
      await sendHead()
    },
    end: async () => {
      if (!parser) await sendHead()
      await finish()
      if (!hasHeader) throw fault('is empty: the first line must name the columns')
    },
    full: function* () {
      const ready = chunks
      chunks = []
      yield* ready
    },
    rest: function* () {
      yield* chunks
      if (rows.length > 0) yield rows
      chunks = []
      rows = []
    },
    line: () => nextLine,
  }
}

/** The parts of a file as they are, as long as they are UTF-8. */
async function* utf8(source: AsyncIterable<Uint8Array>, cutter: Cutter): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  for await (const part of source) {
    if (isFirst && part.length > 1 && [0xfeff, 0xfffe].includes(((part[0] as number) << 8) | (part[1] as number))) {
      throw fault('is in UTF-16: save it as UTF-8')
    }
    isFirst = false
    try {
      decoder.decode(part, { stream: true })
    } catch {
      throw fault(`is not in UTF-8, behind line ${cutter.line()}`)
    }
    yield part
  }
  try {
    decoder.decode()
  } catch {
    throw fault('is not in UTF-8: it ends within a character')
  }
}

/** Commas, semicolons or tabs: what there is most of in the header, outside of quotes. */
function delimiterOf(head: Uint8Array): string {
  const counts = new Map(delimiters.map((sign) => [sign.charCodeAt(0), 0]))
  let isQuoted = false
  for (const byte of head) {
    if (byte === quote) isQuoted = !isQuoted
    if (isQuoted) continue
    if (isLineEnd(byte)) break
    const times = counts.get(byte)
    if (times !== undefined) counts.set(byte, times + 1)
  }
  const times = (sign: string) => counts.get(sign.charCodeAt(0)) as number
  return delimiters.reduce((most, sign) => (times(sign) > times(most) ? sign : most))
}

const delimiters = [',', ';', '\t']
const quote = 0x22

function isLineEnd(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d
}

/** The parser's words for a broken file, in ours. */
function told(error: Error): Error {
  const { code, lines } = error as { code?: string; lines?: number }
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return fault(`has a quote that is never closed, in the row that ends on line ${lines}`)
    case 'CSV_INVALID_CLOSING_QUOTE':
      return fault(`has something behind a closing quote on line ${lines}`)
    case 'INVALID_OPENING_QUOTE':
      return fault(`has a quote in the middle of a cell on line ${lines}`)
    default:
      return code?.startsWith('CSV_') ? fault(`cannot be read on line ${lines}`) : error
  }
}
