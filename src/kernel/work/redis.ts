import type { createClient } from 'redis'
import type { Log } from '../telemetry/log.ts'

export type RedisClient = ReturnType<typeof createClient>

/**
 * Timeout of a command, in milliseconds, and the parts in which it passes. After a timeout Redis is unavailable, and no request
 * waits for it. While this process is busy no part ends, because what it has not read says nothing about Redis.
 */
const [commandTimeoutMs, timeoutParts] = [250, 5]

/** Interval at which an unavailable Redis is probed, in milliseconds. */
const probeIntervalMs = 1_000

/** Maximum time that the start of the process waits for Redis, in milliseconds. */
const startTimeoutMs = 1_000

/** Time without data after which the connection is opened again, and interval of pings, in milliseconds. */
const socketTimeoutMs = 6_000
const pingIntervalMs = 2_000

/** A Redis that may be unavailable. All commands settle within the command timeout. */
export interface Redis {
  /** Returns whether Redis is available. */
  isUp(): boolean
  /** Runs a command. Returns undefined if Redis is unavailable or does not respond within 250 ms. */
  run<Result>(command: (client: RedisClient) => Promise<Result>): Promise<Result | undefined>
  /** Closes the connection without waiting for Redis. */
  close(): void
}

/**
 * Connects to Redis, and reconnects while it is unavailable. After a command without a response, no further command is
 * sent until a probe succeeds, so that a request waits at most once.
 *
 * `onReady` is called after each connect. `consequence` completes the log message about an unavailable Redis.
 */
export async function openRedis(options: {
  url: string
  consequence: string
  log: Log
  onReady?: (client: RedisClient) => void
}): Promise<Redis> {
  const { url, consequence, log, onReady } = options
  // Loaded here, so that processes without Redis do not load its client.
  const redis = await import('redis')
  const client: RedisClient = redis.createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: pingIntervalMs,
    socket: {
      connectTimeout: socketTimeoutMs,
      socketTimeout: socketTimeoutMs,
      reconnectStrategy: (tries: number) => Math.min(tries * 100, 2_000),
    },
  })
  let isUnavailable = false
  const markUnavailable = (error: unknown) => {
    if (!isUnavailable) log.warn({ err: error }, `Redis is unavailable; ${consequence}`)
    isUnavailable = true
  }
  const markAvailable = () => {
    if (isUnavailable) log.info('Redis is available again')
    isUnavailable = false
  }
  client.on('error', markUnavailable)
  client.on('ready', () => {
    markAvailable()
    onReady?.(client)
  })
  const responseOf = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
    withTimeout(work).catch((error: unknown) => {
      markUnavailable(error)
      return undefined
    })
  const probe = setInterval(() => {
    if (isUnavailable && client.isReady)
      responseOf(client.ping()).then((answer) => answer !== undefined && markAvailable())
  }, probeIntervalMs).unref()
  const connected = client.connect().catch(markUnavailable)
  let timer: NodeJS.Timeout | undefined
  await Promise.race([connected, new Promise((resolve) => (timer = setTimeout(resolve, startTimeoutMs)))])
  clearTimeout(timer)
  const isUp = () => !isUnavailable && client.isReady
  return {
    isUp,
    run: async (command) => (isUp() ? responseOf(command(client)) : undefined),
    close: () => {
      clearInterval(probe)
      if (client.isOpen) client.destroy()
    },
  }
}

/** Returns the result of work. Rejects if it takes longer than the command timeout. */
function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let left = timeoutParts
    const timer = setInterval(() => {
      left -= 1
      if (left > 0) return
      clearInterval(timer)
      // A response that arrived meanwhile is read first.
      setImmediate(() => reject(new Error(`no response within ${commandTimeoutMs} ms`)))
    }, commandTimeoutMs / timeoutParts)
    work.then(resolve, reject).finally(() => clearInterval(timer))
  })
}
