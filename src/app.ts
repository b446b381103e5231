import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { type BridgeOptions, type Gateway, GatewayRefusal, remoteGateway, restBridge } from '../rest-bridge/index.ts'
import { documents } from './account/documents.http.ts'
import { apiKeys, newAdmission, Throttled } from './account/index.ts'
import { type Config, secretOf } from './config.ts'
import { contactJobs } from './contacts/index.ts'
import { type Database, openDatabase } from './db/client.ts'
import { type Embedded, startEmbedded } from './db/embedded.ts'
import { forgetOldKeys } from './db/idempotency.ts'
import { type Jobs, runJobs } from './db/jobs.ts'
import { listen } from './db/listen.ts'
import { isMigrated, migrate } from './db/migrate.ts'
import type { Admit } from './graphql/door.ts'
import { type Executor, newExecutor } from './graphql/execute.ts'
import { graphqlOverHttp } from './graphql/http.ts'
import { readTrusted } from './graphql/trusted.ts'
import { graphqlOverWebSocket } from './graphql/websocket.ts'
import { newYoga } from './graphql/yoga.ts'
import { health } from './health.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import type { System } from './kernel/context.ts'
import { Refusal } from './kernel/errors.ts'
import { type Limiters, newLimiters } from './kernel/limiter.ts'
import type { Log } from './kernel/log.ts'
import { type Metrics, newMetrics } from './kernel/metrics.ts'
import './ports.ts'
import { schema } from './schema.ts'

/** A server that runs. */
export interface App {
  readonly address: { host: string; port: number; url: string }
  readonly database: Database
  /** Finishes what runs, then stops; what does not finish in time is cut off. */
  close(): Promise<void>
}

/** What a test or a benchmark puts in the place of the server's own. */
export interface Seams {
  readonly clock?: Clock
  readonly limiters?: Limiters
  readonly routes?: BridgeOptions['routes']
}

/** How long requests may take to finish once the server is told to stop. */
const drainMilliseconds = 5_000

/** What every room does in the background, and what the ground floor does. */
const jobs: Jobs = { ...contactJobs, 'idempotency:forget': forgetOldKeys }

/** Each job that runs by the clock, as a line of a crontab (UTC). */
const crontab = '17 * * * * idempotency:forget'

/**
 * Puts the whole together and starts it: the one place that knows every part. Fails with an error that names what stands
 * in the way; then nothing is left running.
 */
export async function startApp(config: Config, log: Log, seams: Seams = {}): Promise<App> {
  const parts = newParts()
  try {
    return config.roles.bridge ? await startBridge(config, log, parts) : await startServer(config, log, parts, seams)
  } catch (error) {
    await parts.close()
    throw error
  }
}

async function startServer(config: Config, log: Log, parts: Parts, seams: Seams): Promise<App> {
  const { database, embedded } = await openStore(config, log)
  if (embedded) parts.add(() => embedded.stop())
  parts.add(() => database.close())
  const hearers: Record<string, () => void> = {}
  const heard = (channel: string) => hearers[channel]?.()
  const place = { url: config.baseUrl ?? '' }
  const baseUrl = () => place.url
  const system: System = { db: database.db, log, clock: seams.clock ?? systemClock, heard, baseUrl }
  const metrics = newMetrics(database.pool)
  const drain: Drain = { isDraining: false, before: async () => undefined }
  const secret = await secretOf(config)

  const koa = new Koa()
  const server = createServer({ keepAliveTimeout: 65_000 })
  koa.on('error', (error: unknown) => log.error({ err: error }, 'a request failed'))
  koa.use(
    health({
      metrics,
      notReady: async () => {
        if (drain.isDraining) return 'stopping'
        return (await isMigrated(database.pool).catch(() => false))
          ? undefined
          : 'the database cannot be reached, or is not migrated'
      },
    }),
  )

  if (config.roles.api) {
    const { rateLimitPerMinute: requestsPerMinute, redisUrl } = config
    const limiters = seams.limiters ?? (await newLimiters({ requestsPerMinute, redisUrl, log }))
    parts.add(() => limiters.close())
    const admission = newAdmission({ system, requests: limiters.requests, mayRemember: () => hints.isConnected() })
    hearers[apiKeys.keysChannel] = admission.forget
    const hints = await listen(database.directUrl, hearers, log)
    parts.add(() => hints.close())
    const yoga = newYoga({ schema, system, limiters, log })
    const executor = newExecutor(yoga, await readTrusted(config.trustedDocuments), log)
    const { admit } = admission
    koa.use(graphqlOverHttp({ yoga, executor, admit, metrics, secret, log }))
    koa.use(measured(metrics))
    koa.use(documents(system))
    koa.use(restBridge({ gateway: inProcess(admit, executor), legacy: config.legacyApi, log, routes: seams.routes }))
    const sockets = graphqlOverWebSocket({ server, schema, executor, admit, metrics })
    drain.before = () => sockets.close()
  }
  if (config.roles.worker) {
    const worker = await runJobs({ system, directUrl: database.directUrl, jobs, crontab, log })
    parts.add(() => worker.stop())
  }
  server.on('request', koa.callback())
  const app = await serve(server, config, database, parts, drain)
  place.url = app.address.url
  return app
}

