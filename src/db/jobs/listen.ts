import pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Database } from '../client.ts'
import type { Ctx, System } from '../context.ts'
import { Connection } from '../driver/index.ts'

/** Pause before reconnecting, in milliseconds, so that a restarting database is not flooded. */
const reconnectDelayMs = 500

export interface Listener {
  /** Returns whether notifications arrive. If not, caches that depend on them are stale. */
  isConnected(): boolean
  close(): Promise<void>
}

/**
 * Listens to PostgreSQL's notifications on a separate connection, and reconnects when it is lost. Notifications sent while
 * disconnected are lost, so the handler of each channel is also called after each connect.
 */
export async function listen(
  { directUrl, watch }: Pick<Database, 'directUrl' | 'watch'>,
  channels: Readonly<Record<string, (payload: string | undefined) => void>>,
  log: Log,
): Promise<Listener> {
  let client: Connection | undefined
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const next = new Connection({
      connectionString: directUrl,
      application_name: 'campanile hints',
      watch,
      isLasting: true,
    })
    const lost = (error?: Error) => {
      if (client === next) client = undefined
      next.removeAllListeners('end')
      next.destroy()
      if (isClosed || timer) return
      log.warn({ err: error }, 'the connection for notifications was lost; reconnecting')
      timer = setTimeout(() => {
        timer = undefined
        connect().catch(lost)
      }, reconnectDelayMs)
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
    for (const handle of Object.values(channels)) handle(undefined)
  }
  await connect()
  return {
    isConnected: () => client !== undefined,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      if (client) await client.close()
    },
  }
}

/**
 * Notifies the listeners of a channel in all processes, without data: in this process directly, in others by PostgreSQL. In
 * an open transaction both wait for the commit, so that listeners see its changes.
 */
export async function hint(system: System & Pick<Ctx, 'afterCommit'>, channel: string): Promise<void> {
  await system.db.$executeRaw`SELECT pg_notify(${channel}, '')`
  const notifyLocal = () => system.notifyLocal(channel)
  if (system.afterCommit) system.afterCommit(notifyLocal)
  else notifyLocal()
}
