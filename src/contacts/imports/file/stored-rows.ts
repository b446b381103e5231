/** What is unusual about a row. */
export interface RowNotes {
  /** Number of cells, if it is not that of the header. At most the first 1,000 cells are kept. */
  readonly count?: number
  /** Indexes of cells with a quote in the wrong place. Their text is used. */
  readonly stray?: readonly number[]
  /** Indexes of cells with an opening quote that is never closed. Their text is not used. */
  readonly unclosed?: readonly number[]
  /** The row is longer than the limit. Its cells are not kept. */
  readonly isTooLong?: true
}

/** A row of a file as it is stored: the line on which it begins, notes if there are any, and its cells. */
export type NumberedRow =
  | readonly [line: number, ...cells: string[]]
  | readonly [line: number, notes: RowNotes, ...cells: string[]]

/** Returns the parts of a row. */
export function partsOf(row: NumberedRow): { line: number; notes: RowNotes; cells: string[] } {
  const [line, second, ...rest] = row
  if (typeof second === 'object') return { line, notes: second, cells: rest as string[] }
  return { line, notes: {}, cells: second === undefined ? [] : [second, ...(rest as string[])] }
}
