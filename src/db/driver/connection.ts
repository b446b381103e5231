import type { Socket } from 'node:net'
import pg from 'pg'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'
import { within } from '../../kernel/work/within.ts'
import { NamedStatement } from './named-statement.ts'
import { newTransactionSender, type TransactionSender } from './transaction-batch.ts'

/** Timeout for opening a connection and for acquiring one from a pool, in milliseconds. */
export const connectMilliseconds = 5_000

/** Timeout for closing a connection gracefully, in milliseconds. */
export const partingMilliseconds = 1_000

/** What closes connections that get no answer. */
export interface Guard {
  /** Returns whether the database is unavailable. Callers then fail immediately instead of waiting. */
  isAway(): boolean
  /**
   * Applies timeouts to a connection, and returns what to call with the text of each statement that it sends. The connection is
   * closed if a statement runs longer than a minute, or longer than 2.5 seconds while the database is unavailable. With
   * `isLasting` it is closed after an outage, so that its owner reconnects.
   */
  guard(connection: Connection, isLasting: boolean): (text: string) => void
}

/** What a connection belongs to. */
export interface ConnectionOptions {
  /** Closes the connection if a statement gets no answer. Absent if the process may wait. */
  readonly watch?: Guard | undefined
  /** Whether the connection is closed after an outage, so that its owner reconnects. */
  readonly isLasting?: boolean
  /** Called with the number of statements that are sent. */
  readonly onStatement?: ((count: number) => void) | undefined
  /** Returns the error that callers get instead of one of the driver. */
  readonly toError?: ((error: unknown) => unknown) | undefined
}

/** What pg sends: a statement, or something with a way of its own, such as a batch of statements. */
interface Config {
  readonly text?: string
  readonly name?: string
  readonly submit?: unknown
  readonly statements?: number
}

type Callback = (error: Error | null, result: pg.QueryResult) => void

/**
 * A connection whose statements are counted, traced and limited in time. Those of one turn of the event loop are written at once,
 * and with `pipeline` they do not wait for one another.
 */
export class Connection extends pg.Client {
  readonly #options: ConnectionOptions
  readonly #onStart: ((text: string) => void) | undefined

  constructor(config: pg.ClientConfig & ConnectionOptions = {}) {
    super({ connectionTimeoutMillis: connectMilliseconds, keepAlive: true, ...config })
    this.#options = config
    this.#onStart = config.watch?.guard(this, config.isLasting ?? false)
  }

  override query = ((...args: [config: string | Config, ...rest: unknown[]]) => {
    const { onStatement, toError } = this.#options
    const [config] = args
    const { text = '', name, submit, statements = 1 } = typeof config === 'string' ? { text: config } : config
    onStatement?.(statements)
    this.#onStart?.(text)
    this.#joinWrites()
    const callback = args.at(-1)
    const send =
      name === undefined || submit
        ? () => super.query(...(args as [string])) as unknown
        : () => this.#sendNamed(config as pg.QueryConfig, callback)
    // What has a callback, and a batch, are parts of what is traced where it begins.
    if (typeof callback === 'function' || submit) return send()
    const result = inStatementSpan(text, send)
    if (!toError || !(result instanceof Promise)) return result
    return result.catch((error: unknown) => {
      throw toError(error)
    })
  }) as pg.Client['query']

  #sendNamed(config: pg.QueryConfig, callback: unknown): unknown {
    const send = (done: Callback) => super.query(new NamedStatement(config, undefined, done) as never)
    if (typeof callback === 'function') return send(callback as Callback)
    return new Promise((resolve, reject) => {
      send((error, result) => (error ? reject(error) : resolve(result)))
    })
  }

  /**
   * Returns what sends the statements of a transaction. Those of a turn that are prepared are one message, which is answered by
   * one.
   */
  newTransaction(): TransactionSender {
    return newTransactionSender(this)
  }

  /** Closes the connection gracefully, or immediately if that takes longer than a second. */
  async close(): Promise<void> {
    const ended = this.end().catch(() => undefined)
    if (!(await within(ended, partingMilliseconds))) this.destroy()
  }

  /**
   * Closes the connection immediately, without a message to the server. Its pending statements fail, with the error if one is
   * given.
   */
  destroy(error?: Error): void {
    this.#socket.destroy(error)
  }

  get #socket(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream
  }

  #joinWrites(): void {
    const socket = this.#socket
    if (socket.writableCorked > 0) return
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
}
