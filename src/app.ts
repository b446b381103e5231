import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { type BridgeOptions, payloadOf, remoteGateway, restBridge, unreadable } from '../rest-bridge/index.ts'
import { type Config, ConfigError, secretOf } from './config.ts'
import { newMediaStore } from './content/index.ts'
import type { Database } from './db/client.ts'
import type { System } from './db/context.ts'
import { type DeliverySeams, declarationOf, type EventType, type Resolve } from './events/index.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { missing } from './kernel/missing.ts'
import { portsMustBeFilled } from './kernel/ports.ts'
import { accessLogOf, type Log } from './kernel/telemetry/log.ts'
import { type Metrics, newMetrics } from './kernel/telemetry/metrics.ts'
import { type Geo, newGeo } from './kernel/web/geo.ts'
import { busyChannel, defaultShare, newPacing, newTraffic } from './kernel/work/pacing.ts'
import type { Limiters } from './kernel/work/rate-limiter.ts'
import { newRefusalPace, type RefusalPace } from './kernel/work/refusal-pace.ts'
import type { FetchText } from './mail/bounces/sns.ts'
import { type MailServices, newTxtLookup, queueSources } from './mail/index.ts'
import { newGraphqlApi } from './server/api/graphql-api.ts'
import { newConsoleHosts } from './server/console/console-hosts.ts'
import { newConcurrencyLimiters, serverOptions } from './server/http/concurrency-limits.ts'
import { type Health, healthRoutes } from './server/http/health.http.ts'
import { newRequestListener } from './server/http/koa.ts'
import { type App, listen, type Shutdown } from './server/http/listen.ts'
import { handleMalformedRequests } from './server/http/malformed-requests.ts'
import type { ClientTimeouts } from './server/http/slow-clients.ts'
import { openConfiguredReplicas, openDatabases, reasonNotReady } from './server/processes/databases.ts'
import { type MailService, newConfiguredServers, newMailSender, startMailService } from './server/processes/mail.ts'
import { newParts, type Parts } from './server/processes/parts.ts'
import { openProcessBase, type ProcessBase } from './server/processes/process-base.ts'
import './server/ports.ts'
import { limitGateway, newLocalGateway } from './server/api/rest-gateway.ts'
import { openRateLimiters } from './server/processes/rate-limiters.ts'
import { recordAddress } from './server/processes/server-address.ts'
import { startTracing } from './server/processes/tracing.ts'
import { registerReaders, startWorker } from './server/processes/worker.ts'
import { newPublicServices } from './server/public-services.ts'
import { type ApiServices, apiRoutes, bridgeRoutes } from './server/routes.ts'

export type { App } from './server/http/listen.ts'

/** Replacements of the server's own parts in tests and benchmarks. */
export interface Seams {
  /** Fills the database after the server has its address, and before it sends anything. */
  readonly fill?: (system: System) => Promise<void>
  readonly clock?: Clock
  readonly limiters?: Limiters
  readonly pace?: RefusalPace
  readonly timeouts?: ClientTimeouts
  /** Time in which a direct message must be sent, in milliseconds. */
  readonly directMailTimeoutMs?: number
  readonly routes?: BridgeOptions['routes']
  /** Resolves the host of a webhook to addresses. */
  readonly resolve?: Resolve
  /** Reads the TXT records of a sender domain. */
  readonly txtRecords?: MailServices['txtRecords']
  readonly deliveries?: DeliverySeams
  /** Maximum number of rows of campaigns and sequences that change at once. A job changes the others. */
  readonly maxRowsAtOnce?: number
  readonly fetch?: FetchText
  /** Folder of the migrations: a version with more of them, beside this one. */
  readonly migrations?: string
}

/** Starts all parts of a process. Throws an error that names what prevents the start, and stops the parts again. */
export async function startApp(config: Config, log: Log, seams: Seams = {}): Promise<App> {
  portsMustBeFilled()
  const parts = newParts(log)
  try {
    await startTracing(config.tracing, log, parts)
    return config.roles.bridge ? await startBridge(config, log, parts) : await startServer(config, log, parts, seams)
  } catch (error) {
    await parts.close()
    throw error
  }
}

