import { createServer } from 'node:http'
import { join } from 'node:path'
import Koa from 'koa'
import {
  type BridgeOptions,
  fixedWrites,
  type Gateway,
  GatewayError,
  type Payload,
  payloads,
  remoteGateway,
  requireScopes,
  restBridge,
  unreadable,
} from '../rest-bridge/index.ts'
import { documents } from './account/documents.http.ts'
import { exportFiles } from './account/exports.http.ts'
import { apiKeys, newAdmission, pageChangesChannel, RateLimitError } from './account/index.ts'
import { type Config, ConfigError, secretOf } from './config.ts'
import { importFiles } from './contacts/import.http.ts'
import { type Database, openDatabase } from './db/client.ts'
import type { System } from './db/context.ts'
import { type Embedded, startEmbedded } from './db/embedded.ts'
import { isMigrated, migrate } from './db/migrate.ts'
import { unavailable } from './db/outage.ts'
import { type DatabaseWatch, watchDatabase } from './db/watch.ts'
import type { DeliverySeams, EventType, Resolve } from './events/index.ts'
import { exports } from './exports/exports.ts'
import { formPages } from './forms/form-page.http.ts'
import { setVerifiedVisitorCookie } from './forms/index.ts'
import { confirmationPages } from './funnels/confirmation.http.ts'
import { newPageStore, newVisitBuffer } from './funnels/index.ts'
import { pages } from './funnels/pages.http.ts'
import type { Admit } from './graphql/door.ts'
import { type Executor, newExecutor } from './graphql/execute.ts'
import { graphqlOverHttp } from './graphql/http.ts'
import { newStreams } from './graphql/streams.ts'
import { readTrusted } from './graphql/trusted.ts'
import { graphqlOverWebSocket } from './graphql/websocket.ts'
import { newYoga } from './graphql/yoga.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import type { ConcurrencyLimiter, Place } from './kernel/concurrency.ts'
import { Refusal } from './kernel/errors.ts'
import { type Geo, newGeo } from './kernel/geo.ts'
import { type Limiters, newLimiters } from './kernel/limiter.ts'
import type { Log } from './kernel/log.ts'
import { newMetrics } from './kernel/metrics.ts'
import { newPerMinute } from './kernel/per-minute.ts'
import { may } from './kernel/scopes.ts'
import type { TxtLookup } from './kernel/sender-policy.ts'
import { within } from './kernel/within.ts'
import { bounceWebhooks } from './mail/bounces/bounces.http.ts'
import type { FetchText } from './mail/bounces/sns.ts'
import { devMail } from './mail/delivery/dev-mail.http.ts'
import { newTxtLookup, queueSources } from './mail/index.ts'
import { trackingRoutes } from './mail/tracking/tracking.http.ts'
import { unsubscribePage } from './mail/tracking/unsubscribes.http.ts'
import { bodiesInTime, inTurn, newGates, serverOptions } from './server/gates.ts'
import { health } from './server/health.ts'
import { type MailService, newConfiguredServers, newMailSender, startMailService } from './server/mail.ts'
import { openGround } from './server/process-base.ts'
import './server/ports.ts'
import { type App, type Drain, measured, newParts, outages, type Parts, serve } from './server/listen.ts'
import { answerUnread } from './server/malformed-requests.ts'
import { schema } from './server/schema.ts'
import { enterReaders, startWork } from './server/worker.ts'

export type { App } from './server/listen.ts'

/** What a test or a benchmark puts in the place of the server's own, and what is done before a server is one. */
export interface Seams {
  /** Fills the database, once the server has its address, and before anything is sent. */
  readonly fill?: (system: System & { readonly secret: string }) => Promise<void>
  readonly clock?: Clock
  readonly limiters?: Limiters
  readonly routes?: BridgeOptions['routes']
  /** Finds the addresses of a webhook's host. */
  readonly resolve?: Resolve
  /** Reads the TXT records of a sender domain. */
  readonly txtRecords?: TxtLookup
  readonly deliveries?: DeliverySeams
  readonly fetch?: FetchText
}

/** Connections for what goes on by itself, besides those of requests. */
const backgroundConnections = 5

