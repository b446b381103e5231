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
 * Returns how the rows of the statements are read that a connection has prepared, by their names. `connection` is what pg's
 * client sends with. Columns are described once for each connection: they do not change, because PostgreSQL refuses the
 * statement after they did. Describing them each time takes a tenth of the time of a small statement.
 */
export function readingsOf(connection: object): Map<string, Reading> {
  const found = connections.get(connection)
  if (found) return found
  const readings = new Map<string, Reading>()
  connections.set(connection, readings)
  return readings
}

/** Returns how the rows of a result are read, without the rows. */
function readingOf({ fields, _parsers, _prebuiltEmptyResultObject }: Reading): Reading {
  return { fields, _parsers, _prebuiltEmptyResultObject }
}

/** Creates the result of a statement whose columns are known. */
export function newResult(reading: Reading): Result {
  return Object.assign(new NewResult(), reading)
}

/** The reading of what returns no rows, such as COMMIT. */
export const noColumns: Reading = { fields: [], _parsers: [], _prebuiltEmptyResultObject: {} }

/** What a connection of pg sends. */
interface Protocol {
  describe(message: object): void
}

/** The parts of pg's query that its types leave out. */
interface DriverQuery {
  readonly name: string
  readonly _result: Result
  _canceledDueToError: unknown
  prepare(connection: Protocol): void
  handleCommandComplete(message: object, connection: Protocol): void
}

const DriverQuery = pg.Query as unknown as new (
  config: pg.QueryConfig,
  values: undefined,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => DriverQuery

/** The connections without the message that requests the columns. */
const withoutDescribe = new WeakMap<Protocol, Protocol>()

function silent(connection: Protocol): Protocol {
  const found = withoutDescribe.get(connection)
  if (found) return found
  const created = Object.assign(Object.create(connection) as Protocol, { describe: () => undefined })
  withoutDescribe.set(connection, created)
  return created
}

/** A statement that is prepared under its name. Its columns are described once for each connection. */
export class NamedStatement extends DriverQuery {
  #isDescribed = false

  override prepare(connection: Protocol): void {
    const reading = readingsOf(connection).get(this.name)
    if (reading) Object.assign(this._result, reading)
    this.#isDescribed = reading !== undefined
    super.prepare(reading ? silent(connection) : connection)
  }

  override handleCommandComplete(message: object, connection: Protocol): void {
    if (!this.#isDescribed) {
      const { fields } = this._result
      readingsOf(connection).set(this.name, fields.length > 0 ? readingOf(this._result) : noColumns)
    }
    super.handleCommandComplete(message, connection)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this._result.rows.push(this._result.parseRow(fields))
    } catch (error) {
      this._canceledDueToError = error
    }
  }
}