/** What the functions that build a server share. */
interface Build {
  readonly config: Config
  readonly log: Log
  readonly parts: Parts
  readonly seams: Seams
  readonly secret: string
  readonly metrics: Metrics
  readonly shutdown: Shutdown
}

async function startServer(config: Config, log: Log, parts: Parts, seams: Seams): Promise<App> {
  const databases = await openDatabases({ ...config, migrations: seams.migrations }, log, parts)
  const secret = await secretOf(config)
  const metrics = newMetrics(databases.requests.pool)
  const pacing = newPacing({
    share: config.backgroundShare ?? defaultShare(availableParallelism()),
    count: metrics.background,
  })
  const replicas = openConfiguredReplicas({ settings: config, primary: databases.requests, metrics, log, parts })
  const shutdown: Shutdown = { isStopping: false, beforeDrain: async () => undefined }
  const build: Build = { config, log, parts, seams, secret, metrics, shutdown }
  const address = { url: config.baseUrl ?? '' }
  const servers = newConfiguredServers(config, log)
  parts.add(async () => servers.close(true))
  const base = await openProcessBase({
    ...{ database: databases.requests, background: databases.background, replicas, secret, metrics, log, parts },
    redisUrl: config.redisUrl,
    services: {
      mail: {
        send: newMailSender(servers, seams.directMailTimeoutMs),
        forget: servers.forget,
        returnPath: config.mailReturnPath,
        requiresVerifiedSenders: config.senders === 'verified',
        txtRecords: seams.txtRecords ?? newTxtLookup(),
      },
      finance: { fontsFolder: config.fontsFolder },
    },
    eventRetentionDays: config.eventRetentionDays,
    trackingRetentionDays: config.trackingRetentionDays,
    webhookAllowPrivate: config.webhookAllowPrivate,
    resolve: seams.resolve,
    isServing: config.roles.api,
    baseUrl: () => address.url,
    consoleUrl: () => config.consoleUrl ?? address.url,
    clock: seams.clock ?? systemClock,
    pacing,
    maxRowsAtOnce: seams.maxRowsAtOnce,
    resource: ({ type, data }, query) =>
      payloadOf(declarationOf(type as EventType).kind)(data as never, query as never, type),
  })

  const health = newHealth(build, () => reasonNotReady(databases, seams.migrations))
  const server = createServer(serverOptions)
  handleMalformedRequests(server, unreadable)
  const api = config.roles.api ? await newApi(base, health, build) : undefined
  if (api) shutdown.beforeDrain = api.serveWebSockets(server)
  await registerReaders(base.system)
  let mailing: MailService | undefined
  if (config.roles.worker) {
    const { watch, requests } = databases
    const { directUrl } = requests
    const { ai, auditRetentionDays, trackingRetentionDays } = config
    const retention = { auditRetentionDays, trackingRetentionDays }
    const media = newMediaStore(config.mediaStore)
    await startWorker({ base, directUrl, watch, metrics, seams: seams.deliveries, ai, media, ...retention, parts })
    parts.add(async () => mailing?.stop())
    const { beforeDrain } = shutdown
    shutdown.beforeDrain = async () => {
      // Mail servers respond slowly, so deliveries stop together with the requests, not after them.
      mailing?.stop().catch(() => undefined)
      await beforeDrain()
    }
  }
  // Stopped first: a job that pauses is not waited for.
  parts.add(async () => pacing.stop())
  const http = { ...config, metrics, log, timeouts: seams.timeouts }
  server.on(
    'request',
    api ? newRequestListener(api, http) : newRequestListener({ routes: healthRoutes, services: health }, http),
  )
  const app = await listen(server, config, databases.requests, parts, shutdown)
  address.url = app.address.url
  if (config.databaseUrl === undefined && config.roles.api) {
    const urls = { url: address.url, consoleUrl: base.system.consoleUrl() }
    parts.add(await recordAddress(config.dataDir, urls))
  }
  await seams.fill?.(base.background)
  // Messages contain the server's address, so sending starts after it is known.
  if (config.roles.worker) {
    mailing = await startMailService({ system: base.background, db: databases.deliveries, servers, config, metrics })
    base.on(queueSources.mailChannel, mailing.wake)
  }
  return app
}

