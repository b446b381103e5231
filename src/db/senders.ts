import pg from 'pg'
import { invalid, refuse } from '../kernel/errors.ts'
import { inStatementSpan } from '../kernel/tracing.ts'
import { readMoment } from './moment.ts'
import { PreparedStatement } from './prepared-statement.ts'
import { type Grouped, type Send, type SendLimited, withCallerInStack } from './sql.ts'
import type { StatementSender } from './statement-sender.ts'

/** How statements of our own are sent. */
export interface Senders {
  readonly send: Send
  readonly sendLimited: SendLimited
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
  return {
    send: newSend(sender, nameOf),
    sendLimited: newLimitedSend(pool, onLimited),
    sendTogether: newGroupSend(sender, nameOf),
    // Commands such as SAVEPOINT have no values and no plan.
    inTransaction: (text, values) =>
      toQuery(preparesTransactions && values.length > 0 ? nameOf(text) : undefined, text, values),
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

/** Maximum time to evaluate one filter of a client, and all filters of a statement, in milliseconds. */
const filterMilliseconds = 2_000
const limitedMilliseconds = 10_000

/**
 * Creates a function that sends statements with a time limit. They are not prepared: clients choose their text, and a plan
 * for any values would be a bad plan for most. A statement that needs more than half of its time starts again without
 * nested loops: the planner takes an account that is newer than its statistics for one row, and would compare each row of
 * it with each other one. Calls `onEnd` after each statement, because it is sent as three.
 */
function newLimitedSend(pool: pg.Pool, onEnd: () => void): SendLimited {
  return async <Row>(text: string, values: unknown[], filters: number, areStored: boolean) => {
    const limit = Math.min(filters * filterMilliseconds, limitedMilliseconds)
    const run = async (client: pg.PoolClient, settings: string) => {
      await client.query(`BEGIN READ ONLY; ${settings}`)
      const { rows } = await client.query({ text, values, types: typeParsers } as pg.QueryConfig)
      await client.query('COMMIT')
      return rows as Row[]
    }
    const client = await pool.connect()
    try {
      const rows = await run(client, `SET LOCAL statement_timeout = ${limit / 2}`).catch(async (error) => {
        if (!isCanceled(error)) throw error
        await client.query('ROLLBACK')
        return run(client, `SET LOCAL statement_timeout = ${limit}; SET LOCAL enable_nestloop = off`)
      })
      client.release()
      onEnd()
      return rows
    } catch (error) {
      await client.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      )
      if (!isCanceled(error)) throw error
      const problem = `takes longer than ${limit / 1_000} seconds to evaluate; use fewer or narrower conditions`
      throw areStored ? refuse('VALIDATION_ERROR', `A stored filter ${problem}.`) : invalid({ filter: [problem] })
    }
  }
}

/** Returns whether a statement took longer than its time limit. */
function isCanceled(error: unknown): boolean {
  return (error as { code?: unknown }).code === '57014'
}
