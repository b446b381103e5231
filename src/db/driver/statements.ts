import pg from 'pg'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'
import { copyRows, withLiterals } from './copy.ts'
import { readMoment } from './moment.ts'
import { costsConnection } from './outages.ts'
import { onConnection } from './pool.ts'
import { type Grouped, type Send, type SendCopy, type SendLimited, withCallerInStack } from './send.ts'
import { isUnprepared, newStatementNames } from './statement-names.ts'
import { newLimited } from './time-limit.ts'

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
  const limited = newLimited(pool, onLimited)
  /** Sends statements on one connection. Each succeeds or fails by itself. */
  const sendTogether = (group: readonly Grouped[]) =>
    pool.connect((refused, client) => {
      if (!client) {
        for (const { reject } of group) reject(refused as Error)
        return
      }
      let left = group.length
      let isSpent = false
      for (const each of group) {
        const query = toQuery(nameOf(each.text), each.text, each.values)
        client.query(query, (error: Error | null, result: pg.QueryResult) => {
          left -= 1
          isSpent ||= error !== null && costsConnection(error)
          if (left === 0) client.release(isSpent)
          if (!error) each.resolve(result.rows as never)
          else if (query.name !== undefined && isUnprepared(error)) {
            onFailure(error)
            // It was not executed.
            sendTogether([each])
          } else each.reject(error)
        })
      }
    })
  const sendOne = (text: string, values: unknown[]) =>
    new Promise<never[]>((resolve, reject) => sendTogether([{ text, values, resolve, reject }]))
  return {
    send: <Row>(text: string, values: unknown[]) =>
      withCallerInStack(() => inStatementSpan(text, () => sendOne(text, values))) as Promise<Row[]>,
    sendLimited: (text, values, filters, areStored) =>
      limited(async (client) => (await client.query(toQuery(undefined, text, values))).rows, filters, areStored),
    sendCopy: ({ text, parts, values, format, filters }) => {
      const copy = (client: pg.PoolClient) =>
        inStatementSpan(`COPY (${text})`, () => copyRows(client, withLiterals(parts, values), format))
      return filters === undefined ? onConnection(pool, copy) : limited(copy, filters, false)
    },
    sendTogether,
    // Commands such as SAVEPOINT have no values and no plan.
    inTransaction: (text, values) =>
      toQuery(preparesTransactions && values.length > 0 ? nameOf(text) : undefined, text, values),
    onFailure,
  }
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
