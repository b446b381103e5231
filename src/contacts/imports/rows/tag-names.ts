import { isBlank } from '../file/csv.ts'

const [quote, comma, semicolon] = [34, 44, 59]

/**
 * Yields the tag names of a cell, which are separated by commas or semicolons. A name that contains a separator is quoted. They
 * are split one by one, because a cell can have a million and only the first of them matter.
 */
export function* parseTags(cell: string): Generator<string> {
  for (let at = 0; at < cell.length; ) {
    const start = skipBlanks(cell, at)
    const close = cell.charCodeAt(start) === quote ? findClose(cell, start + 1) : undefined
    const end = close?.end ?? endOfName(cell, start)
    const piece = close ? cell.slice(start + 1, close.quote).replace(/""/g, '"') : cell.slice(start, end)
    const name = piece === '' ? '' : piece.trim()
    if (name !== '') yield name
    at = end + 1
  }
}

/** Finds the quote that closes a name, and where the name ends: at a separator. Blanks can be in between. */
function findClose(cell: string, from: number): { quote: number; end: number } | undefined {
  for (let at = from; at < cell.length; at += 1) {
    if (cell.charCodeAt(at) !== quote) continue
    if (cell.charCodeAt(at + 1) === quote) at += 1
    else {
      const end = skipBlanks(cell, at + 1)
      return end === cell.length || isSeparator(cell.charCodeAt(end)) ? { quote: at, end } : undefined
    }
  }
  return undefined
}

function skipBlanks(cell: string, from: number): number {
  let at = from
  while (isBlank(cell.charCodeAt(at))) at += 1
  return at
}

const isSeparator = (code: number) => code === comma || code === semicolon

function endOfName(cell: string, from: number): number {
  let at = from
  while (at < cell.length && !isSeparator(cell.charCodeAt(at))) at += 1
  return at
}
