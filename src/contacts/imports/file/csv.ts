/** A row of a CSV text. */
export interface CsvRow {
  readonly cells: string[]
  /** Position after the row and its line end. */
  readonly end: number
  /** Indexes of cells with a quote that is not written as CSV requires. Their text is as it was probably meant. */
  readonly stray: readonly number[]
  /** Indexes of cells with an opening quote that is never closed. Their text includes the quote. */
  readonly unclosed: readonly number[]
}

/** How the cells of a file are separated, and what is known about its rows. Used to read rows with invalid quotes. */
export interface CsvShape {
  readonly delimiter: string
  /** Number of columns. Undefined until the header is read. */
  readonly width: number | undefined
  /** Index of the column with e-mail addresses. */
  readonly emailIndex: number | undefined
}

/** Why no row was read, and the position until which the text was searched. */
interface NoRow {
  readonly reason: 'INCOMPLETE' | 'INVALID'
  readonly searched: number
}

const quote = '"'

/** Cells of a row that are kept. No file has as many columns, and a row of commas would take long otherwise. */
const maxCells = 10_000

/**
 * Reads the row that begins at `start`. Quoted cells can have line breaks. Returns INCOMPLETE if the row continues after
 * the text, unless `isLast`, and INVALID if it has text after a closing quote or a quote that is never closed, or if a quoted
 * cell contains lines that are rows themselves.
 */
export function readRow(text: string, start: number, shape: CsvShape, isLast: boolean): CsvRow | NoRow {
  const { delimiter } = shape
  const cells: string[] = []
  const stray: number[] = []
  let hasBreaks = false
  for (let at = start; ; at += 1) {
    if (text[at] === quote) {
      const close = findClose(text, at + 1, delimiter, isLast)
      if ('reason' in close) return close
      const inner = text.slice(at + 1, close.quote)
      hasBreaks ||= /[\r\n]/.test(inner)
      cells.push(inner.includes(quote) ? inner.replaceAll('""', quote) : inner)
      at = close.end
    } else {
      const end = endOfCell(text, at, delimiter)
      if (cells.length < maxCells) {
        const cell = text.slice(at, end)
        if (cell.includes(quote)) stray.push(cells.length)
        cells.push(cell)
      }
      at = end
    }
    if (text[at] === delimiter) continue
    const end = afterLineEnd(text, at, isLast)
    if (end === undefined) return { reason: 'INCOMPLETE', searched: at }
    if (hasBreaks && containsRows(text.slice(start, at), shape)) return { reason: 'INVALID', searched: at }
    return { cells, end, stray, unclosed: [] }
  }
}

/** Finds the quote that closes a cell, and where the cell ends: at a delimiter or a line end. Blanks can be in between. */
function findClose(
  text: string,
  from: number,
  delimiter: string,
  isLast: boolean,
): { quote: number; end: number } | NoRow {
  for (let at = from; ; at += 2) {
    at = text.indexOf(quote, at)
    if (at < 0) return { reason: isLast ? 'INVALID' : 'INCOMPLETE', searched: text.length }
    if (text[at + 1] === quote) continue
    const end = skipBlanks(text, at + 1, delimiter)
    if (end === text.length && !isLast) return { reason: 'INCOMPLETE', searched: end }
    return end === text.length || isEnd(text, end, delimiter)
      ? { quote: at, end }
      : { reason: 'INVALID', searched: end }
  }
}

function skipBlanks(text: string, from: number, delimiter: string): number {
  let at = from
  while ((text[at] === ' ' || text[at] === '\t') && text[at] !== delimiter) at += 1
  return at
}

function isEnd(text: string, at: number, delimiter: string): boolean {
  return text[at] === delimiter || text[at] === '\n' || text[at] === '\r'
}

function endOfCell(text: string, from: number, delimiter: string): number {
  const sign = delimiter.charCodeAt(0)
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === sign || code === 10 || code === 13) return at
  }
  return text.length
}

/** Returns the position after a line end. Undefined if the text ends before it is known, unless `isLast`. */
function afterLineEnd(text: string, at: number, isLast: boolean): number | undefined {
  if (at >= text.length) return isLast ? text.length : undefined
  if (text[at] === '\n') return at + 1
  if (at + 1 >= text.length && !isLast) return undefined
  return text[at + 1] === '\n' ? at + 2 : at + 1
}

/**
 * Returns whether lines after the first one of a row are rows themselves: then a quote was opened by mistake, and the quote
 * that seems to close it belongs to another row.
 */