/** The bridge alone, in front of a graph that runs elsewhere. */
async function startBridge(config: Config, log: Log, parts: Parts): Promise<App> {
  const url = config.graphqlUrl as string
  const metrics = newMetrics()
  const drain: Drain = { isDraining: false, before: async () => undefined }
  const koa = new Koa()
  koa.on('error', (error: unknown) => log.error({ err: error }, 'a request failed'))
  koa.use(health({ metrics, notReady: async () => (drain.isDraining ? 'stopping' : undefined) }))
  koa.use(measured(metrics))
  koa.use(
    restBridge({ gateway: remoteGateway({ url, secret: await secretOf(config) }), legacy: config.legacyApi, log }),
  )
  return serve(createServer({ keepAliveTimeout: 65_000 }, koa.callback()), config, noDatabase, parts, drain)
}

/** Opens the database that the configuration names, or the embedded one, and brings it up to date. */
async function openStore(config: Config, log: Log): Promise<{ database: Database; embedded?: Embedded }> {
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config.dataDir, log) : undefined
  try {
    const url = config.databaseUrl ?? (embedded as Embedded).url
    const directUrl = config.directDatabaseUrl ?? url
    await migrate(directUrl, log)
    const database = openDatabase({ url, directUrl, poolSize: config.poolSize, log })
    return embedded ? { database, embedded } : { database }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/** The bridge's way to the graph in this process: no socket, no HTTP, nothing checked or counted twice. */
function inProcess(admit: Admit, executor: Executor): Gateway {
  return {
    admit: async ({ authorization }) => {
      const guest = await admit(authorization).catch((error: unknown) => {
        if (error instanceof Refusal && error.code === 'UNAUTHORIZED')
          throw new GatewayRefusal('UNAUTHORIZED', error.message)
        if (!(error instanceof Throttled)) throw error
        const { tally, message } = error
        throw new GatewayRefusal('RATE_LIMITED', message, { rateLimit: tally, retryAfterSeconds: tally.resetSeconds })
      })
      return {
        rateLimit: () => guest.requests,
        execute: async (document, variables, { idempotencyKey } = {}) => {
          const ready = { document, variables: variables as Record<string, unknown>, operationName: undefined }
          return (await executor.run(ready, { admitted: guest, idempotencyKey, isOwnDocument: true })) as never
        },
        confirm: async () => undefined,
      }
    },
  }
}

/** Counts every answer of the bridge under its route as it stands in the route table. */
function measured(metrics: Metrics): Koa.Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now()
    await next()
    const { route } = ctx.state as { route?: { door: string; path: string } }
    const labels = { door: route?.door ?? 'http', route: route?.path ?? 'none', status: ctx.status }
    metrics.request(labels, (performance.now() - startedAt) / 1000)
  }
}

async function serve(server: Server, config: Config, database: Database, parts: Parts, drain: Drain): Promise<App> {
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
interface Drain {
  isDraining: boolean
  before: () => Promise<void>
}

/** What was started, to be stopped in the opposite order. */
interface Parts {
  add(stop: () => Promise<unknown>): void
  close(): Promise<void>
}

function newParts(): Parts {
  const stops: (() => Promise<unknown>)[] = []
  return {
    add: (stop) => stops.push(stop),
    close: async () => {
      for (const stop of stops.splice(0).reverse()) await stop()
    },
  }
}

const noDatabase = new Proxy({} as Database, {
  get: () => {
    throw new Error('A bridge has no database.')
  },
})
