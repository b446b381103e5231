import type { Writable } from 'node:stream'
import pg from 'pg'
import { inStatementSpan } from '../../kernel/telemetry/tracing.ts'
import { NamedStatement } from './named-statement.ts'
import type { DatabaseWatch } from './watch.ts'

/** What a connection belongs to. */
export interface ConnectionOptions {
  /** Closes the connection if a statement gets no answer. Absent if the process may wait. */
  readonly watch?: DatabaseWatch | undefined
  /** Whether the connection is closed after an outage, so that its owner reconnects. */
  readonly isLasting?: boolean
  /** Called for each statement that is sent. */
  readonly onStatement?: (() => void) | undefined
  /** Returns the error that callers get instead of one of the driver. */
  readonly toError?: ((error: unknown) => unknown) | undefined
}

type Callback = (error: Error | null, result: pg.QueryResult) => void

/**
 * A connection whose statements are counted, traced and limited in time. Those of one turn of the event loop are written at once, and with
 * `pipeline` they do not wait for one another.
 */
export class Connection extends pg.Client {
  readonly #options: ConnectionOptions
  readonly #onStart: ((text: string) => void) | undefined

  constructor(config: pg.ClientConfig, options: ConnectionOptions = {}) {
    super(config)
    this.#options = options
    this.#onStart = options.watch?.guard(this, options)
  }

  override query = ((...args: [config: string | pg.QueryConfig, ...rest: unknown[]]) => {
    const { onStatement, toError } = this.#options
    const [config] = args
    const text = typeof config === 'string' ? config : (config.text ?? '')
    onStatement?.()
    this.#onStart?.(text)
    this.#joinWrites()
    const callback = args.at(-1)
    // What passes a callback is a part of a statement that is traced where it begins.
    if (typeof callback === 'function') return this.#send(args, callback as Callback)
    const result = inStatementSpan(text, () => this.#send(args))
    if (!toError || !(result instanceof Promise)) return result
    return result.catch((error: unknown) => {
      throw toError(error)
    })
  }) as pg.Client['query']

  #send(args: unknown[], callback?: Callback): unknown {
    const [config] = args
    const isNamed = typeof config === 'object' && (config as pg.QueryConfig).name !== undefined
    if (!isNamed) return super.query(...(args as [string]))
    const send = (done: Callback) => super.query(new NamedStatement(config as pg.QueryConfig, undefined, done) as never)
    if (callback) return send(callback)
    return new Promise((resolve, reject) => {
      send((error, result) => (error ? reject(error) : resolve(result)))
    })
  }

  #joinWrites(): void {
    const { stream } = (this as unknown as { connection: { stream: Writable } }).connection
    if (stream.writableCorked > 0) return
    stream.cork()
    process.nextTick(() => stream.uncork())
  }
}