function containsRows(row: string, { delimiter, width, emailIndex }: CsvShape): boolean {
  if (width === undefined || emailIndex === undefined) return false
  const [, ...lines] = row.split(/\r\n|\n|\r/)
  return lines.some((line) => {
    const cells = line.split(delimiter, width + 1)
    return cells.length === width && (cells[emailIndex] as string).includes('@')
  })
}

/** Finds the end of the line that begins at `start`. Undefined if the text ends before it, unless `isLast`. */
export function readLine(text: string, start: number, isLast: boolean): { line: string; end: number } | undefined {
  // The delimiter is a line end, so that only line ends are found.
  const at = endOfCell(text, start, '\n')
  const end = afterLineEnd(text, at, isLast)
  return end === undefined ? undefined : { line: text.slice(start, at), end }
}

/**
 * Reads a line with invalid quotes as a row of its own. Of two readings, the one with the right number of cells is used: a
 * quoted cell ends at the first quote before a delimiter, or it is no quoted cell and ends at the next delimiter.
 */
export function readInvalidLine(line: string, { delimiter, width }: CsvShape): Omit<CsvRow, 'end'> {
  const byQuotes = splitLine(line, delimiter, true)
  if (byQuotes.cells.length === width && byQuotes.unclosed.length === 0) return byQuotes
  const byDelimiters = splitLine(line, delimiter, false)
  return byDelimiters.cells.length === width || byQuotes.cells.length !== width ? byDelimiters : byQuotes
}

/** Finds the first quote before a delimiter or the end of a line. */
function findLenientClose(line: string, from: number, delimiter: string): { quote: number; end: number } | undefined {
  for (let at = line.indexOf(quote, from); at >= 0; at = line.indexOf(quote, at + 1)) {
    const end = skipBlanks(line, at + 1, delimiter)
    if (end === line.length || line[end] === delimiter) return { quote: at, end }
  }
  return undefined
}

function splitLine(line: string, delimiter: string, isLenient: boolean): Omit<CsvRow, 'end'> {
  const cells: string[] = []
  const stray: number[] = []
  const unclosed: number[] = []
  /** Whether a quote before a delimiter can follow. Without this, many cells would each search the rest of the line. */
  let canClose = true
  const find = (from: number) => {
    const close = isLenient ? findLenientClose(line, from, delimiter) : findClose(line, from, delimiter, true)
    if (isLenient && !close) canClose = false
    return close && 'quote' in close ? close : undefined
  }
  for (let at = 0; at <= line.length; at += 1) {
    const close = line[at] === quote && canClose ? find(at + 1) : undefined
    if (close) {
      const inner = line.slice(at + 1, close.quote)
      if (inner.replaceAll('""', '').includes(quote)) stray.push(cells.length)
      cells.push(inner.replaceAll('""', quote))
      at = close.end
      continue
    }
    const end = endOfCell(line, at, delimiter)
    const cell = line.slice(at, end)
    if (cell.includes(quote)) (cell.lastIndexOf(quote) === 0 ? unclosed : stray).push(cells.length)
    cells.push(cell)
    at = end
  }
  return { cells, stray, unclosed }
}

/** Signs that separate cells, unless a first line such as `sep=|` declares another one. */
const delimiters = [',', ';', '\t']

/** Returns the separator that a first line such as `sep=;` declares for Excel, and the position after the line. */
export function readSeparator(text: string, isLast: boolean): { delimiter: string; end: number } | undefined {
  const [, sign, tail] = /^"?sep=([^\r\n"])"?((?:[\t ,;]*)(?=[\r\n]|$))/i.exec(text) ?? []
  if (sign === undefined || tail === undefined) return undefined
  const line = readLine(text, 0, isLast)
  return line && { delimiter: sign, end: line.end }
}

/** Returns the delimiter that occurs most often in the header outside of quotes. */
export function findDelimiter(text: string): string {
  return countDelimiters(text, true) ?? (countDelimiters(text, false) as string)
}

/** Returns undefined if a quote in the header is never closed. */
function countDelimiters(text: string, hasQuotes: boolean): string | undefined {
  const counts = new Map(delimiters.map((sign) => [sign, 0]))
  let isQuoted = false
  for (const sign of text) {
    if (sign === quote && hasQuotes) isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === '\n' || sign === '\r') break
    const count = counts.get(sign)
    if (count !== undefined) counts.set(sign, count + 1)
  }
  if (isQuoted) return undefined
  const countOf = (sign: string) => counts.get(sign) as number
  return delimiters.reduce((best, sign) => (countOf(sign) > countOf(best) ? sign : best))
}
