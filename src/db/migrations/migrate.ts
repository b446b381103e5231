import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import { isInTransactionMode } from '../driver/index.ts'
import { applyBesideOthers } from './apply.ts'
import { mustHaveParts, rebuildIndexes } from './collations.ts'
import { migrateJobs } from './job-queue.ts'
import { codeOf, MigrationError, reasonOf } from './migration-error.ts'
import { namesIn, ours, pending } from './pending.ts'

/**
 * Number of the advisory lock. It is Prisma's own, so that this code and `prisma migrate deploy` exclude each other.
 */
const lockNumber = 72_707_369

/**
 * Applies the pending migrations and updates the schema of the job queue. Returns the names of the applied migrations.
 * Safe to call from several processes: one migrates, the others wait.
 *
 * Each migration and its record are one transaction. If its first line is `-- no-transaction`, it runs without one, for
 * a single statement such as CREATE INDEX CONCURRENTLY.
 *
 * Then rebuilds indexes that another version of ICU sorted.
 *
 * Throws MigrationError if the database cannot be reached, is too old, lacks ICU or an extension, is behind a transaction pooler,
 * was not created from the baseline, or contains migrations that are unknown or changed.
 */
export async function migrate(directUrl: string, log: Log, folder = ours): Promise<string[]> {
  const client = await connect(directUrl)
  try {
    await mustFit(client)
    if (await isInTransactionMode(client, () => connect(directUrl))) throw new MigrationError(behindPooler)
    await acquireLock(client, log)
    const applied: string[] = []
    for (const migration of await pending(client, folder)) {
      const started = performance.now()
      await applyBesideOthers(client, migration, log)
      applied.push(migration.name)
      log.info(
        { migration: migration.name, milliseconds: Math.round(performance.now() - started) },
        'migration applied',
      )
    }
    await rebuildIndexes(client, log)
    await migrateJobs(directUrl, log)
    return applied
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Returns whether all migrations of this version were applied. Rejects if the query fails. */
export async function isMigrated(pool: pg.Pool, folder = ours): Promise<boolean> {
  const names = await namesIn(folder)
  try {
    const { rows } = await pool.query<{ missing: number }>(
      `SELECT count(*)::int AS missing FROM unnest($1::text[]) AS name WHERE name NOT IN
         (SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL)`,
      [names],
    )
    return rows[0]?.missing === 0
  } catch (error) {
    const noSuchTable = '42P01'
    if (codeOf(error) === noSuchTable) return false
    throw error
  }
}

async function connect(directUrl: string): Promise<pg.Client> {
  let client: pg.Client | undefined
  try {
    client = new pg.Client({
      connectionString: directUrl,
      application_name: 'campanile migrations',
      connectionTimeoutMillis: 10_000,
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
    })
    // Without a listener, a lost connection would end the process. With it, only the current query fails.
    client.on('error', () => undefined)
    await client.connect()
    return client
  } catch (error) {
    await client?.end().catch(() => undefined)
    throw new MigrationError(`The database cannot be reached (DATABASE_URL): ${reasonOf(error)}`, { cause: error })
  }
}

async function mustFit(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`,
  )
  const { version = 0, encoding } = rows[0] ?? {}
  if (version < 150_000) {
    throw new MigrationError(`DATABASE_URL must name a PostgreSQL 15 or newer, it is ${Math.floor(version / 10_000)}`)
  }
  if (encoding !== 'UTF8') {
    throw new MigrationError(`DATABASE_URL must name a database with encoding UTF8, it has ${encoding}`)
  }
  await mustHaveParts(client)
}

const behindPooler =
  'DATABASE_URL names a pooler in transaction mode: set DIRECT_DATABASE_URL to the URL of the database without it'

/**
 * Acquires the migration lock by polling. A statement that waits for the lock would hold a snapshot, and the holder
 * could wait for it when it builds an index concurrently.
 */
async function acquireLock(client: pg.Client, log: Log): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await client.query<{ isAcquired: boolean }>('SELECT pg_try_advisory_lock($1) AS "isAcquired"', [
      lockNumber,
    ])
    if (rows[0]?.isAcquired) return
    if (attempt === 0) log.info('another process is migrating the database; waiting for it')
    await pause(100)
  }
}
