import pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'
import { within } from '../../kernel/work/within.ts'
import { costsConnection, DatabaseUnavailable } from './outages.ts'
import { newStatementSender, type StatementSender } from './pipeline.ts'
import { connectMilliseconds, type DatabaseWatch, destroy, partingMilliseconds } from './watch.ts'

/** Time after which an unused connection is closed, in milliseconds. The first statements of a new one take ten times as long. */
const idleMilliseconds = 600_000

/** A connection pool, and the function that closes it. */
interface PoolParts {
  readonly pool: pg.Pool
  /** Sends single statements on connections of the pool. */
  readonly sender: StatementSender
  /** Closes all connections, including those that do not respond. */
  close(): Promise<void>
}

/**
 * Opens a connection pool with timeouts. Acquiring a connection fails after five seconds. `watch` closes connections
 * whose statements get no response. While the database is unavailable, acquiring a connection fails immediately with
 * DatabaseUnavailable.
 */
export function openPool(
  config: pg.PoolConfig,
  { watch, log }: { watch?: DatabaseWatch | undefined; log: Log },
): PoolParts {
  const pool = new WatchedPool(
    { connectionTimeoutMillis: connectMilliseconds, idleTimeoutMillis: idleMilliseconds, keepAlive: true, ...config },
    watch,
  )
  traceStatements(pool)
  const clients = new Set<pg.Client>()
  // A closed pool does not wait until its connections have ended, so a server that stops then still terminates them.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'an idle database connection was lost')
  })
  pool.on('connect', (client) => {
    clients.add(client)
    traceStatements(client)
    watch?.guard(client)
    client.on('error', (error) => {
      if (pool.sender.drop(client, error)) pool.emit('error', error, client)
    })
  })
  // The driver reports this only if no statement follows immediately.
  pool.on('release', (_error, client) => client.emit('drain'))
  pool.on('remove', (client) => clients.delete(client))
  return {
    pool,
    sender: pool.sender,
    close: async () => {
      if (pool.ended || pool.ending) return
      pool.sender.close()
      if (await within(pool.end(), partingMilliseconds)) return
      for (const client of clients) destroy(client)
    },
  }
}

/** Statements of a pool include the time in which they wait for a connection. */
function traceStatements(sender: pg.Pool | pg.Client): void {
  const send = sender.query.bind(sender) as (...args: unknown[]) => unknown
  sender.query = ((...args: unknown[]) => {
    // With a callback it is a statement of the pool, which is traced there, in the request that waits for it.
    if (typeof args.at(-1) === 'function') return send(...args)
    const [config] = args as [string | { text?: string; submit?: unknown }]
    // A batch starts a span for each of its statements.
    if (typeof config !== 'string' && config.submit) return send(...args)
    return inStatementSpan(typeof config === 'string' ? config : (config.text ?? ''), () => send(...args))
  }) as typeof sender.query
}

/** The arguments of `query` without a callback. */
type QueryArguments = [config: string | pg.QueryConfig, values?: unknown[]]

/** A pool that opens no connection while the database is unavailable, and whose unused connections send single statements. */
class WatchedPool extends pg.Pool {
  readonly #watch: DatabaseWatch | undefined
  readonly sender: StatementSender

  constructor(config: pg.PoolConfig, watch: DatabaseWatch | undefined) {
    super(config)
    this.#watch = watch
    this.sender = newStatementSender(this, () => watch?.isAway() ?? false)
    const idle = () => Reflect.get(pg.Pool.prototype, 'idleCount', this) as number
    Object.defineProperty(this, 'idleCount', { get: () => idle() + this.sender.state().idle })
  }

  override connect(): Promise<pg.PoolClient>
  override connect(
    callback: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): void
  override connect(
    callback?: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): Promise<pg.PoolClient> | undefined {
    const error = this.#watch?.isAway()
      ? new DatabaseUnavailable('unreached', 'The database does not answer.')
      : undefined
    if (!error) this.sender.release()
    if (!callback) return error ? Promise.reject(error) : super.connect()
    if (error) process.nextTick(callback, error, undefined, () => undefined)
    else super.connect(callback)
    return undefined
  }

  /** That of the driver closes the connection after each error, also those of the statement. Prisma's client sends by it. */
  override query = ((...args: QueryArguments) =>
    new Promise((resolve, reject) => {
      this.connect((refused, client) => {
        if (!client) return reject(refused)
        let lost: Error | undefined
        const onError = (error: Error) => {
          lost = error
        }
        client.once('error', onError)
        client.query(...(args as [string, unknown[]]), (error: Error | undefined, result: pg.QueryResult) => {
          client.off('error', onError)
          client.release(lost ?? (error && costsConnection(error) ? error : undefined))
          if (error) reject(error)
          else resolve(result)
        })
      })
    })) as pg.Pool['query']
}
