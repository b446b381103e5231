import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import type { Log } from '../kernel/telemetry/log.ts'
import { isInTransactionMode } from './driver/index.ts'

/** The database cannot be migrated. The message is one line for operators. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/** Folder of this version's migrations. The first one is the baseline, from which every database starts. */
export const ours = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

/**
 * Number of the advisory lock. It is Prisma's own, so that this code and `prisma migrate deploy` exclude each other.
 */
const lockNumber = 72_707_369

/** Prisma's table as Prisma creates it, because either may run first. */
const table = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`

interface Migration {
  name: string
  sql: string
  checksum: string
}

/**
 * Applies the pending migrations and updates the schema of the job queue. Returns the names of the applied migrations.
 * Safe to call from several processes: one migrates, the others wait.
 *
 * Each migration and its record are one transaction. If its first line is `-- no-transaction`, it runs without one, for
 * a single statement such as CREATE INDEX CONCURRENTLY.
 *
 * Throws MigrationError if the database cannot be reached, is too old, is behind a transaction pooler, was not created from the
 * baseline, or contains migrations that are unknown or changed.
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
}

const behindPooler =
  'DATABASE_URL names a pooler in transaction mode: set DIRECT_DATABASE_URL to the URL of the database without it'

const createdBefore =
  'The database was created by a development version before 1.0.0 and cannot be upgraded: export its lists with that version, then start this one with an empty database or DATA_DIR'

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

async function pending(client: pg.Client, folder: string): Promise<Migration[]> {
  await client.query(table)
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  const known = await migrationsIn(folder)
  const [baseline] = known
  const isOfBaseline = rows.some(
    ({ migration_name: name, checksum }) => name === baseline?.name && checksum === baseline.checksum,
  )
  if (rows.length > 0 && !isOfBaseline) throw new MigrationError(createdBefore)
  for (const { migration_name: name, checksum, finished } of rows) {
    const migration = known.find((one) => one.name === name)
    if (!migration) throw new MigrationError(`The database is newer than this version: it has the migration ${name}`)
    if (!finished) {
      throw new MigrationError(
        `The migration ${name} was not finished: repair the database by hand, then set its finished_at or rolled_back_at in _prisma_migrations`,
      )
    }
    if (checksum !== migration.checksum) {
      throw new MigrationError(`The migration ${name} was changed after it was applied: restore its file`)
    }
  }
  const done = new Set(rows.map((row) => row.migration_name))
  return known.filter(({ name }) => !done.has(name))
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return names.sort()
}

async function migrationsIn(folder: string): Promise<Migration[]> {
  const names = await namesIn(folder)
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(`${folder}/${name}/migration.sql`, 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Maximum time that a migration waits for a lock, because requests queue behind it, and the pause before it is repeated. */
const lockTimeoutMs = 500
const repeatDelayMs = 1_000

/**
 * Longer than the `deadlock_timeout` of PostgreSQL, after which a wait ends autovacuum of the table. Used in every fourth
 * attempt.
 */
const longLockTimeoutMs = 1_500

/**
 * Applies a migration beside processes that serve requests. A migration that does not get a lock in time, or that waits for a
 * request that waits for it, releases its locks and is repeated.
 */
async function applyBesideOthers(client: pg.Client, migration: Migration, log: Log): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await apply(client, migration, attempt % 4 === 0 ? longLockTimeoutMs : lockTimeoutMs)
      return
    } catch (error) {
      if (!isContended(error) || !isRepeatable(migration)) throw error
      log.info({ migration: migration.name, attempt }, 'the migration does not get a lock; it is repeated')
      await pause(repeatDelayMs)
    }
  }
}

function isContended(error: unknown): boolean {
  const [deadlock, noLockInTime] = ['40P01', '55P03']
  const code = codeOf(error instanceof MigrationError ? error.cause : error)
  return code === deadlock || code === noLockInTime
}

/** An index that was not built concurrently to its end stays in the table, so it cannot be built again. */
function isRepeatable(migration: Migration): boolean {
  return isInTransaction(migration) || !/\bCONCURRENTLY\b/i.test(migration.sql)
}

function isInTransaction({ sql }: Migration): boolean {
  return !/^-- no-transaction\s*$/.test(sql.split('\n', 1)[0] ?? '')
}

async function apply(client: pg.Client, migration: Migration, lockTimeout: number): Promise<void> {
  const { name, sql, checksum } = migration
  const isTransaction = isInTransaction(migration)
  const id = randomUUID()
  if (isTransaction) await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeout}`)
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksum,
    name,
  ])
  try {
    await client.query(sql)
    // A migration may have changed the search path of this session.
    await client.query('RESET search_path')
    await client.query(
      'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
      [id],
    )
    if (isTransaction) await client.query('COMMIT')
  } catch (error) {
    const reason = reasonOf(error)
    const undone = isTransaction
      ? client.query('ROLLBACK')
      : isContended(error) && isRepeatable(migration)
        ? client.query('DELETE FROM _prisma_migrations WHERE id = $1', [id])
        : client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, reason])
    await undone.catch(() => undefined)
    throw new MigrationError(`The migration ${name} failed: ${reason}`, { cause: error })
  }
}

async function migrateJobs(directUrl: string, log: Log): Promise<void> {
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') log.error(message)
    else log.debug(message)
  })
  const pool = new pg.Pool({ connectionString: directUrl, application_name: 'campanile migrations', max: 1 })
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'the connection for migrations was lost')
  })
  // A connection can be lost while it is being closed: the pool does not listen to it any more then.
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await runMigrations({ pgPool: pool, logger, preset: { worker: { concurrentJobs: 1 } } })
  } catch (error) {
    throw new MigrationError(`The job queue could not be brought up to date: ${reasonOf(error)}`, { cause: error })
  } finally {
    await pool.end()
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/**
 * Returns the message of an error. An error for a host with several addresses contains one error per address and no
 * message.
 */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors.at(-1))
  return error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error)
}
