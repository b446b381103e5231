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

interface Watched {
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
export function watchDatabase({
  url,
  poolerUrl,
  name = 'database',
  log,
}: {
  url: string
  poolerUrl?: string | undefined
  name?: string
  log: Log
}): DatabaseWatch {
  const clients = new Map<Connection, Watched>()
  let isAway = false
  let probe: Connection | undefined
  /** The probe that is waiting for a response. */
  let pending: { ticks: number } | undefined
  let ticksSinceProbe = 0

  const drop = (client: Connection) => {
    if (probe === client) probe = undefined
    client.destroy()
  }
  const newProbe = () => {
    const client = new Connection({ connectionString: url, application_name: 'campanile watch' })
    client.on('error', () => drop(client))
    return client
  }
  const onResponse = () => {
    pending = undefined
    if (!isAway) return
    isAway = false
    log.warn(`the ${name} is available again`)
    // The server may have closed these connections without a message.
    for (const [client, { isLasting }] of clients) if (isLasting) abort(client)
  }
  const onFailure = (error: unknown) => {
    pending = undefined
    if (probe) drop(probe)
    if (!isAway) log.error({ err: error }, `the ${name} does not answer`)
    isAway = true
  }
  const sendProbe = async () => {
    const current = { ticks: 0 }
    pending = current
    ticksSinceProbe = 0
    try {
      // The previous connection may have been closed, which does not mean that the database is unavailable.
      const known = probe
      if (known) await known.query('SELECT 1').catch(() => drop(known))
      if (!probe) {
        probe = newProbe()
        await probe.connect()
        await probe.query('SELECT 1')
      }
      if (poolerUrl !== undefined) await knock(poolerUrl)
      if (pending === current) onResponse()
    } catch (error) {
      if (pending === current) onFailure(error)
    }
  }
  const check = () => {
    ticksSinceProbe += 1
    if (pending) {
      pending.ticks += 1
      if (pending.ticks > ticksOf(unavailableAfterMs))
        onFailure(new DatabaseUnavailable('unreached', 'no answer in time'))
    } else if (ticksSinceProbe >= ticksOf(probeIntervalMs)) sendProbe()
    for (const [client, watched] of clients) {
      if (watched.ticks === undefined) continue
      watched.ticks += 1
      const limit = isAway ? Math.min(watched.limit, ticksOf(unavailableAfterMs)) : (watched.ownLimit ?? watched.limit)
      if (watched.ticks > limit) abort(client)
    }
  }
  const timer = setInterval(check, tickMs).unref()

  return {
    isAway: () => isAway,
    guard: (client, isLasting) => {
      const watched: Watched = {
        ticks: undefined,
        limit: ticksOf(statementMilliseconds + graceMs),
        ownLimit: undefined,
        isLasting,
      }
      clients.set(client, watched)
      // Without a handler, an error of an idle connection would end the process.
      client.on('error', () => undefined)
      client.on('end', () => clients.delete(client))
      client.on('drain', () => {
        watched.ticks = undefined
      })
      return (text) => {
        watched.ticks ??= 0
        noteOwnLimit(watched, text)
      }
    },
    close: async () => {
      clearInterval(timer)
      pending = undefined
      probe?.destroy()
    },
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
function noteOwnLimit(watched: Watched, text: string): void {
  if (watched.ownLimit === undefined) {
    const own = /^SET LOCAL statement_timeout = (\d+)$/.exec(text)?.[1]
    if (own !== undefined) watched.ownLimit = ticksOf(Number(own) + graceMs)
  } else if (text === 'COMMIT' || text === 'ROLLBACK') watched.ownLimit = undefined
}