function newHealth({ config, metrics, shutdown }: Build, notReady: Health['notReady']): Health {
  const { metricsToken, areMetricsOpen } = config
  return {
    metrics,
    metricsToken,
    areMetricsOpen,
    notReady: async () => (shutdown.isStopping ? 'stopping' : notReady()),
  }
}

/** Returns the route table with the services of the GraphQL API, the public pages and the REST API. */
async function newApi(base: ProcessBase, health: Health, build: Build) {
  const { config, log, parts, seams, secret, metrics } = build
  const traffic = newTraffic(() => base.hints.notify(busyChannel))
  parts.add(async () => traffic.stop())
  const concurrency = newConcurrencyLimiters(config.poolSize, metrics, parts, traffic.count)
  const limiters = await openRateLimiters({ settings: config, existing: seams.limiters, log, metrics, parts })
  const { documents, trustProxy, console, consoleUrl } = config
  const pace = seams.pace ?? newRefusalPace()
  const ownHost = newOwnHost(base.system.baseUrl)
  const hosts = newConsoleHosts({ console, consoleUrl, ownHost })
  const api = await newGraphqlApi({
    ...{
      base,
      limiters,
      limiter: concurrency.api,
      visitors: concurrency.visitors,
      documents,
      pace,
      secret,
      hosts,
      trustProxy,
      metrics,
      log,
      parts,
    },
  })
  await mustBeFolder(config.fontsFolder)
  const geo = await openGeo(config)
  const gateway = newLocalGateway(api.admit, api.executor, concurrency.api)
  const services: ApiServices = {
    ...health,
    ...newPublicServices({ base, settings: config, limiters, geo, fetch: seams.fetch, ownHost, parts }),
    graphql: api.serveHttp,
    bridge: restBridge({ gateway, legacy: config.legacyApi, log: bridgeLog(log), routes: seams.routes }),
  }
  return { routes: apiRoutes, services, limiters: concurrency, pace, hosts, serveWebSockets: api.serveWebSockets }
}

/** Returns the log of the bridge. Its entries about completed requests have only a route, a path and a status. */
function bridgeLog(log: Log): BridgeOptions['log'] {
  const access = accessLogOf(log)
  return { info: (facts, message) => access.info(facts, message), error: (facts, message) => log.error(facts, message) }
}

/** Returns the host of the base URL, which is known when the server listens. Each request asks for it, so it is parsed once. */
function newOwnHost(baseUrl: () => string): () => string {
  let [parsed, host] = ['', '']
  return () => {
    const url = baseUrl()
    if (url !== parsed) [parsed, host] = [url, URL.canParse(url) ? new URL(url).hostname : '']
    return host
  }
}

/** **Throws** ConfigError if the folder of fonts cannot be read. */
async function mustBeFolder(folder: string | undefined): Promise<void> {
  if (folder === undefined) return
  await readdir(folder).catch((error: Error) => {
    throw new ConfigError(`FONTS_DIR must be the path of a folder that can be read: ${error.message}`)
  })
}

async function openGeo({ geo }: Config): Promise<Geo> {
  return newGeo(geo).catch((error: Error) => {
    throw new ConfigError(`GEOIP_DATABASE must be the path of a MaxMind database (.mmdb): ${error.message}`)
  })
}

/** Starts the REST bridge alone, in front of a GraphQL API in another process. */
async function startBridge(config: Config, log: Log, parts: Parts): Promise<App> {
  const secret = await secretOf(config)
  const metrics = newMetrics()
  const shutdown: Shutdown = { isStopping: false, beforeDrain: async () => undefined }
  const build: Build = { config, log, parts, seams: {}, secret, metrics, shutdown }
  const gateway = limitGateway(
    remoteGateway({ url: config.graphqlUrl as string, secret }),
    newConcurrencyLimiters(config.poolSize, metrics, parts).api,
  )
  const services = {
    ...newHealth(build, async () => undefined),
    bridge: restBridge({ gateway, legacy: config.legacyApi, log: bridgeLog(log) }),
  }
  const serve = newRequestListener({ routes: bridgeRoutes, services }, { ...config, metrics, log })
  const server = createServer(serverOptions, serve)
  handleMalformedRequests(server, unreadable)
  return listen(server, config, noDatabase, parts, shutdown)
}

const noDatabase = missing<Database>('database', 'A bridge')
