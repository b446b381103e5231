import pg from 'pg'
import type { Log } from '../kernel/log.ts'
import type { Database } from './client.ts'
import type { Ctx, System } from './context.ts'
import { connectMilliseconds, destroy, endClient } from './watch.ts'

/** Waits this long before it tries to connect again, so that a server that restarts is not flooded. */
const retryMilliseconds = 500

export interface Listener {
  /** Whether hints arrive now; while not, what they would keep fresh must be read anew. */
  isConnected(): boolean
  close(): Promise<void>
}

/**
 * Hears PostgreSQL's notifications on a connection of its own and reconnects when that is lost. A notification is a hint:
 * those sent while disconnected never arrive, so every channel's handler is also called after each connect.
 */
export async function listen(
  { directUrl, watch }: Pick<Database, 'directUrl' | 'watch'>,
  channels: Readonly<Record<string, (payload: string | undefined) => void>>,
  log: Log,
): Promise<Listener> {
  let client: pg.Client | undefined
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: directUrl,
      application_name: 'campanile hints',
      keepAlive: true,
      connectionTimeoutMillis: connectMilliseconds,
    })
    watch?.guard(next, { isLasting: true })
    const lost = (error?: Error) => {
      if (client === next) client = undefined
      next.removeAllListeners('end')
      destroy(next)
      if (isClosed || timer) return
      log.warn({ err: error }, 'hints are cut off; connecting again')
      timer = setTimeout(() => {
        timer = undefined
        connect().catch(lost)
      }, retryMilliseconds)
    }
    next.on('error', lost)
    next.on('end', () => lost())
    next.on('notification', ({ channel, payload }) => channels[channel]?.(payload))
    try {
      await next.connect()
      for (const channel of Object.keys(channels)) await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      lost(error as Error)
      return
    }
    client = next
    for (const wake of Object.values(channels)) wake(undefined)
  }
  await connect()
  return {
    isConnected: () => client !== undefined,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      if (client) await endClient(client)
    },
  }
}

/**
 * Tells every process, with no data, that something changed: this one at once, the others by a notification. In an open
 * transaction both wait for the commit, so that nobody looks too early.
 */
export async function hint(system: System & Pick<Ctx, 'afterCommit'>, channel: string): Promise<void> {
  await system.db.$executeRaw`SELECT pg_notify(${channel}, '')`
  const tell = () => system.heard?.(channel)
  if (system.afterCommit) system.afterCommit(tell)
  else tell()
}