/** The connection that records what became of messages, and opens the next hand-overs: one statement at a time. */
const handOverConnections = 1

/** How long `/readyz` waits for the database. */
const readyMilliseconds = 1_500

/** What webhooks are told of each event: a type without a row of its own does not compile. */
const told: Readonly<Record<EventType, Payload>> = payloads

/** How often streams are asked whether their key is still good; a hint that keys changed comes long before, as a rule. */
const keysMilliseconds = 2_000

/**
 * Puts the whole together and starts it: the one place that knows every part. Fails with an error that names what stands
 * in the way; then nothing is left running.
 */
export async function startApp(config: Config, log: Log, seams: Seams = {}): Promise<App> {
  const parts = newParts(log)
  try {
    return config.roles.bridge ? await startBridge(config, log, parts) : await startServer(config, log, parts, seams)
  } catch (error) {
    await parts.close()
    throw error
  }
}

async function startServer(config: Config, log: Log, parts: Parts, seams: Seams): Promise<App> {
  const { database, background, handOvers, watch, embedded } = await openStore(config, log)
  if (embedded) parts.add(() => embedded.stop())
  for (const each of [watch, database, background, handOvers]) parts.add(() => each.close())
  const place = { url: config.baseUrl ?? '' }
  const secret = await secretOf(config)
  const metrics = newMetrics(database.pool)
  const { add } = parts
  const servers = newConfiguredServers(config, log)
  add(async () => servers.close(true))
  const ground = await openGround({
    ...{ database, background, secret, metrics, log, add },
    redisUrl: config.redisUrl,
    returnPath: config.mailReturnPath,
    post: newMailSender(servers),
    senders: { requiresVerification: config.senders === 'verified', txtRecords: seams.txtRecords ?? newTxtLookup() },
    eventRetentionDays: config.eventRetentionDays,
    trackingRetentionDays: config.trackingRetentionDays,
    webhookAllowPrivate: config.webhookAllowPrivate,
    resolve: seams.resolve,
    isServing: config.roles.api,
    baseUrl: () => place.url,
    clock: seams.clock ?? systemClock,
    told: ({ type, data }, ask) => told[type as EventType](data as never, ask as never),
  })
  const { system } = ground
  const drain: Drain = { isDraining: false, before: async () => undefined }

  const koa = new Koa({ proxy: config.trustProxy > 0, maxIpsCount: config.trustProxy })
  // Whoever stands in front speaks https with browsers, whatever it speaks with us.
  if (config.baseUrl?.startsWith('https:')) Object.defineProperty(koa.request, 'secure', { value: true })
  const server = createServer(serverOptions)
  answerUnread(server, unreadable)
  koa.on('error', (error: unknown) => log.error({ err: error }, 'a request failed'))
  koa.use(
    health({
      metrics,
      metricsToken: config.metricsToken,
      notReady: async () => {
        if (drain.isDraining) return 'stopping'
        if (watch.isAway()) return 'the database does not answer'
        const migrated = isMigrated(database.pool).catch(() => false)
        const isFit = (await within(migrated, readyMilliseconds)) && (await migrated)
        return isFit ? undefined : 'the database cannot be reached, or is not migrated'
      },
    }),
  )

  koa.use(bodiesInTime())
  koa.use(outages(log))

  let mailing: MailService | undefined
  if (config.roles.api) {
    const gates = newGates(config.poolSize, metrics)
    parts.add(async () => gates.close())
    const {
      rateLimitPerMinute: requestsPerMinute,
      costLimitPerMinute: costPerMinute,
      postsPerMinute,
      redisUrl,
    } = config
    const limiters =
      seams.limiters ?? (await newLimiters({ requestsPerMinute, costPerMinute, postsPerMinute, redisUrl, log }))
    parts.add(() => limiters.close())
    const processes = 'Processes that share the limits, as they were last counted in Redis; 1 without one.'
    metrics.watch('campanile_processes', processes, [], () => [{ labels: {}, value: limiters.processes() }])
    const admission = newAdmission({
      system,
      requests: limiters.requests,
      canCache: () => ground.hints.isConnected(),
    })
    const streams = newStreams({ schema, system, cost: limiters.cost, metrics })
    const endRevoked = () =>
      streams
        .endRevoked((holders) => apiKeys.findActive(ground.background, holders))
        .catch((error: unknown) => log.warn({ err: error }, 'the keys of streams could not be read'))
    const keyTimer = setInterval(endRevoked, keysMilliseconds)
    parts.add(async () => clearInterval(keyTimer))
    ground.on(apiKeys.keysChannel, admission.clearCache)
    ground.on(apiKeys.keysChannel, endRevoked)
    const yoga = newYoga({ schema, system, limiters, log })
    const trusted = await readTrusted(config.trustedDocuments)
    const executor = newExecutor({ yoga, schema, streams, trusted, fixedWrites: fixedWrites(), log })
    ground.lend(executor.prepare)
    const { admit } = admission
    koa.use(graphqlOverHttp({ yoga, executor, admit, gate: gates.api, metrics, secret, log }))
    koa.use(measured(metrics))
    koa.use(inTurn(gates))
    const store = newPageStore(system)
    const visits = newVisitBuffer(ground.background)
    parts.add(() => visits.stop())
    ground.on(pageChangesChannel, store.invalidate)
    const looks = newPerMinute(config.visitsPerMinute, system.clock)
    const ownHost = () => (URL.canParse(place.url) ? new URL(place.url).hostname : '')
    koa.use(pages({ system, store, visits, looks, geo: await geoOf(config), limiters, ownHost }))
    koa.use(confirmationPages(system))
    koa.use(exportFiles(system, exports))
    koa.use(documents(system))
    koa.use(importFiles(system))
    koa.use(
      trackingRoutes(system, {
        isOwnHost: (host) => host.endsWith(`.${ownHost()}`),
        remember: (http, proven) => setVerifiedVisitorCookie(http, system, proven),
      }),
    )
    koa.use(unsubscribePage(system))
    koa.use(formPages(system, limiters, looks))
    if (config.devMail) koa.use(devMail(join(config.dataDir, 'mail')))
    koa.use(bounceWebhooks({ system, keys: config.bounces, get: seams.fetch }))
    koa.use(
      restBridge({
        gateway: inProcess(admit, executor, gates.api),
        legacy: config.legacyApi,
        log,
        routes: seams.routes,
      }),
    )
    const sockets = graphqlOverWebSocket({ server, schema, executor, admit, gate: gates.api, metrics, log })
    drain.before = async () => {
      streams.stop()
      await sockets.close()
    }
  }
  await enterReaders(system)
  if (config.roles.worker) {
    await startWork({
      ground,
      directUrl: database.directUrl,
      watch,
      metrics,
      seams: seams.deliveries,
      ai: config.ai,
      add,
    })
    parts.add(async () => mailing?.stop())
    // Answers of mail servers take their time: the end of it begins with the stop, not after the last request.
    const before = drain.before
    drain.before = async () => {
      mailing?.stop().catch(() => undefined)
      await before()
    }
  }
  server.on('request', koa.callback())
  const app = await serve(server, config, database, parts, drain)
  place.url = app.address.url
  await seams.fill?.({ ...ground.background, secret })
  // What is sent holds our address, so that it begins when that is known.
  if (config.roles.worker) {
    mailing = await startMailService({ system: ground.background, db: handOvers.db, servers, config, metrics })
    ground.on(queueSources.mailChannel, mailing.wake)
  }
  return app
}

