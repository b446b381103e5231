import { type Connections, type Database, openConnections, openDatabase } from '../../db/client.ts'
import { type DatabaseWatch, watchDatabase } from '../../db/driver/index.ts'
import { startEmbedded } from '../../db/embedded/embedded.ts'
import { isMigrated, migrate } from '../../db/migrations/migrate.ts'
import { type OpenReplicas, openReplicas } from '../../db/replicas/replicas.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { within } from '../../kernel/work/within.ts'
import type { Parts } from './parts.ts'

/** Pool size for background work. Its connections are separate, so that neither it nor requests wait for the other. */
const backgroundPoolSize = 5

/** Pool size for recording delivery attempts of e-mails: one statement at a time. */
const deliveryPoolSize = 1

/** Maximum time that the readiness check waits for the database, in milliseconds. */
const readinessTimeoutMs = 1_500

interface DatabaseSettings {
  readonly databaseUrl?: string | undefined
  readonly directDatabaseUrl?: string | undefined
  readonly dataDir: string
  readonly poolSize: number
  readonly migrations?: string | undefined
}

/** The pools of one database, by the kind of work, and the watch that detects outages. */
interface Databases {
  readonly requests: Database
  readonly background: Database
  readonly deliveries: Connections
  readonly watch: DatabaseWatch
}

/** Opens the configured database, or starts the embedded one, and applies pending migrations. */
export async function openDatabases(settings: DatabaseSettings, log: Log, parts: Parts): Promise<Databases> {
  const embedded = settings.databaseUrl === undefined ? await startEmbedded(settings.dataDir, log) : undefined
  if (embedded) parts.add(() => embedded.stop())
  const url = settings.databaseUrl ?? embedded?.url ?? ''
  const directUrl = settings.directDatabaseUrl ?? url
  await migrate(directUrl, log, settings.migrations)
  const watch = watchDatabase({ url: directUrl, poolerUrl: url === directUrl ? undefined : url, log })
  const shared = { url, directUrl, log, watch }
  const requests = openDatabase({ ...shared, poolSize: settings.poolSize, isForRequests: true })
  const background = openDatabase({ ...shared, poolSize: backgroundPoolSize })
  // Its settings cannot pass through a pooler.
  const deliveries = openConnections({ ...shared, url: directUrl, poolSize: deliveryPoolSize, isByKey: true })
  for (const each of [watch, requests, background, deliveries]) parts.add(() => each.close())
  if (url !== directUrl) await warnOfSettings(requests, log)
  return { requests, background, deliveries, watch }
}

/** Opens the configured replicas for the requests of a process. Returns undefined if there are none. */
export function openConfiguredReplicas(options: {
  settings: {
    readonly replicaDatabaseUrls: readonly string[]
    readonly poolSize: number
    readonly roles: { api: boolean }
  }
  primary: Database
  metrics: Metrics
  log: Log
  parts: Parts
}): OpenReplicas | undefined {
  const { settings, primary, metrics, log, parts } = options
  const { replicaDatabaseUrls: urls, poolSize, roles } = settings
  const isUsed = urls.length > 0 && roles.api
  const replicas = isUsed ? openReplicas({ urls, primary, poolSize, count: metrics.replicaRead, log }) : undefined
  parts.add(async () => replicas?.close())
  const readings = () =>
    (replicas?.lags() ?? []).map(({ replica, seconds }) => ({ labels: { replica }, value: seconds }))
  metrics.watch(
    'campanile_replica_lag_seconds',
    'Age of the data of each replica. +Inf if not in use.',
    ['replica'],
    readings,
  )
  return replicas
}

/** Logs a warning if the connections through a pooler do not have the settings that the process gives to its own. */
async function warnOfSettings({ pool }: Database, log: Log): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT name FROM pg_settings WHERE name = 'jit' AND setting = 'on'
      OR name IN ('statement_timeout', 'idle_in_transaction_session_timeout') AND setting = '0' ORDER BY name`,
  )
  const settings = rows.map(({ name }) => name)
  if (settings.length > 0) log.warn({ settings }, 'set these for the connections of the pooler: see docs/deployment.md')
}

/** Returns why the database cannot serve requests at the moment, or undefined if it can. */
export async function reasonNotReady({ requests, watch }: Databases, migrations?: string): Promise<string | undefined> {
  if (watch.isAway()) return 'the database does not answer'
  const migrated = isMigrated(requests.pool, migrations).catch(() => false)
  const isReady = (await within(migrated, readinessTimeoutMs)) && (await migrated)
  return isReady ? undefined : 'the database cannot be reached, or is not migrated'
}
