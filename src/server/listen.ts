import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Middleware } from 'koa'
import type { Database } from '../db/client.ts'
import { unavailable } from '../db/outage.ts'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { within } from '../kernel/within.ts'

/** A server that runs. */
export interface App {
  readonly address: { host: string; port: number; url: string }
  readonly database: Database
  /** Finishes what runs, then stops; what does not finish in time is cut off. */
  close(): Promise<void>
}

/** How long requests may take to finish once the server is told to stop. */
const drainMilliseconds = 5_000

/** Counts every answer of the bridge under its route as it stands in the route table. */
export function measured(metrics: Metrics): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now()
    await next()
    const { route } = ctx.state as { route?: { door: string; path: string } }
    const labels = { door: route?.door ?? 'http', route: route?.path ?? 'none', status: ctx.status }
    metrics.request(labels, (performance.now() - startedAt) / 1000)
  }
}

/** What of the configuration is about listening. */
interface Listening {
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
}

/** Listens, and answers the server that then runs: told to stop, it finishes what runs, for a while. */
export async function serve(
  server: Server,
  config: Listening,
  database: Database,
  parts: Parts,
  drain: Drain,
): Promise<App> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo
  const { host } = config
  const url = config.baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  parts.add(async () => {
    drain.isDraining = true
    const closed = new Promise((resolve) => server.close(resolve))
    await drain.before()
    const deadline = setTimeout(() => server.closeAllConnections(), drainMilliseconds)
    await closed
    clearTimeout(deadline)
  })
  return { address: { host, port, url }, database, close: () => parts.close() }
}

/** How a server stops: it says that it does, and ends what HTTP does not end by itself. */
export interface Drain {
  isDraining: boolean
  before: () => Promise<void>
}

/** What was started, to be stopped in the opposite order. */
export interface Parts {
  add(stop: () => Promise<unknown>): void
  close(): Promise<void>
}

/** How long all of it may take to stop, and each part at least, whatever those before it took: in milliseconds. */
const [stoppingMilliseconds, leastMilliseconds] = [8_000, 200]

/**
 * None so far. A part that fails to stop, or hangs, because what it needs is away, is written into the log and keeps none of
 * the others from stopping.
 */
export function newParts(log: Log): Parts {
  const stops: (() => Promise<unknown>)[] = []
  return {
    add: (stop) => stops.push(stop),
    close: async () => {
      const deadline = performance.now() + stoppingMilliseconds
      for (const stop of stops.splice(0).reverse()) {
        const left = Math.max(deadline - performance.now(), leastMilliseconds)
        const stopped = stop().catch((error: unknown) => log.warn({ err: error }, 'a part did not stop well'))
        if (!(await within(stopped, left))) log.warn('a part did not stop in time')
      }
    },
  }
}

/**
 * Answers 503 with `Retry-After` where a handler failed because the database does not answer, and says when to come again
 * where a handler answers 503 by itself.
 */
export function outages(log: Log): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const away = unavailable(error)
      if (!away) throw error
      log.error({ err: error }, 'the database gave no answer')
      ctx.status = 503
      ctx.set('Retry-After', String(away.retryAfterSeconds))
      ctx.body = { message: away.message }
    }
    if (ctx.status === 503 && !ctx.response.get('Retry-After')) ctx.set('Retry-After', String(usualRetrySeconds))
  }
}

/** After how long a client is to try again, where nothing else is known, in seconds. */
const usualRetrySeconds = 2
