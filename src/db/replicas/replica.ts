import pg from 'pg'
import { Refusal } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import { type Client, type Database, newClient } from '../client.ts'
import { type DatabaseWatch, openPool, type Senders, statementMilliseconds, watchDatabase } from '../driver/index.ts'

/** A read replica. */
export interface Replica {
  /** Host and port, for operators. */
  readonly address: string
  readonly db: Client
  /** Connections to the replica alone. */
  readonly pool: pg.Pool
  readonly watch: DatabaseWatch
  close(): Promise<void>
}

/**
 * Opens a replica. Its client sends a statement to the primary if it fails on the replica, and all transactions, because they can
 * write.
 */
export function openReplica(options: {
  url: string
  primary: Database
  poolSize: number
  onFallback: () => void
  log: Log
}): Replica {
  const { url, primary, poolSize, onFallback, log } = options
  const { host } = new URL(url)
  const watch = watchDatabase({ url, name: `replica ${host}`, log })
  const {
    pool,
    senders: own,
    close,
  } = openPool(
    {
      connectionString: url,
      max: poolSize,
      application_name: 'campanile reads',
      // A promoted replica would accept writes, which the primary would never get.
      options: '-c jit=off -c default_transaction_read_only=on',
      idle_in_transaction_session_timeout: 60_000,
      statement_timeout: statementMilliseconds,
      pipeline: true,
    },
    { watch, log },
  )
  const orOnPrimary = repeatOnPrimary((error) => {
    log.debug({ err: error, replica: host }, 'a read was repeated on the primary')
    onFallback()
  })
  const db = newClient(new ReadPool(pool, primary.pool, orOnPrimary), readSenders(own, primary.senders, orOnPrimary))
  return {
    address: host,
    db,
    pool,
    watch,
    close: async () => {
      await watch.close()
      await db.$disconnect()
      await close()
    },
  }
}

/** Runs a read on the replica, and again on the primary if it fails. */
type Repeat = <Result>(read: () => Promise<Result>, again: () => Promise<Result>) => Promise<Result>

function repeatOnPrimary(onFallback: (error: unknown) => void): Repeat {
  return async (read, again) => {
    try {
      return await read()
    } catch (error) {
      if (isOfStatement(error)) throw error
      onFallback(error)
      return again()
    }
  }
}

/** Returns what sends single statements to the replica, and transactions to the primary. */
function readSenders(replica: Senders, primary: Senders, orOnPrimary: Repeat): Senders {
  return {
    send: (text, values) =>
      orOnPrimary(
        () => replica.send(text, values),
        () => primary.send(text, values),
      ),
    sendLimited: (...limited) =>
      orOnPrimary(
        () => replica.sendLimited(...limited),
        () => primary.sendLimited(...limited),
      ),
    sendCopy: (query) =>
      orOnPrimary(
        () => replica.sendCopy(query),
        () => primary.sendCopy(query),
      ),
    inTransaction: primary.inTransaction,
    onFailure: primary.onFailure,
  }
}

/** The pool of Prisma's client on a replica. It sends statements to the replica, and opens transactions on the primary. */
class ReadPool extends pg.Pool {
  readonly #replica: pg.Pool
  readonly #primary: pg.Pool
  readonly #orOnPrimary: Repeat

  constructor(replica: pg.Pool, primary: pg.Pool, orOnPrimary: Repeat) {
    super()
    this.#replica = replica
    this.#primary = primary
    this.#orOnPrimary = orOnPrimary
  }

  override query = ((query: pg.QueryConfig) =>
    this.#orOnPrimary(
      () => this.#replica.query(query),
      () => this.#primary.query(query),
    )) as pg.Pool['query']

  override connect = ((...args: Parameters<pg.Pool['connect']>) => this.#primary.connect(...args)) as pg.Pool['connect']
}

/**
 * Returns whether an error would also occur on the primary: a refusal, or a statement that takes too long. All others can be
 * those of a replica: an outage, a conflict with its recovery, a column it does not have yet, a write.
 */
function isOfStatement(error: unknown): boolean {
  const queryCanceled = '57014'
  return error instanceof Refusal || (error as { code?: unknown }).code === queryCanceled
}
