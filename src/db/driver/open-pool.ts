import type pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { ConnectionOptions } from './connection.ts'
import { newPool } from './pool.ts'
import { newSenders, type Senders } from './statements.ts'

/** A pool, and how statements of our own are sent through it. */
interface OpenPool {
  readonly pool: pg.Pool
  readonly senders: Senders
  /** Closes all connections, including those that do not respond. */
  close(): Promise<void>
}

/** How statements are prepared. */
interface Preparation {
  /** Whether statements of transactions are prepared too. */
  readonly preparesTransactions?: boolean | undefined
  /** Called after each statement with a time limit, which is sent as three. */
  readonly onLimited?: () => void
}

/** Opens a pool. Its connections are opened on demand. */
export function openPool(
  config: pg.PoolConfig,
  { preparesTransactions, onLimited, ...options }: ConnectionOptions & Preparation & { log: Log },
): OpenPool {
  const { pool, close } = newPool(config, options)
  return { pool, senders: newSenders(pool, { preparesTransactions, ...(onLimited && { onLimited }) }), close }
}
