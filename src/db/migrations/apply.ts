import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import { codeOf, MigrationError, reasonOf } from './migration-error.ts'
import type { Migration } from './pending.ts'

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
export async function applyBesideOthers(client: pg.Client, migration: Migration, log: Log): Promise<void> {
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
