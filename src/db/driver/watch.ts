import type { Log } from '../../kernel/telemetry/log.ts'
import { Connection, type Guard } from './connection.ts'
import { DatabaseUnavailable } from './outages.ts'

/**
 * Interval at which connections are checked, in milliseconds. Limits are counted in ticks, so that a pause of this
 * process does not count as a pause of the database.
 */
const tickMs = 500

/** Interval at which the database is probed, in milliseconds. */
const probeIntervalMs = 1_000

/**
 * Time without a response after which the database is unavailable and longer statements are aborted, in milliseconds.
 */
const unavailableAfterMs = 2_500

/**
 * Default timeout of a statement, in milliseconds. PostgreSQL ends the statement at this time. The watch closes the
 * connection after an additional graceMs period.
 */
export const statementMilliseconds = 60_000
const graceMs = 5_000

const ticksOf = (milliseconds: number) => Math.ceil(milliseconds / tickMs)

/** How long the current statement of a connection takes, and may take. */
interface WatchState {
  /** Number of ticks since the start of the current statement. Undefined if none is running. */
  ticks: number | undefined
  readonly limit: number
  /** The limit that the open transaction has set. */
  ownLimit: number | undefined
  readonly isLasting: boolean
}

/** Detects an unavailable database, and closes connections that do not respond. */
export interface DatabaseWatch extends Guard {
  close(): Promise<void>
}

/**
 * Watches the database at `url` on a separate connection. This is needed because a hanging server neither responds nor
 * refuses connections. A pooler at `poolerUrl` must accept a connection: a statement would wait for all others, which does
 * not mean that the database is unavailable. `name` is that of the database in the log.
 */
export function watchDatabase(options: WatchOptions): DatabaseWatch {
  return new Watch(options)
}

interface WatchOptions {
  readonly url: string
  readonly poolerUrl?: string | undefined
  readonly name?: string
  readonly log: Log
}

class Watch implements DatabaseWatch {
  readonly #options: WatchOptions
  readonly #name: string
  readonly #clients = new Map<Connection, WatchState>()
  readonly #timer: NodeJS.Timeout
  #isAway = false
  #probe: Connection | undefined
  /** The probe that is waiting for a response. */
  #pending: { ticks: number } | undefined
  #ticksSinceProbe = 0

  constructor(options: WatchOptions) {
    this.#options = options
    this.#name = options.name ?? 'database'
    this.#timer = setInterval(() => this.#check(), tickMs).unref()
  }

  isAway(): boolean {
    return this.#isAway
  }

  guard(client: Connection, isLasting: boolean): (text: string) => void {
    const state: WatchState = {
      ticks: undefined,
      limit: ticksOf(statementMilliseconds + graceMs),
      ownLimit: undefined,
      isLasting,
    }
    this.#clients.set(client, state)
    // Without a handler, an error of an idle connection would end the process.
    client.on('error', () => undefined)
    client.on('end', () => this.#clients.delete(client))
    client.on('drain', () => {
      state.ticks = undefined
    })
    return (text) => {
      state.ticks ??= 0
      noteOwnLimit(state, text)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#pending = undefined
    this.#probe?.destroy()
  }

  #check(): void {
    this.#ticksSinceProbe += 1
    if (this.#pending) {
      this.#pending.ticks += 1
      if (this.#pending.ticks > ticksOf(unavailableAfterMs))
        this.#fail(new DatabaseUnavailable('unreached', 'no answer in time'))
    } else if (this.#ticksSinceProbe >= ticksOf(probeIntervalMs)) this.#sendProbe()
    for (const [client, state] of this.#clients) {
      if (state.ticks === undefined) continue
      state.ticks += 1
      const { limit, ownLimit } = state
      if (state.ticks > (this.#isAway ? Math.min(limit, ticksOf(unavailableAfterMs)) : (ownLimit ?? limit)))
        abort(client)
    }
  }

  async #sendProbe(): Promise<void> {
    const current = { ticks: 0 }
    this.#pending = current
    this.#ticksSinceProbe = 0
    try {
      // The previous connection may have been closed, which does not mean that the database is unavailable.
      const known = this.#probe
      if (known) await known.query('SELECT 1').catch(() => this.#drop(known))
      if (!this.#probe) await this.#open()
      const { poolerUrl } = this.#options
      if (poolerUrl !== undefined) await knock(poolerUrl)
      if (this.#pending === current) this.#succeed()
    } catch (error) {
      if (this.#pending === current) this.#fail(error)
    }
  }

  async #open(): Promise<void> {
    const probe = new Connection({ connectionString: this.#options.url, application_name: 'campanile watch' })
    probe.on('error', () => this.#drop(probe))
    this.#probe = probe
    await probe.connect()
    await probe.query('SELECT 1')
  }

  #drop(client: Connection): void {
    if (this.#probe === client) this.#probe = undefined
    client.destroy()
  }

  #succeed(): void {
    this.#pending = undefined
    if (!this.#isAway) return
    this.#isAway = false
    this.#options.log.warn(`the ${this.#name} is available again`)
    // The server may have closed these connections without a message.
    for (const [client, { isLasting }] of this.#clients) if (isLasting) abort(client)
  }

  #fail(error: unknown): void {
    this.#pending = undefined
    if (this.#probe) this.#drop(this.#probe)
    if (!this.#isAway) this.#options.log.error({ err: error }, `the ${this.#name} does not answer`)
    this.#isAway = true
  }
}

/** Opens a connection, and closes it. Rejects if that fails or takes too long. */
async function knock(url: string): Promise<void> {
  const client = new Connection({ connectionString: url, connectionTimeoutMillis: unavailableAfterMs })
  client.on('error', () => undefined)
  await client.connect()
  await client.close()
}

/** Closes a connection whose statements get no answer. */
function abort(connection: Connection): void {
  connection.destroy(new DatabaseUnavailable('lost', 'Connection terminated: the database gave no answer in time'))
}

/** Records the statement timeout that a transaction sets for itself, until the transaction ends. */
function noteOwnLimit(state: WatchState, text: string): void {
  if (state.ownLimit === undefined) {
    const own = /^SET LOCAL statement_timeout = (\d+)$/.exec(text)?.[1]
    if (own !== undefined) state.ownLimit = ticksOf(Number(own) + graceMs)
  } else if (text === 'COMMIT' || text === 'ROLLBACK') state.ownLimit = undefined
}
