/** A row of a CSV text. */
export interface CsvRow {
  /** At most as many cells as the header has. */
  readonly cells: string[]
  /** Position after the row and its line end. */
  readonly end: number
  /** Where the text of a cell beyond the header begins and ends, if such a cell has a value. The rest of the row is not read. */
  readonly surplus?: readonly [start: number, end: number] | undefined
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

export const quote = '"'
export const quoteCode = 34
const [tab, lineFeed, carriageReturn, space] = [9, 10, 13, 32]

/** Cells of a header that are kept. No file has as many columns, and a header of commas would take long otherwise. */
export const maxCells = 10_000

/**
 * Reads the row that begins at `start`. Quoted cells can have line breaks. Returns INCOMPLETE if the row continues after
 * the text, unless `isLast`, and INVALID if it has text after a closing quote or a quote that is never closed, or if a quoted
 * cell contains lines that are rows themselves.
 */
export function readRow(text: string, start: number, shape: CsvShape, isLast: boolean): CsvRow | NoRow {
  const { delimiter, width = maxCells } = shape
  const cells: string[] = []
  const stray: number[] = []
  let [at, hasBreaks] = [start, false]
  for (; ; at += 1) {
    if (text.charCodeAt(at) === quoteCode) {
      const close = findClose(text, at + 1, delimiter, isLast)
      if ('reason' in close) return close
      const inner = text.slice(at + 1, close.quote)
      hasBreaks ||= inner.includes('\n') || inner.includes('\r')
      cells.push(inner.includes(quote) ? singleQuotes(inner) : inner)
      at = close.end
    } else {
      const end = endOfCell(text, at, delimiter)
      const cell = end === at ? '' : text.slice(at, end)
      if (cell.includes(quote)) stray.push(cells.length)
      cells.push(cell)
      at = end
    }
    if (cells.length === width || text[at] !== delimiter) break
  }
  const rest = text[at] === delimiter ? readSurplus(text, at, delimiter, isLast) : undefined
  if (rest && 'reason' in rest) return rest
  const last = rest?.last ?? at
  const end = afterLineEnd(text, last, isLast)
  if (end === undefined) return { reason: 'INCOMPLETE', searched: last }
  if ((hasBreaks || rest?.hasBreaks) && containsRows(text, start, last, shape))
    return { reason: 'INVALID', searched: last }
  return { cells, end, surplus: rest?.hasValue ? [at + 1, last] : undefined, stray, unclosed: [] }
}

/** Characters from which on a text is copied as numbers. */
const longText = 10_000

/** Returns a text with one quote for each two. With half a million of them, `replace` takes several times as long as a copy. */
export function singleQuotes(text: string): string {
  if (text.length < longText) return text.replace(/""/g, quote)
  const units = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    units[length] = code
    length += 1
    if (code === quoteCode && text.charCodeAt(at + 1) === quoteCode) at += 1
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le')
}

/** Finds where a row ends whose cells have all been read. `from` is the position of the delimiter after the last of them. */
function readSurplus(
  text: string,
  from: number,
  delimiter: string,
  isLast: boolean,
): { last: number; hasValue: boolean; hasBreaks: boolean } | NoRow {
  const sign = delimiter.charCodeAt(0)
  let [hasValue, hasBreaks, isStart] = [false, false, false]
  let at = from
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === sign) isStart = true
    else if (code === lineFeed || code === carriageReturn) break
    else if (code === quoteCode && isStart) {
      const close = findClose(text, at + 1, delimiter, isLast)
      if ('reason' in close) return close
      for (let inner = at + 1; inner < close.quote; inner += 1) {
        const quoted = text.charCodeAt(inner)
        hasBreaks ||= quoted === lineFeed || quoted === carriageReturn
        hasValue ||= !isBlank(quoted)
      }
      // The loop continues at the delimiter or the line end.
      at = close.end - 1
      isStart = false
    } else {
      isStart = false
      hasValue ||= !isBlank(code)
    }
  }
  return { last: at, hasValue, hasBreaks }
}

/**
 * Returns the position after the rows without a value that begin at `start`. Stops after `limit`, and before a row of more than
 * `maxLength` characters or one that is not complete.
 */
