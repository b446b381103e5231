import type { Writable } from 'node:stream'
import pg from 'pg'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'

/** What a statement of a transaction returns. */
export type StatementResult = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>

/** Sends the statements of one transaction. */
export interface TransactionSender {
  /**
   * Sends a statement at the end of the current turn of the event loop, together with the others of the turn. With `isLater`, it
   * waits for the next one that is sent.
   */
  send(config: pg.QueryConfig, isLater?: boolean): Promise<StatementResult>
}

/** A column of the rows of a prepared statement. */
interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** A statement that the connection has prepared, or a command without a name. Its values are as the protocol has them. */
interface Prepared {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
  readonly columns: readonly Column[]
  readonly resolve: (result: StatementResult) => void
  readonly reject: (error: unknown) => void
}

/** The columns of the statements that a connection has prepared. They cannot change: PostgreSQL rejects the statement then. */
const prepared = new WeakMap<pg.ClientBase, Map<string, readonly Column[]>>()

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

/**
 * What begins and ends a transaction. It is parsed each time: if a pooler could lose a prepared BEGIN, the statement that follows
 * in a message of its own would be executed, and committed, without a transaction.
 */
const commands = new Set(['BEGIN', 'COMMIT'])

/**
 * Creates the sender of a connection. Statements that the connection has prepared are sent as one message that is answered by
 * one, without a description of their columns, and with them what begins and ends the transaction. If one fails, those after it
 * are not run and fail with its error. Others are sent on their own.
 */
export function newTransactionSender(connection: pg.ClientBase): TransactionSender {
  const known = prepared.get(connection) ?? new Map<string, readonly Column[]>()
  prepared.set(connection, known)
  let pending: Prepared[] = []
  let isScheduled = false
  const flush = () => {
    isScheduled = false
    if (pending.length === 0) return
    const statements = pending
    pending = []
    connection.query(newBatch(statements))
  }
  const sendAlone = async (config: pg.QueryConfig) => {
    flush()
    const result = await connection.query(config)
    if (config.name !== undefined) known.set(config.name, columnsOf(result, config.types))
    return result
  }
  const sendPrepared = async (
    { name = '', text, values = [] }: pg.QueryConfig,
    columns: readonly Column[],
    isLater: boolean,
  ) => {
    const protocolValues = values.map(prepareValue)
    return new Promise<StatementResult>((resolve, reject) => {
      pending.push({ name, text, values: protocolValues, columns, resolve, reject })
      if (isLater || isScheduled) return
      isScheduled = true
      process.nextTick(flush)
    })
  }
  return {
    send: (config, isLater = false) => {
      const { name, text } = config
      const isCommand = commands.has(text)
      const columns = isCommand ? [] : known.get(name ?? '')
      if (!columns) return sendAlone(config)
      return inStatementSpan(text, () => sendPrepared(isCommand ? { text } : config, columns, isLater))
    },
  }
}

/** What node-postgres's connection sends, for which it has no types. */
interface Protocol {
  readonly stream: Writable
  parse(config: { text: string }): void
  bind(config: { statement: string; values: unknown[] }): void
  execute(config: object): void
  sync(): void
}

/**
 * Creates a query of node-postgres that consists of several statements. It is no `pg.Query`, which describes the columns of each
 * statement again and is answered for each one.
 */
function newBatch(statements: readonly Prepared[]): pg.Submittable {
  let place = 0
  let rows: unknown[] = []
  const reject = (error: unknown) => {
    for (const statement of statements.slice(place)) statement.reject(error)
    place = statements.length
  }
  return Object.assign(Object.create(pg.Query.prototype), {
    statements: statements.length,
    text: statements.at(-1)?.text,
    callback: () => undefined,
    submit: (connection: Protocol) => {
      connection.stream.cork()
      for (const { name, text, values } of statements) {
        if (!name) connection.parse({ text })
        connection.bind({ statement: name, values })
        connection.execute({})
      }
      connection.sync()
      connection.stream.uncork()
    },
    handleDataRow: ({ fields }: { fields: (string | null)[] }) => {
      const columns = statements[place]?.columns ?? []
      const row: Record<string, unknown> = {}
      columns.forEach(({ name, parse }, index) => {
        const value = fields[index]
        row[name] = value == null ? null : parse(value)
      })
      rows.push(row)
    },
    handleCommandComplete: ({ text }: { text: string }) => {
      // `INSERT 0 1`, `SELECT 1` or `COMMIT`.
      const [command = '', ...counts] = text.split(' ')
      statements[place]?.resolve({ command, rowCount: counts.length === 0 ? null : Number(counts.at(-1)), rows })
      place += 1
      rows = []
    },
    handleError: reject,
    handleReadyForQuery: () => undefined,
  })
}

function columnsOf({ fields }: pg.QueryResult, types: pg.CustomTypesConfig = pg.types): Column[] {
  return fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') }))
}
