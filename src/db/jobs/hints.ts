import { randomUUID } from 'node:crypto'
import type { Log } from '../../kernel/telemetry/log.ts'
import { openRedis, type RedisClient } from '../../kernel/work/redis.ts'
import type { Database } from '../client.ts'
import { type Listener, listen } from './listen.ts'

/**
 * The handler of each channel. Notifications carry no data. `isSent` is false if none was sent: after a connect, because some may
 * have been lost before.
 */
type ChannelHandlers = Readonly<Record<string, (isSent: boolean) => void>>

/** Notifications between processes: that a channel has something new, never what. */
export interface Hints extends Listener {
  /**
   * Notifies this process and all others, at most once in 10 milliseconds. Does not wait. Must not be called within a
   * transaction, because commits that notify queue behind one lock.
   */
  notify(channel: string): void
}

/** Notifications on a channel within this time become one, in milliseconds. */
const batchIntervalMs = 10

/**
 * Opens notifications between processes: through Redis if it is configured and reachable, otherwise through PostgreSQL. A
 * notification can be lost, so listeners must also poll.
 */
export async function openHints(options: {
  database: Database
  redisUrl?: string | undefined
  handlers: ChannelHandlers
  /** Returns whether the notifications of a channel are for this process alone at the moment. */
  isOwn: (channel: string) => boolean
  log: Log
}): Promise<Hints> {
  const { database, handlers, isOwn, log } = options
  // Identifies notifications of this process, which has called its handlers already.
  const sender = randomUUID()
  const channels = Object.fromEntries(
    Object.entries(handlers).map(([channel, handle]) => [
      channel,
      (payload: string | undefined) => {
        if (payload !== sender) handle(payload !== undefined)
      },
    ]),
  )
  const listener = await listen(database, channels, log)
  const redis = options.redisUrl === undefined ? undefined : await openHintsInRedis(options.redisUrl, channels, log)
  /** Channels with a recent notification, and whether another one is pending. */
  const recent = new Map<string, { isPending: boolean; timer: NodeJS.Timeout }>()

  const publish = async (channel: string) => {
    if (await redis?.publish(channel, sender)) return
    await database.pool.query('SELECT pg_notify($1, $2)', [channel, sender])
  }
  const send = (channel: string) => {
    handlers[channel]?.(true)
    if (isOwn(channel)) return
    publish(channel).catch((error: unknown) => log.debug({ err: error }, 'a notification was lost'))
  }
  // The first notification of a burst is sent immediately, the others together.
  const notify = (channel: string) => {
    const last = recent.get(channel)
    if (last) {
      last.isPending = true
      return
    }
    send(channel)
    const timer = setTimeout(() => {
      const { isPending } = recent.get(channel) ?? {}
      recent.delete(channel)
      if (isPending) notify(channel)
    }, batchIntervalMs)
    recent.set(channel, { isPending: false, timer })
  }
  return {
    isConnected: listener.isConnected,
    notify,
    close: async () => {
      for (const { timer } of recent.values()) clearTimeout(timer)
      await listener.close()
      redis?.close()
    },
  }
}

/** Opens notifications through Redis. `publish` returns false while Redis is unavailable. */
async function openHintsInRedis(
  url: string,
  channels: Readonly<Record<string, (payload: string | undefined) => void>>,
  log: Log,
): Promise<{ publish(channel: string, payload: string): Promise<boolean>; close(): void }> {
  const consequence = 'notifications use PostgreSQL'
  const subscribed = new WeakSet<RedisClient>()
  const onReady = (client: RedisClient) => {
    // Notifications sent while disconnected are lost, so all handlers are called. The client renews its subscriptions.
    for (const handle of Object.values(channels)) handle(undefined)
    if (subscribed.has(client)) return
    subscribed.add(client)
    const all = Object.entries(channels).map(([channel, handle]) => client.subscribe(channel, handle))
    Promise.all(all).catch((error: unknown) => {
      subscribed.delete(client)
      log.debug({ err: error }, 'the subscription to Redis channels failed')
    })
  }
  const [out, back] = await Promise.all([
    openRedis({ url, consequence, log }),
    openRedis({ url, consequence, log, onReady }),
  ])
  return {
    publish: async (channel, payload) => (await out.run((client) => client.publish(channel, payload))) !== undefined,
    close: () => {
      for (const each of [out, back]) each.close()
    },
  }
}