export function skipBlankRows(
  text: string,
  start: number,
  limit: number,
  maxLength: number,
  delimiter: string,
): number {
  const sign = delimiter.charCodeAt(0)
  let [end, isStart] = [start, true]
  for (let at = start; at < text.length && end < limit && at - end < maxLength; at += 1) {
    const code = text.charCodeAt(at)
    if (code === lineFeed || code === carriageReturn) {
      if (code === carriageReturn && at + 1 === text.length) break
      if (code === carriageReturn && text.charCodeAt(at + 1) === lineFeed) at += 1
      end = at + 1
      isStart = true
    } else if (code === sign) isStart = true
    else if (code === quoteCode && isStart) {
      do at += 1
      while (isBlank(text.charCodeAt(at)))
      if (text.charCodeAt(at) !== quoteCode || text.charCodeAt(at + 1) === quoteCode) break
      isStart = false
    } else if (isBlank(code)) isStart = false
    else break
  }
  return end
}

/** Returns whether a character is white space, as `trim` removes it. */
export function isBlank(code: number): boolean {
  if (code < 128) return code === space || (code >= tab && code <= carriageReturn)
  return code >= 160 && /\s/.test(String.fromCharCode(code))
}

/** Finds the quote that closes a cell, and where the cell ends: at a delimiter or a line end. Blanks can be in between. */
export function findClose(
  text: string,
  from: number,
  delimiter: string,
  isLast: boolean,
): { quote: number; end: number } | NoRow {
  for (let at = from; ; at += 2) {
    // Quotes can follow each other, and a search takes longer than a look.
    if (text.charCodeAt(at) !== quoteCode) at = text.indexOf(quote, at)
    if (at < 0) return { reason: isLast ? 'INVALID' : 'INCOMPLETE', searched: text.length }
    if (text.charCodeAt(at + 1) === quoteCode) continue
    const end = skipBlanks(text, at + 1, delimiter)
    if (end === text.length && !isLast) return { reason: 'INCOMPLETE', searched: end }
    return end === text.length || isEnd(text, end, delimiter)
      ? { quote: at, end }
      : { reason: 'INVALID', searched: end }
  }
}

export const isSpaceOrTab = (code: number): boolean => code === space || code === tab

function skipBlanks(text: string, from: number, delimiter: string): number {
  const sign = delimiter.charCodeAt(0)
  for (let at = from; ; at += 1) {
    const code = text.charCodeAt(at)
    if (!isSpaceOrTab(code) || code === sign) return at
  }
}

function isEnd(text: string, at: number, delimiter: string): boolean {
  return text[at] === delimiter || text[at] === '\n' || text[at] === '\r'
}

export function endOfCell(text: string, from: number, delimiter: string): number {
  const sign = delimiter.charCodeAt(0)
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === sign || code === lineFeed || code === carriageReturn) return at
  }
  return text.length
}

// A line feed as delimiter, so that only line ends are found.
const endOfLine = (text: string, from: number) => endOfCell(text, from, '\n')

/** Returns the number of line ends between two positions. */
export function countLineEnds(text: string, from = 0, to = text.length): number {
  let count = 0
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at)
    if (code === lineFeed || (code === carriageReturn && (at + 1 === to || text.charCodeAt(at + 1) !== lineFeed)))
      count += 1
  }
  return count
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
function containsRows(text: string, start: number, end: number, { delimiter, width, emailIndex }: CsvShape): boolean {
  if (width === undefined || emailIndex === undefined) return false
  const sign = delimiter.charCodeAt(0)
  let [delimiters, hasAddress] = [Number.NaN, false]
  for (let at = start; at <= end; at += 1) {
    const code = at === end ? lineFeed : text.charCodeAt(at)
    if (code === lineFeed || code === carriageReturn) {
      if (hasAddress && delimiters === width - 1) return true
      ;[delimiters, hasAddress] = [0, false]
    } else if (code === sign) delimiters += 1
    else if (code === 64 && delimiters === emailIndex) hasAddress = true
  }
  return false
}

/** Finds the end of the line that begins at `start`. Undefined if the text ends before it, unless `isLast`. */
export function readLine(text: string, start: number, isLast: boolean): { line: string; end: number } | undefined {
  const at = endOfLine(text, start)
  const end = afterLineEnd(text, at, isLast)
  return end === undefined ? undefined : { line: text.slice(start, at), end }
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
  const codes = delimiters.map((sign) => sign.charCodeAt(0))
  const counts = codes.map(() => 0)
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quoteCode && hasQuotes) isQuoted = !isQuoted
    if (isQuoted) continue
    if (code === lineFeed || code === carriageReturn) break
    const index = codes.indexOf(code)
    if (index >= 0) counts[index] = (counts[index] as number) + 1
  }
  if (isQuoted) return undefined
  const countOf = (sign: string) => counts[delimiters.indexOf(sign)] as number
  return delimiters.reduce((best, sign) => (countOf(sign) > countOf(best) ? sign : best))
}
