import { invalid, type Refusal } from '../../../kernel/errors.ts'
import {
  type CsvRow,
  type CsvShape,
  countLineEnds,
  findDelimiter,
  readLine,
  readRow,
  readSeparator,
  skipBlankRows,
} from './csv.ts'
import { type ImportEncoding, recode } from './encoding.ts'
import { readInvalidLine } from './invalid-lines.ts'
import type { NumberedRow, RowNotes } from './stored-rows.ts'

export const mebibyte = 1024 * 1024

const maxRows = 1_000_000
const maxColumns = 1_000

/** A chunk is stored and applied as a whole. It ends after this many rows or characters. */
const maxChunkRows = 200
const maxChunkLength = mebibyte

/** Maximum length of a row in characters. */
const maxRowLength = 2 * mebibyte

/** Maximum length of the text after the last column that is kept with the row. */
const maxSurplusLength = 1_000

/** Characters that are searched before other work of the process can get a turn. A long row can exceed it. */
const maxStepLength = 64 * 1024

/** A shorter text is parsed again for each slice. */
const minRetryLength = 1_000

/** How the text of a file was read. Stored as JSON in `contact_import.reading`. */
export interface Reading {
  readonly encoding: ImportEncoding
  /** Line from which on bytes are not UTF-8, if the encoding was not requested and has no byte order mark. */
  readonly invalidFrom?: number
  /** Rows on earlier lines were decoded as UTF-8, and must be recoded. */
  readonly recodedBefore?: number
  /** Line of the header. */
  readonly headerLine: number
}

/** Receives the column names. Can return the index of the column with e-mail addresses, which helps to find stray quotes. */
export type OnHeader = (header: string[], line: number) => unknown

/** Returns the error of a file that is invalid as a whole. */
export function fileError(message: string): Refusal {
  return invalid({ csv: [message] })
}

function headerTooLong(): Refusal {
  return fileError(`must not have a header of more than ${maxRowLength} characters`)
}

/** Parses the text of a CSV file and collects its rows in chunks. */
export class ChunkReader {
  readonly #onHeader: OnHeader
  /** Undefined until the first line is complete, because it determines the delimiter. */
  #shape: CsvShape | undefined
  /** Text that is not parsed yet. */
  #text = ''
  /** Length of the text from which on it is parsed again, so that a long row is not parsed for each slice. */
  #retryLength = 0
  /** Characters that were parsed, and those of attempts that found no row. */
  #parsed = 0
  #wasted = 0
  /** Whether the next row is invalid. A long one is read as a line in the next step. */
  #isInvalid = false
  /** Whether the rest of a line is skipped, because it is too long. */
  #isSkipping = false
  #rowCount = 0
  #rows: NumberedRow[] = []
  #rowsLength = 0
  #chunks: NumberedRow[][] = []
  /** Line on which the next row begins. */
  #line = 1
  #headerLine = 1
  #invalidFrom: number | undefined
  /** Whether text has characters that are not ASCII. */
  #isWide = false
  #recodedBefore: number | undefined

  constructor(onHeader: OnHeader) {
    this.#onHeader = onHeader
  }

  /** Adds text, which `parse` parses. */
  write(text: string): void {
    this.#isWide ||= /[^\0-\x7f]/.test(text)
    this.#text += text
  }

  /** Whether the next step parses a row that is long by itself. */
  get hasLongRow(): boolean {
    return this.#text.length >= Math.max(4 * maxStepLength, this.#retryLength)
  }

