import pg from 'pg'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'
import { type Copied, type CopyFormat, copyRows, withLiterals } from './copy.ts'
import { readMoment } from './moment.ts'
import { costsConnection } from './outages.ts'
import { onConnection, withCallerInStack } from './pool.ts'
import { isUnprepared, newStatementNames } from './statement-names.ts'
import { newLimited } from './time-limit.ts'

/** Sends SQL with positional parameters to the server. */
export type Send = <Row>(text: string, values: unknown[]) => Promise<Row[]>

/** Sends SQL that evaluates a number of filters of a client, with a time limit for each of them. */
export type SendLimited = <Row>(text: string, values: unknown[], filters: number, areStored: boolean) => Promise<Row[]>

/** Sends SQL without waiting for its end. */
export type SendLater = (text: string, values: unknown[]) => void

/** A query to send with COPY. `text` has positional parameters, and `parts` is the text between the values. */
interface CopyQuery {
  readonly text: string
  readonly parts: readonly string[]
  readonly values: readonly unknown[]
  readonly format: CopyFormat
  readonly filters: number | undefined
}

/** Sends a query with COPY … TO STDOUT. */
export type SendCopy = (query: CopyQuery) => Promise<Copied>

/** A statement, and the functions that settle its promise. */
interface Sent {
  readonly text: string
  readonly values: unknown[]
  readonly resolve: (rows: never[]) => void
  readonly reject: (error: unknown) => void
}

/** How statements of our own are sent. */
export interface Senders {
  readonly send: Send
  readonly sendLimited: SendLimited
  readonly sendCopy: SendCopy
  /** Returns what sends the statements of a turn of the event loop on one connection. Absent if each is sent by itself. */
  readonly newGroup?: () => Send
  /** Returns what is sent for a statement of a transaction. */
  readonly inTransaction: (text: string, values: unknown[]) => pg.QueryConfig
  /**
   * Must be called with the error of each statement of a transaction. If a prepared statement was lost, none is prepared any
   * more.
   */
  readonly onFailure: (error: unknown) => void
}

/** Creates the functions that send our own statements through a pool. Calls `onLimited` after each with a time limit. */
export function newSenders(
  pool: pg.Pool,
  {
    preparesTransactions = false,
    onLimited = () => undefined,
  }: { preparesTransactions?: boolean | undefined; onLimited?: () => void },
): Senders {
  const nameOf = newStatementNames()
  // Until a pooler loses a statement: it may use another connection for each transaction.
  let isPreparing = true
  const onFailure = (error: unknown) => {
    if (isUnprepared(error)) isPreparing = false
  }
  const limited = newLimited(pool, onLimited)
  const toNamed = (text: string, values: unknown[]) => toQuery(isPreparing ? nameOf(text) : undefined, text, values)
  const sendTogether = (group: readonly Sent[]) => sendOn(pool, group, toNamed, onFailure)
  const sending =
    (put: (sent: Sent) => void): Send =>
    <Row>(text: string, values: unknown[]) =>
      withCallerInStack(() =>
        inStatementSpan(text, () => new Promise<Row[]>((resolve, reject) => put({ text, values, resolve, reject }))),
      )
  return {
    send: sending((sent) => sendTogether([sent])),
    newGroup: () => {
      let group: Sent[] = []
      const flush = () => {
        sendTogether(group)
        group = []
      }
      return sending((sent) => {
        if (group.push(sent) === 1) process.nextTick(flush)
      })
    },
    sendLimited: (text, values, filters, areStored) =>
      limited(async (client) => (await client.query(toQuery(undefined, text, values))).rows, filters, areStored),
    sendCopy: ({ text, parts, values, format, filters }) => {
      const copy = (client: pg.PoolClient) =>
        inStatementSpan(`COPY (${text})`, () => copyRows(client, withLiterals(parts, values), format))
      return filters === undefined ? onConnection(pool, copy) : limited(copy, filters, false)
    },
    // Commands such as SAVEPOINT have no values and no plan.
    inTransaction: (text, values) =>
      preparesTransactions && values.length > 0 ? toNamed(text, values) : toQuery(undefined, text, values),
    onFailure,
  }
}

/** Sends statements on one connection of the pool. Each succeeds or fails by itself. */
function sendOn(
  pool: pg.Pool,
  group: readonly Sent[],
  toNamed: (text: string, values: unknown[]) => pg.QueryConfig,
  onFailure: (error: unknown) => void,
): void {
  pool.connect((refused, client) => {
    let left = group.length
    let isSpent = false
    for (const each of group) {
      if (!client) {
        each.reject(refused)
        continue
      }
      const query = toNamed(each.text, each.values)
      client.query(query, (error: Error | null, result: pg.QueryResult) => {
        left -= 1
        isSpent ||= error !== null && costsConnection(error)
        if (left === 0) client.release(isSpent)
        if (!error) each.resolve(result.rows as never)
        else if (query.name !== undefined && isUnprepared(error)) {
          onFailure(error)
          // It was not executed.
          sendOn(pool, [each], toNamed, onFailure)
        } else each.reject(error)
      })
    }
  })
}

function toQuery(name: string | undefined, text: string, values: unknown[]): pg.QueryConfig {
  return { text, values, types: typeParsers, ...(name !== undefined && { name }) }
}

const bigintOid = 20
const timestamptzOid = 1184
function parserOf(oid: number): (text: string) => unknown {
  if (oid === bigintOid) return BigInt
  if (oid === timestamptzOid) return readMoment
  return pg.types.getTypeParser(oid, 'text')
}
const typeParsers = { getTypeParser: parserOf } as pg.CustomTypesConfig
