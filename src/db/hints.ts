import { randomUUID } from 'node:crypto'
import type { Log } from '../kernel/log.ts'
import { openRedis, type RedisClient } from '../kernel/redis.ts'
import type { Database } from './client.ts'
import { type Listener, listen } from './listen.ts'

/** Who hears on which channel; called with no data, for a hint is none. */
export type Hearers = Readonly<Record<string, () => void>>

/** What processes tell each other: that there is something new, never what. */
export interface Hints extends Listener {
  /**
   * Hints to this process and all others, once in ten milliseconds at most; waits for nothing. Must not be called within
   * a transaction: commits that notify queue behind one lock.
   */
  tell(channel: string): void
}

/** So long hints on a channel are one. */
const together = 10

/**
 * Hints among processes: by PostgreSQL's notifications, or by Redis where there is one and it can be reached. A hint that
 * is lost costs a moment, so whoever relies on hints must also look by itself.
 */
export async function openHints(options: {
  database: Database
  redisUrl?: string | undefined
  hearers: Hearers
  log: Log
}): Promise<Hints> {
  const { database, hearers, log } = options
  // What we sent ourselves we have heard already.
  const sender = randomUUID()
  const channels = Object.fromEntries(
    Object.entries(hearers).map(([channel, hear]) => [
      channel,
      (payload: string | undefined) => {
        if (payload !== sender) hear()
      },
    ]),
  )
  const listener = await listen(database, channels, log)
  const redis = options.redisUrl === undefined ? undefined : await openHintsInRedis(options.redisUrl, channels, log)
  /** The channels on which a hint went out just now, and whether another is asked for since. */
  const recent = new Map<string, { isAsked: boolean; timer: NodeJS.Timeout }>()

  const publish = async (channel: string) => {
    if (await redis?.publish(channel, sender)) return
    await database.pool.query('SELECT pg_notify($1, $2)', [channel, sender])
  }
  const send = (channel: string) => {
    hearers[channel]?.()
    publish(channel).catch((error: unknown) => log.debug({ err: error }, 'a hint was lost'))
  }
  // The first of a burst goes at once; what comes soon after it goes together.
  const tell = (channel: string) => {
    const last = recent.get(channel)
    if (last) {
      last.isAsked = true
      return
    }
    send(channel)
    const timer = setTimeout(() => {
      const { isAsked } = recent.get(channel) ?? {}
      recent.delete(channel)
      if (isAsked) tell(channel)
    }, together)
    recent.set(channel, { isAsked: false, timer })
  }
  return {
    isConnected: listener.isConnected,
    tell,
    close: async () => {
      for (const { timer } of recent.values()) clearTimeout(timer)
      await listener.close()
      redis?.close()
    },
  }
}

/** A Redis to publish to and to hear from. While it is away `publish` answers false. */
async function openHintsInRedis(
  url: string,
  channels: Readonly<Record<string, (payload: string | undefined) => void>>,
  log: Log,
): Promise<{ publish(channel: string, payload: string): Promise<boolean>; close(): void }> {
  const consequence = 'hints go by PostgreSQL'
  const subscribed = new WeakSet<RedisClient>()
  const onReady = (client: RedisClient) => {
    // What was hinted at meanwhile never arrives, so everyone looks after each connect. Subscriptions renew themselves.
    for (const hear of Object.values(channels)) hear(undefined)
    if (subscribed.has(client)) return
    subscribed.add(client)
    const all = Object.entries(channels).map(([channel, hear]) => client.subscribe(channel, hear))
    Promise.all(all).catch((error: unknown) => {
      subscribed.delete(client)
      log.debug({ err: error }, 'the channels of Redis could not be subscribed to')
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
