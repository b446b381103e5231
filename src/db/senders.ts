import pg from 'pg'
import { inStatementSpan } from '../kernel/tracing.ts'
import { copyRows, withLiterals } from './copy.ts'
import { newLimited, onConnection } from './limited.ts'
import { readMoment } from './moment.ts'
import { PreparedStatement } from './prepared-statement.ts'
import { type Grouped, type Send, type SendCopy, type SendLimited, withCallerInStack } from './sql.ts'
import type { StatementSender } from './statement-sender.ts'

/** How statements of our own are sent. */
export interface Senders {
  readonly send: Send
  readonly sendLimited: SendLimited
  readonly sendCopy: SendCopy
  /** Absent if each statement is sent by itself. */
  readonly sendTogether?: (group: readonly Grouped[]) => void
  /** Returns what is sent for a statement of a transaction. */
  readonly inTransaction: (text: string, values: unknown[]) => pg.QueryConfig
}

/** Creates the functions that send our own statements through a pool. Calls `onLimited` after each with a time limit. */
export function newSenders(
  pool: pg.Pool,
  sender: StatementSender,
  {
    prepares,
    preparesTransactions = false,
    onLimited = () => undefined,
  }: { prepares: boolean; preparesTransactions?: boolean | undefined; onLimited?: () => void },
): Senders {
  const nameOf = prepares ? newStatementNames() : () => undefined
  const toQuery = (name: string | undefined, text: string, values: unknown[]) =>
    ({ name, text, values, types: typeParsers }) as pg.QueryConfig
  const limited = newLimited(pool, onLimited)
  return {
    send: newSend(sender, nameOf),
    sendLimited: (text, values, filters, areStored) =>
      limited(async (client) => (await client.query(toQuery(undefined, text, values))).rows, filters, areStored),
    sendCopy: ({ text, parts, values, format, filters }) => {
      const copy = (client: pg.PoolClient) =>
        inStatementSpan(`COPY (${text})`, () => copyRows(client, withLiterals(parts, values), format))
      return filters === undefined ? onConnection(pool, copy) : limited(copy, filters, false)
    },
    sendTogether: newGroupSend(sender, nameOf),
    // Commands such as SAVEPOINT have no values and no plan. Those of each transaction are prepared, so that they do not need a message.
    inTransaction: (text, values) => {
      const isPrepared = preparesTransactions && (values.length > 0 || text === 'BEGIN' || text === 'COMMIT')
      return toQuery(isPrepared ? nameOf(text) : undefined, text, values)
    },
  }
}

/** Creates the function that sends several statements on one connection. */
function newGroupSend(sender: StatementSender, nameOf: (text: string) => string | undefined) {
  return (group: readonly Grouped[]) => {
    sender.send(
      group.map(({ text, values, resolve, reject }) => ({
        statement: new PreparedStatement(nameOf(text), text, values, parserOf),
        settle: (error, rows) => (error ? reject(error) : resolve(rows as never)),
      })),
    )
  }
}

/** Creates the function that sends a single statement. */
function newSend(sender: StatementSender, nameOf: (text: string) => string | undefined): Send {
  const send = (text: string, values: unknown[]) =>
    new Promise<readonly object[] | undefined>((resolve, reject) => {
      const statement = new PreparedStatement(nameOf(text), text, values, parserOf)
      sender.send([{ statement, settle: (error, rows) => (error ? reject(error) : resolve(rows)) }])
    })
  return <Row>(text: string, values: unknown[]) =>
    withCallerInStack(() => inStatementSpan(text, () => send(text, values))) as Promise<Row[]>
}

/** Maximum number of prepared statements. Each needs memory on every connection. */
const maxPrepared = 500

/**
 * Creates a function that names statements by their text, so that PostgreSQL parses each once per connection.
 * Statements beyond the maximum are not prepared and get undefined.
 */
function newStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= maxPrepared) return name
    names.set(text, `campanile_${names.size}`)
    return names.get(text)
  }
}

const bigintOid = 20
const timestamptzOid = 1184
function parserOf(oid: number): (text: string) => unknown {
  if (oid === bigintOid) return BigInt
  if (oid === timestamptzOid) return readMoment
  return pg.types.getTypeParser(oid, 'text')
}
const typeParsers = { getTypeParser: parserOf } as pg.CustomTypesConfig
