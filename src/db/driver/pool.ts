import pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'
import { within } from '../../kernel/work/within.ts'
import { Connection, type ConnectionOptions, connectMilliseconds, partingMilliseconds } from './connection.ts'
import { costsConnection, DatabaseUnavailable } from './outages.ts'

/** Time after which an unused connection is closed, in milliseconds. The first statements of a new one take ten times as long. */
const idleMilliseconds = 600_000

/** A connection pool, and the function that closes it. */
interface PoolParts {
  readonly pool: pg.Pool
  /** Closes all connections, including those that do not respond. */
  close(): Promise<void>
}

/**
 * Creates a connection pool with timeouts. Acquiring a connection fails after five seconds. `watch` closes connections
 * whose statements get no response. While the database is unavailable, acquiring a connection fails immediately with
 * DatabaseUnavailable.
 */
export function newPool(config: pg.PoolConfig, { log, ...options }: ConnectionOptions & { log: Log }): PoolParts {
  const pool = new WatchedPool({
    ...{ connectionTimeoutMillis: connectMilliseconds, idleTimeoutMillis: idleMilliseconds },
    ...config,
    ...options,
  })
  const clients = new Set<Connection>()
  // A closed pool does not wait until its connections have ended, so a server that stops then still terminates them.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'an idle database connection was lost')
  })
  pool.on('connect', (client) => {
    clients.add(client as unknown as Connection)
    client.on('error', () => undefined)
  })
  // The driver reports this only if no statement follows immediately.
  pool.on('release', (_error, client) => client.emit('drain'))
  pool.on('remove', (client) => clients.delete(client as unknown as Connection))
  return {
    pool,
    close: async () => {
      if (pool.ended || pool.ending || (await within(pool.end(), partingMilliseconds))) return
      for (const client of clients) client.destroy()
    },
  }
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void

/** A pool that opens no connection while the database is unavailable. */
class WatchedPool extends pg.Pool {
  readonly #watch: ConnectionOptions['watch']

  /** Each connection gets all options of the pool. */
  constructor(options: pg.PoolConfig & ConnectionOptions) {
    super({ ...options, Client: Connection })
    this.#watch = options.watch
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!this.#watch?.isAway()) {
      if (!callback) return super.connect()
      super.connect(callback)
      return undefined
    }
    const error = new DatabaseUnavailable('unreached', 'The database does not answer.')
    if (!callback) return Promise.reject(error)
    process.nextTick(callback, error, undefined, () => undefined)
    return undefined
  }

  /** That of the driver closes the connection after each error, also those of the statement. */
  override query = ((...args: [config: string | pg.QueryConfig, values?: unknown[]]) => {
    const [config] = args
    const send = () =>
      new Promise<pg.QueryResult>((resolve, reject) => {
        this.connect((refused, client) => {
          if (!client) return reject(refused)
          // With a callback, because the span includes the time in which the statement waits for a connection.
          client.query(...(args as [string, unknown[]]), (error: Error | null, result: pg.QueryResult) => {
            client.release(error ? costsConnection(error) : undefined)
            if (error) reject(error)
            else resolve(result)
          })
        })
      })
    return withCallerInStack(() => inStatementSpan(typeof config === 'string' ? config : config.text, send))
  }) as pg.Pool['query']
}

/** Replaces the stack of an error of the driver, which does not contain the caller. */
export async function withCallerInStack<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

/** Runs a statement on a connection of the pool, which is closed if the error may have left it in another state. */
export async function onConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(costsConnection(error))
    throw error
  }
}
