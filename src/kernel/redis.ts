import type { createClient } from 'redis'
import type { Log } from './log.ts'

export type RedisClient = ReturnType<typeof createClient>

/** How long a command may take; after that Redis counts as away, and nobody waits for it. */
const commandMilliseconds = 250

/** How often a Redis that is away is asked whether it is back. */
const probeEvery = 1_000

/** How long a start waits for Redis. */
const patienceMilliseconds = 1_000

/** After how long without a byte from Redis, which is asked for one every two seconds, its connection is made anew. */
const silentMilliseconds = 6_000
const pingMilliseconds = 2_000

/** A Redis that may be away, or hang: whatever is asked of it has an answer at once, or soon. */
export interface Redis {
  /** Whether it answers. */
  isUp(): boolean
  /** Runs a command; undefined where Redis is away, or gives no answer within 250 ms. */
  run<Result>(command: (client: RedisClient) => Promise<Result>): Promise<Result | undefined>
  /** Ends the connection, without a word where none would be heard. */
  close(): void
}

/**
 * Connects to Redis, and goes on trying while it is away. After one command without an answer no further one is sent until
 * Redis has answered a question of this module's own, so that a request waits once at most.
 *
 * `onReady` is called after each connect; `consequence` is what the log says of the absence of Redis.
 */
export async function openRedis(options: {
  url: string
  consequence: string
  log: Log
  onReady?: (client: RedisClient) => void
}): Promise<Redis> {
  const { url, consequence, log, onReady } = options
  // A start that needs no Redis does not load its client.
  const redis = await import('redis')
  const client: RedisClient = redis.createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: pingMilliseconds,
    socket: {
      connectTimeout: silentMilliseconds,
      socketTimeout: silentMilliseconds,
      reconnectStrategy: (tries: number) => Math.min(tries * 100, 2_000),
    },
  })
  let isAway = false
  const gone = (error: unknown) => {
    if (!isAway) log.warn({ err: error }, `Redis does not answer; ${consequence}`)
    isAway = true
  }
  const back = () => {
    if (isAway) log.info('Redis answers again')
    isAway = false
  }
  client.on('error', gone)
  client.on('ready', () => {
    back()
    onReady?.(client)
  })
  const answerOf = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
    inTime(work).catch((error: unknown) => {
      gone(error)
      return undefined
    })
  const probe = setInterval(() => {
    if (isAway && client.isReady) answerOf(client.ping()).then((answer) => answer !== undefined && back())
  }, probeEvery).unref()
  const connected = client.connect().catch(gone)
  let timer: NodeJS.Timeout | undefined
  await Promise.race([connected, new Promise((resolve) => (timer = setTimeout(resolve, patienceMilliseconds)))])
  clearTimeout(timer)
  const isUp = () => !isAway && client.isReady
  return {
    isUp,
    run: async (command) => (isUp() ? answerOf(command(client)) : undefined),
    close: () => {
      clearInterval(probe)
      if (client.isOpen) client.destroy()
    },
  }
}

/** Waits for an answer, but no longer than a command may take; fails then. */
function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    // An answer that lies there already, because this process was busy, is read before the time is taken to be over.
    const late = () => setImmediate(() => reject(new Error(`no answer within ${commandMilliseconds} ms`)))
    const timer = setTimeout(late, commandMilliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
