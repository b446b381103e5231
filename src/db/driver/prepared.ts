import pg from 'pg'

/** How pg reads the rows of a statement. It computes it from the description of the columns. */
interface Reading {
  fields: readonly object[]
  _parsers: unknown
  _prebuiltEmptyResultObject: unknown
}

/** The result of a statement while its rows arrive. */
export interface Result extends Reading {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: unknown[]
  parseRow(texts: readonly (string | null)[]): unknown
  addCommandComplete(message: { readonly text: string }): void
}

const NewResult = pg.Result as unknown as new () => Result

const connections = new WeakMap<object, Map<string, Reading>>()

/**
 * Returns how the rows of the statements are read that a connection has prepared, by their names. `connection` is what pg's client
 * sends with. Columns are described once for each connection: they do not change, because PostgreSQL refuses the statement after
 * they did. Describing them each time takes a tenth of the time of a small statement.
 */
export function readingsOf(connection: object): Map<string, Reading> {
  const found = connections.get(connection)
  if (found) return found
  const readings = new Map<string, Reading>()
  connections.set(connection, readings)
  return readings
}

/** Returns how the rows of a result are read, without the rows. */
export function readingOf({ fields, _parsers, _prebuiltEmptyResultObject }: Reading): Reading {
  return { fields, _parsers, _prebuiltEmptyResultObject }
}

/** Creates the result of a statement whose columns are known. */
export function newResult(reading: Reading): Result {
  return Object.assign(new NewResult(), reading)
}

/** The reading of what returns no rows, such as COMMIT. */
export const noColumns: Reading = { fields: [], _parsers: [], _prebuiltEmptyResultObject: {} }