/** The bridge alone, in front of a graph that runs elsewhere. */
async function startBridge(config: Config, log: Log, parts: Parts): Promise<App> {
  const url = config.graphqlUrl as string
  const metrics = newMetrics()
  const drain: Drain = { isDraining: false, before: async () => undefined }
  const koa = new Koa()
  koa.on('error', (error: unknown) => log.error({ err: error }, 'a request failed'))
  koa.use(
    health({
      metrics,
      metricsToken: config.metricsToken,
      notReady: async () => (drain.isDraining ? 'stopping' : undefined),
    }),
  )
  koa.use(measured(metrics))
  const gates = newGates(config.poolSize, metrics)
  parts.add(async () => gates.close())
  const gateway = bounded(remoteGateway({ url, secret: await secretOf(config) }), gates.api)
  koa.use(bodiesInTime())
  koa.use(restBridge({ gateway, legacy: config.legacyApi, log }))
  const server = createServer(serverOptions, koa.callback())
  answerUnread(server, unreadable)
  return serve(server, config, noDatabase, parts, drain)
}

/** The database: through the connections of requests, through those of what goes on by itself, and those of mail. */
interface Store {
  readonly database: Database
  readonly background: Database
  readonly handOvers: Database
  readonly watch: DatabaseWatch
  readonly embedded: Embedded | undefined
}

