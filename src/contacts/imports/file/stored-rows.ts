/** What is unusual about a row. */
export interface RowNotes {
  readonly count?: number
  /** A cell after the last column of the header has a value. The rest of the line is one more cell, if it is short. */
  readonly hasSurplus?: true
  /** Indexes of cells with a quote in the wrong place. Their text is used. */
  readonly stray?: readonly number[]
  /** Indexes of cells with an opening quote that is never closed. Their text is not used. */
  readonly unclosed?: readonly number[]
  /** The row is longer than the limit. Its cells are not kept. */
  readonly isTooLong?: true
}

/**
 * A row of a file as it is stored: the line on which it begins, notes if there are any, and its cells. Cells without a value at
 * its end can be absent.
 */
export type NumberedRow =
  | readonly [line: number, ...cells: string[]]
  | readonly [line: number, notes: RowNotes, ...cells: string[]]

/** Returns the parts of a row. */
export function partsOf(row: NumberedRow): { line: number; notes: RowNotes; cells: string[] } {
  const [line, second, ...rest] = row
  if (typeof second === 'object') return { line, notes: second, cells: rest as string[] }
  return { line, notes: {}, cells: second === undefined ? [] : [second, ...(rest as string[])] }
}

/** Characters of a cell that take long by themselves to parse. */
const longCell = 256 * 1024

/** Returns whether the parsing of a row should have a turn of the event loop of its own. */
export function isLongRow(row: NumberedRow): boolean {
  return row.some((part) => typeof part === 'string' && part.length >= longCell)
}
