import type pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'

/** Interval of the heartbeat in milliseconds, and time without one after which the jobs of a worker are released. */
const intervalMs = 5_000
const timeout = '30 seconds'

/**
 * Records at intervals that the workers of this process live, until stopped, and releases the jobs of workers of all processes
 * that died. A stop waits for the heartbeat that is underway.
 */
export function startHeartbeat(options: {
  pool: pg.Pool
  /** The ids of the workers of this process, which can change. */
  workers: ReadonlySet<string>
  /** Releases the jobs of workers. */
  release: (workers: string[]) => Promise<unknown>
  log: Log
}): { stop(): Promise<void> } {
  const { pool, workers, release, log } = options
  let underway: Promise<void> = Promise.resolve()
  const beat = () => {
    underway = sendHeartbeat(pool, workers, release).catch((error: unknown) =>
      log.warn({ err: error }, 'the heartbeat of the job workers failed'),
    )
  }
  // At once too, so that the jobs of a worker that died long ago do not wait for the first interval.
  beat()
  const timer = setInterval(beat, intervalMs)
  return {
    stop: () => {
      clearInterval(timer)
      return underway
    },
  }
}

async function sendHeartbeat(
  pool: pg.Pool,
  workers: ReadonlySet<string>,
  release: (workers: string[]) => Promise<unknown>,
): Promise<void> {
  await pool.query(
    `INSERT INTO job_worker (id, seen_at) SELECT id, now() FROM unnest($1::text[]) AS id
     ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
    [[...workers]],
  )
  const dead = await pool.query<{ locked_by: string }>(
    `SELECT DISTINCT locked_by FROM graphile_worker.jobs
     WHERE locked_at < now() - $1::interval
       AND NOT EXISTS (SELECT FROM job_worker WHERE id = locked_by AND seen_at > now() - $1::interval)`,
    [timeout],
  )
  if (dead.rows.length > 0) await release(dead.rows.map((row) => row.locked_by))
  await pool.query("DELETE FROM job_worker WHERE seen_at < now() - interval '1 day'")
}