/** Opens the database that the configuration names, or the embedded one, and brings it up to date. */
async function openStore(config: Config, log: Log): Promise<Store> {
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config.dataDir, log) : undefined
  try {
    const url = config.databaseUrl ?? (embedded as Embedded).url
    const directUrl = config.directDatabaseUrl ?? url
    await migrate(directUrl, log)
    const watch = watchDatabase({ url, log })
    const all = { url, directUrl, log, watch }
    const database = openDatabase({ ...all, poolSize: config.poolSize })
    const background = openDatabase({ ...all, poolSize: backgroundConnections })
    const handOvers = openDatabase({ ...all, poolSize: handOverConnections, isByKey: true })
    return { database, background, handOvers, watch, embedded }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/** Where visitors are, as far as the configuration lets us know. */
async function geoOf({ geo }: Config): Promise<Geo> {
  return newGeo(geo).catch((error: Error) => {
    throw new ConfigError(`GEOIP_DATABASE must be the path of a MaxMind database (.mmdb): ${error.message}`)
  })
}

/** The bridge's way to the graph in this process: no socket, no HTTP, nothing checked or counted twice. */
function inProcess(admit: Admit, executor: Executor, gate: ConcurrencyLimiter): Gateway {
  return {
    admit: async ({ authorization }) => {
      const guest = await admit(authorization).catch(refuseThrough)
      const place = takePlace(gate, guest.accountId)
      return {
        rateLimit: () => guest.requests,
        start: () => place.start().catch(refuseThrough),
        end: place.end,
        execute: async (document, variables, { idempotencyKey } = {}) => {
          const ready = {
            document,
            variables: variables as Record<string, unknown>,
            operationName: undefined,
            isFixedWrite: true,
          }
          return (await executor.run(ready, { admitted: guest, idempotencyKey, isOwnDocument: true })) as never
        },
        confirm: async (needs) => requireScopes(needs, (scope) => may(guest, scope)),
      }
    },
  }
}

/** The bridge's way to a graph elsewhere, with a bound of its own: one key must not fill the memory of this process. */
function bounded(gateway: Gateway, gate: ConcurrencyLimiter): Gateway {
  return {
    admit: async (headers) => {
      const place = takePlace(gate, headers.authorization ?? '')
      const admission = await gateway.admit(headers).catch((error: unknown) => {
        place.end()
        throw error
      })
      return { ...admission, start: () => place.start().catch(refuseThrough), end: place.end }
    },
  }
}

function takePlace(gate: ConcurrencyLimiter, holder: string | number): Place {
  try {
    return gate.arrive(holder)
  } catch (error) {
    return refuseThrough(error)
  }
}

/** Says why a request is not let in, in the bridge's words. */
function refuseThrough(error: unknown): never {
  const away = unavailable(error)
  if (away) {
    const { message, retryAfterSeconds } = away
    throw new GatewayError('UNAVAILABLE', message, { retryAfterSeconds })
  }
  if (error instanceof Refusal && error.code === 'UNAUTHORIZED') throw new GatewayError('UNAUTHORIZED', error.message)
  if (!(error instanceof RateLimitError)) throw error
  const { tally, message } = error
  throw new GatewayError('RATE_LIMITED', message, { rateLimit: tally, retryAfterSeconds: tally.resetSeconds })
}

const noDatabase = new Proxy({} as Database, {
  get: () => {
    throw new Error('A bridge has no database.')
  },
})
