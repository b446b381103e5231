import pg from 'pg'
import { noColumns, type Result, readingOf, readingsOf } from './prepared.ts'

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
  handleRowDescription(message: object): void
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