  /** Parses the next rows. `isLast`: no more text follows. Returns whether more rows can be parsed already. */
  parse(isLast: boolean): boolean {
    if (isLast) this.#text = withoutEndSign(this.#text)
    const isReady = this.#shape || isLast || this.#text.length > maxRowLength || /[\r\n]/.test(this.#text)
    if (isReady && this.#parse(isLast)) return true
    if (isLast && this.#shape?.width === undefined)
      throw fileError('must not be empty: the first line must contain the column names')
    return false
  }

  /** All text is Windows-1252, also what is not parsed yet. `valid` is the following text before the first invalid byte. */
  recodePending(valid: string): void {
    this.#invalidFrom = this.#line + countLineEnds(this.#text + valid)
    this.#recodedBefore = this.#isWide ? this.#line : undefined
    this.#text = recode(this.#text)
  }

  readingOf(encoding: ImportEncoding): Reading {
    const [invalidFrom, recodedBefore] = [this.#invalidFrom, this.#recodedBefore]
    return {
      encoding,
      headerLine: this.#headerLine,
      ...(invalidFrom !== undefined && { invalidFrom }),
      ...(recodedBefore !== undefined && { recodedBefore }),
    }
  }

  takeFullChunks(): NumberedRow[][] {
    return this.#chunks.splice(0)
  }

  /** Returns the complete chunks and the last, incomplete one. */
  takeAllChunks(): NumberedRow[][] {
    if (this.#rows.length > 0) this.#endChunk()
    return this.takeFullChunks()
  }

  #parse(isLast: boolean): boolean {
    if (!isLast && this.#text.length < this.#retryLength) return false
    const start = this.#shape ? 0 : this.#readFirstLine(isLast)
    if (start === undefined) return false
    const wastedBefore = this.#wasted
    let at: number = start
    while (at < this.#text.length) {
      if (at - start + this.#wasted - wastedBefore >= maxStepLength) {
        this.#text = this.#text.slice(at)
        this.#retryLength = 0
        return true
      }
      const end: number | undefined = this.#isSkipping ? this.#skipLine(at, isLast) : this.#readRows(at, isLast)
      if (end === undefined && this.#isInvalid) continue
      if (end === undefined) break
      this.#parsed += end - at
      at = end
    }
    this.#text = this.#text.slice(at)
    // A single sign at the end can be half of a line end or of an escaped quote.
    this.#retryLength = this.#text.length > minRetryLength ? Math.min(2 * this.#text.length, maxRowLength + 1) : 0
    return false
  }

  /** Determines the delimiter. Returns the position of the header, or undefined if the first line is not complete. */
  #readFirstLine(isLast: boolean): number | undefined {
    this.#skipBlankLines(isLast)
    const first = readLine(this.#text, 0, isLast)
    if (!first && this.#text.length <= maxRowLength) return undefined
    if (!first) throw headerTooLong()
    const separator = readSeparator(this.#text, isLast)
    if (separator) this.#line += 1
    const { delimiter, end } = separator ?? { delimiter: findDelimiter(this.#text), end: 0 }
    this.#shape = { delimiter, width: undefined, emailIndex: undefined }
    return end
  }

  /** Removes the blank lines before the header. */
  #skipBlankLines(isLast: boolean): void {
    const [blank] = /^\s*/.exec(this.#text) as RegExpExecArray
    const end = blank.replace(isLast ? '' : /\r$/, '').search(/[^\r\n]*$/)
    this.#line += countLineEnds(blank.slice(0, end))
    this.#text = this.#text.slice(end)
  }

  /** Skips text until the end of a line. Returns undefined if more text is needed. */
  #skipLine(at: number, isLast: boolean): number | undefined {
    const found = readLine(this.#text, at, isLast)
    if (!found) {
      // A line end of two signs can be cut.
      const end = this.#text.length - (this.#text.endsWith('\r') ? 1 : 0)
      return end > at ? end : undefined
    }
    this.#isSkipping = false
    this.#line += 1
    return found.end
  }

  /** Skips rows without a value at a position, or reads one row. Returns its end, or undefined if it is not complete. */
  #readRows(at: number, isLast: boolean): number | undefined {
    const { delimiter } = this.#shape as CsvShape
    const end = skipBlankRows(this.#text, at, at + maxStepLength, maxStepLength, delimiter)
    if (end === at) return this.#readRow(at, isLast)
    this.#line += countLineEnds(this.#text, at, end)
    return end
  }

  /** Reads the row at a position. Returns its end, or undefined if it is not complete. */
  #readRow(at: number, isLast: boolean): number | undefined {
    const shape = this.#shape as CsvShape
    const isLong = this.#text.length - at > maxRowLength
    // Attempts to read rows of many lines may take only as long as the file is.
    const canSpanLines = this.#wasted <= 4 * (this.#parsed + this.#text.length) + maxRowLength
    const isKnown = this.#isInvalid
    this.#isInvalid = false
    if (canSpanLines && !isKnown) {
      const row = readRow(this.#text, at, shape, isLast)
      if ('cells' in row && row.end - at <= maxRowLength) return this.#addRecord(row, at)
      const searched = ('cells' in row ? row.end : row.searched) - at
      if (searched > minRetryLength) this.#wasted += searched
      if ('reason' in row && row.reason === 'INCOMPLETE' && !isLong) return undefined
      if (searched > maxStepLength) {
        this.#isInvalid = true
        return undefined
      }
    }
    const found = readLine(this.#text, at, isLast)
    if (found && found.line.length <= maxRowLength) {
      const row = canSpanLines ? undefined : readRow(found.line, 0, shape, true)
      const read = row && 'cells' in row ? row : readInvalidLine(found.line, shape)
      return this.#addRecord({ ...read, end: found.end }, at, found.line)
    }
    if (!isLong) return undefined
    return this.#addTooLong(at, found?.end)
  }

  #addTooLong(at: number, end: number | undefined): number {
    if (this.#shape?.width === undefined) throw headerTooLong()
    this.#addRow([this.#line, { isTooLong: true }], 0)
    if (end !== undefined) {
      this.#line += 1
      return end
    }
    this.#isSkipping = true
    return at
  }

  /** Adds a row that begins at a position of the text, and returns its end. */
  #addRecord({ cells, end, surplus, stray, unclosed }: CsvRow, at: number, text = this.#text): number {
    const line = this.#line
    const { width } = this.#shape as CsvShape
    this.#line += countLineEnds(this.#text, at, end) || 1
    let filled = cells.length
    while (filled > 0 && withoutEndSign(cells[filled - 1] as string).trim() === '') filled -= 1
    if (filled === 0 && !surplus) return end
    if (width === undefined) {
      this.#readHeader(cells, line)
      return end
    }
    // Excel writes rows without their last empty cells, and rows with more of them than the header has.
    if (!surplus && stray.length + unclosed.length === 0) {
      this.#addRow([line, ...(filled < cells.length ? cells.slice(0, filled) : cells)], end - at)
      return end
    }
    const notes: { -readonly [Key in keyof RowNotes]: RowNotes[Key] } = {}
    if (surplus) notes.hasSurplus = true
    if (stray.length > 0) notes.stray = stray
    if (unclosed.length > 0) notes.unclosed = unclosed
    const rest = surplus && surplus[1] - surplus[0] <= maxSurplusLength ? [text.slice(...surplus)] : []
    this.#addRow([line, notes, ...cells, ...rest], end - at)
    return end
  }

  #readHeader(cells: string[], line: number): void {
    if (cells.length > maxColumns) throw fileError(`must not have more than ${maxColumns} columns`)
    this.#headerLine = line
    const emailIndex = this.#onHeader(cells, line)
    this.#shape = {
      ...(this.#shape as CsvShape),
      width: cells.length,
      emailIndex: typeof emailIndex === 'number' ? emailIndex : undefined,
    }
  }

  #addRow(row: NumberedRow, length: number): void {
    this.#rowCount += 1
    if (this.#rowCount > maxRows) throw fileError(`must not have more than ${maxRows} rows`)
    if (this.#rowsLength > 0 && this.#rowsLength + length > maxChunkLength) this.#endChunk()
    this.#rows.push(row)
    this.#rowsLength += length
    if (this.#rows.length >= maxChunkRows || this.#rowsLength > maxChunkLength) this.#endChunk()
  }

  #endChunk(): void {
    this.#chunks.push(this.#rows)
    this.#rows = []
    this.#rowsLength = 0
  }
}

/** Removes the sign with which old systems end a text. */
function withoutEndSign(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed.endsWith('\u001a') ? trimmed.slice(0, -1) : text
}
