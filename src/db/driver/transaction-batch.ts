import type { Writable } from 'node:stream'
import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'
import { newResult, noColumns, type Result, readingsOf } from './named-statement.ts'

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

/** A statement that the connection has prepared, or a command without a name. Its values are as the protocol has them. */
interface Prepared {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
  readonly result: Result
  readonly resolve: (result: StatementResult) => void
  readonly reject: (error: unknown) => void
}

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
  const readings = readingsOf((connection as unknown as { readonly connection: object }).connection)
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
    return connection.query(config)
  }
  const sendPrepared = async ({ name = '', text, values = [] }: pg.QueryConfig, result: Result, isLater: boolean) => {
    const protocolValues = values.map(prepareValue)
    return new Promise<StatementResult>((resolve, reject) => {
      pending.push({ name, text, values: protocolValues, result, resolve, reject })
      if (isLater || isScheduled) return
      isScheduled = true
      process.nextTick(flush)
    })
  }
  return {
    send: (config, isLater = false) => {
      const { name, text } = config
      const isCommand = commands.has(text)
      const reading = isCommand ? noColumns : readings.get(name ?? '')
      if (!reading) return sendAlone(config)
      return inStatementSpan(text, () => sendPrepared(isCommand ? { text } : config, newResult(reading), isLater))
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
  let unreadable: { readonly error: unknown } | undefined
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
    handleDataRow: ({ fields }: { readonly fields: readonly (string | null)[] }) => {
      const { result } = statements[place] as Prepared
      try {
        result.rows.push(result.parseRow(fields))
      } catch (error) {
        unreadable ??= { error }
      }
    },
    handleCommandComplete: (message: { readonly text: string }) => {
      const { result, ...statement } = statements[place] as Prepared
      result.addCommandComplete(message)
      if (unreadable) statement.reject(unreadable.error)
      else statement.resolve(result as StatementResult)
      unreadable = undefined
      place += 1
    },
    handleError: reject,
    handleReadyForQuery: () => undefined,
  })
}
