import {
  type CsvRow,
  type CsvShape,
  endOfCell,
  findClose,
  isBlank,
  isSpaceOrTab,
  maxCells,
  quote,
  quoteCode,
  singleQuotes,
} from './csv.ts'

/**
 * Reads a line with invalid quotes as a row of its own. Of two readings, the one with the right number of cells is used: a
 * quoted cell ends at the first quote before a delimiter, or it is no quoted cell and ends at the next delimiter.
 */
export function readInvalidLine(line: string, { delimiter, width = maxCells }: CsvShape): Omit<CsvRow, 'end'> {
  const fits = ({ cells, surplus }: Omit<CsvRow, 'end'>) => cells.length === width && !surplus
  const byQuotes = splitLine(line, delimiter, width, true)
  // Without a quote before a delimiter, both readings are the same.
  if (!byQuotes.hasQuoted || (fits(byQuotes) && byQuotes.unclosed.length === 0)) return byQuotes
  const byDelimiters = splitLine(line, delimiter, width, false)
  return fits(byDelimiters) || !fits(byQuotes) ? byDelimiters : byQuotes
}

/** Finds the first quote before a delimiter or the end of a line. Blanks can be in between. */
function findLenientClose(line: string, from: number, delimiter: string): { quote: number; end: number } | undefined {
  // Delimiters are searched, and not quotes, of which a line can have many more.
  for (let start = from; start <= line.length; ) {
    const found = line.indexOf(delimiter, start)
    const end = found < 0 ? line.length : found
    let at = end - 1
    while (at >= start && isSpaceOrTab(line.charCodeAt(at))) at -= 1
    if (at >= start && line.charCodeAt(at) === quoteCode) return { quote: at, end }
    start = end + 1
  }
  return undefined
}

/** Returns whether a quote is not doubled. */
function hasSingleQuote(text: string): boolean {
  for (let at = text.indexOf(quote); at >= 0; at = text.charCodeAt(at) === quoteCode ? at : text.indexOf(quote, at)) {
    if (text.charCodeAt(at + 1) !== quoteCode) return true
    at += 2
  }
  return false
}

function splitLine(
  line: string,
  delimiter: string,
  width: number,
  isLenient: boolean,
): Omit<CsvRow, 'end'> & { hasQuoted: boolean } {
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
  let [at, hasQuoted] = [0, false]
  for (; at <= line.length && cells.length < width; at += 1) {
    const close = line.charCodeAt(at) === quoteCode && canClose ? find(at + 1) : undefined
    if (close) {
      hasQuoted = true
      const inner = line.slice(at + 1, close.quote)
      if (hasSingleQuote(inner)) stray.push(cells.length)
      cells.push(inner.includes(quote) ? singleQuotes(inner) : inner)
      at = close.end
      continue
    }
    const end = endOfCell(line, at, delimiter)
    const cell = line.slice(at, end)
    if (cell.includes(quote)) (cell.lastIndexOf(quote) === 0 ? unclosed : stray).push(cells.length)
    cells.push(cell)
    at = end
  }
  const surplus = hasValueAfter(line, at, delimiter) ? ([at, line.length] as const) : undefined
  return { cells, surplus, stray, unclosed, hasQuoted }
}

/** Returns whether a line has more than delimiters, blanks and quotes after a position. */
function hasValueAfter(line: string, from: number, delimiter: string): boolean {
  const sign = delimiter.charCodeAt(0)
  for (let at = from; at < line.length; at += 1) {
    const code = line.charCodeAt(at)
    if (code !== sign && code !== quoteCode && !isBlank(code)) return true
  }
  return false
}
