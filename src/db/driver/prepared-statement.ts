import pg from 'pg'

/** Reads a row from the texts of its columns. */
type RowReader = (texts: readonly (string | null)[]) => object

interface Column {
  readonly name: string
  readonly dataTypeID: number
}

/** What the driver passes to the query that it sends. */
interface DriverConnection {
  describe(message: object): void
}

/** The parts of the driver's query that its types leave out. */
interface DriverQuery {
  name: string | undefined
  text: string
  values: readonly unknown[]
  prepare(connection: DriverConnection): void
  handleError(error: Error): void
}

const DriverQuery = pg.Query as unknown as new (config: object) => DriverQuery

const noConfig = {}

/** Returns the parser of a column by the number of its type. */
type ParserOf = (oid: number) => (text: string) => unknown

/**
 * A statement with parameters. Its columns are described once for each connection: those of a prepared statement do not change, because
 * PostgreSQL refuses it after they did.
 */
export class PreparedStatement extends DriverQuery {
  readonly #parserOf: ParserOf
  readonly #rows: object[] = []
  #readers: Map<string, RowReader> | undefined
  #reader: RowReader | undefined
  #failure: Error | undefined
  /** Called once, at the end of the statement. The driver sets it. */
  declare callback: (error: Error | undefined, rows?: readonly object[]) => void

  constructor(name: string | undefined, text: string, values: readonly unknown[], parserOf: ParserOf) {
    super(noConfig)
    this.name = name
    this.text = text
    this.values = values.map(toText)
    this.#parserOf = parserOf
  }

  requiresPreparation(): boolean {
    return true
  }

  override prepare(connection: DriverConnection): void {
    const described = descriptionsOf(connection)
    this.#readers = described.readers
    this.#reader = this.name === undefined ? undefined : described.readers.get(this.name)
    super.prepare(this.#reader ? described.connection : connection)
  }

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    if (this.name === undefined) {
      this.#reader = newReader(fields, this.#parserOf)
      return
    }
    this.#reader = sharedReader(this.text, fields, this.#parserOf)
    this.#readers?.set(this.name, this.#reader)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.#rows.push((this.#reader as RowReader)(fields))
    } catch (error) {
      this.#failure ??= error as Error
    }
  }

  handleCommandComplete(): void {
    // The command and the number of rows are not needed.
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure, this.#rows)
  }

  override handleError(error: Error): void {
    this.callback(error)
  }
}

/** What is known of the prepared statements of a connection. */
interface Descriptions {
  readonly readers: Map<string, RowReader>
  /** The connection without the message that requests the columns. */
  readonly connection: DriverConnection
}

const descriptions = new WeakMap<DriverConnection, Descriptions>()

function descriptionsOf(connection: DriverConnection): Descriptions {
  const known = descriptions.get(connection)
  if (known) return known
  const created: Descriptions = {
    readers: new Map(),
    connection: Object.assign(Object.create(connection) as DriverConnection, { describe: () => undefined }),
  }
  descriptions.set(connection, created)
  return created
}

/** By the text of the statement, so that rows from all connections have the same hidden class. */
const shared = new Map<string, { readonly columns: string; readonly reader: RowReader }>()

function sharedReader(text: string, fields: readonly Column[], parserOf: ParserOf): RowReader {
  const columns = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join()
  const known = shared.get(text)
  if (known?.columns === columns) return known.reader
  const reader = newReader(fields, parserOf)
  shared.set(text, { columns, reader })
  return reader
}

const textOid = 25

function newReader(fields: readonly Column[], parserOf: ParserOf): RowReader {
  const names = fields.map(({ name }) => name)
  const asText = parserOf(textOid)
  const parsers = fields
    .map(({ dataTypeID }) => parserOf(dataTypeID))
    .map((parse) => (parse === asText ? undefined : parse))
  // Copies of one object have the same hidden class.
  const empty = Object.fromEntries(names.map((name) => [name, null]))
  return (texts) => {
    const row: Record<string, unknown> = { ...empty }
    for (let index = 0; index < names.length; index += 1) {
      const text = texts[index] as string | null
      if (text === null) continue
      const parse = parsers[index]
      row[names[index] as string] = parse ? parse(text) : text
    }
    return row
  }
}

/** Numbers in arrays need no quotes, which the driver adds to each element. */
function toText(value: unknown): unknown {
  return Array.isArray(value) && value.every((each) => typeof each === 'number') ? `{${value.join()}}` : value
}
