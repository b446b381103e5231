import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import { MigrationError, reasonOf } from './migration-error.ts'

/** Brings the schema of the job queue up to date. Throws MigrationError. */
export async function migrateJobs(directUrl: string, log: Log): Promise<void> {
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
