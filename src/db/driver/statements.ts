import pg from 'pg'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'
import { copyRows, withLiterals } from './copy.ts'
import { readMoment } from './moment.ts'
import type { Outgoing, StatementSender } from './pipeline.ts'
import { PreparedStatement } from './prepared-statement.ts'
import { type Grouped, type Send, type SendCopy, type SendLimited, withCallerInStack } from './send.ts'
import { isUnprepared, newStatementNames } from './statement-names.ts'
import { newLimited, onConnection } from './time-limit.ts'

/** How statements of our own are sent. */
export interface Senders {
  readonly send: Send
  readonly sendLimited: SendLimited
  readonly sendCopy: SendCopy
  /** Absent if each statement is sent by itself. */
  readonly sendTogether?: (group: readonly Grouped[]) => void
  /** Returns what is sent for a statement of a transaction. */
  readonly inTransaction: (text: string, values: unknown[]) => pg.QueryConfig
  /** Must be called with the error of each statement of a transaction. If a prepared statement was lost, none is prepared any more. */
  readonly onFailure: (error: unknown) => void
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
  const nameAny = newStatementNames()
  let isPreparing = prepares
  const nameOf = (text: string) => (isPreparing ? nameAny(text) : undefined)
  const onFailure = (error: unknown) => {
    if (isUnprepared(error)) isPreparing = false
  }
  const toQuery = (name: string | undefined, text: string, values: unknown[]) =>
    ({ name, text, values, types: typeParsers }) as pg.QueryConfig
  const limited = newLimited(pool, onLimited)
  const sendGroup = newGroupSend(sender, nameOf, onFailure)
  return {
    send: newSend(sendGroup),
    sendLimited: (text, values, filters, areStored) =>
      limited(async (client) => (await client.query(toQuery(undefined, text, values))).rows, filters, areStored),
    sendCopy: ({ text, parts, values, format, filters }) => {
      const copy = (client: pg.PoolClient) =>
        inStatementSpan(`COPY (${text})`, () => copyRows(client, withLiterals(parts, values), format))
      return filters === undefined ? onConnection(pool, copy) : limited(copy, filters, false)
    },
    sendTogether: sendGroup,
    // Commands such as SAVEPOINT have no values and no plan. Those of each transaction are prepared, so that they do not need a message.
    inTransaction: (text, values) => {
      const isPrepared = preparesTransactions && (values.length > 0 || text === 'BEGIN' || text === 'COMMIT')
      return toQuery(isPrepared ? nameOf(text) : undefined, text, values)
    },
    onFailure,
  }
}

/** Creates the function that sends several statements on one connection. */
function newGroupSend(
  sender: StatementSender,
  nameOf: (text: string) => string | undefined,
  onFailure: (error: unknown) => void,
) {
  return (group: readonly Grouped[]) => {
    const outgoing = ({ text, values, resolve, reject }: Grouped, name: string | undefined): Outgoing => ({
      statement: new PreparedStatement(name, text, values, parserOf),
      settle: (error, rows) => {
        if (!error) resolve(rows as never)
        else if (name !== undefined && isUnprepared(error)) {
          onFailure(error)
          // It was not executed.
          sender.send([outgoing({ text, values, resolve, reject }, undefined)])
        } else reject(error)
      },
    })
    sender.send(group.map((each) => outgoing(each, nameOf(each.text))))
  }
}

/** Creates the function that sends a single statement. */
function newSend(sendGroup: (group: readonly Grouped[]) => void): Send {
  const send = (text: string, values: unknown[]) =>
    new Promise<never[]>((resolve, reject) => sendGroup([{ text, values, resolve, reject }]))
  return <Row>(text: string, values: unknown[]) =>
    withCallerInStack(() => inStatementSpan(text, () => send(text, values))) as Promise<Row[]>
}

const bigintOid = 20
const timestamptzOid = 1184
function parserOf(oid: number): (text: string) => unknown {
  if (oid === bigintOid) return BigInt
  if (oid === timestamptzOid) return readMoment
  return pg.types.getTypeParser(oid, 'text')
}
const typeParsers = { getTypeParser: parserOf } as pg.CustomTypesConfig
