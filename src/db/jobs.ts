import { EventEmitter } from 'node:events'
import { Logger, makeWorkerUtils, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import type { Log } from '../kernel/log.ts'
import { within } from '../kernel/within.ts'
import type { Ctx, System } from './context.ts'
import { openPool } from './pool.ts'
import { DatabaseUnavailable, tellsOfOutage } from './unavailable.ts'
import type { DatabaseWatch } from './watch.ts'

/** How often a worker gives a sign of life, and after how long without one its jobs go to another. */
const beatMilliseconds = 5_000
const deadAfter = '30 seconds'

/** How long jobs that run have to end when the process stops. */
const stoppingMilliseconds = 5_000

/** Background work by name. A job may run more than once, so running it again must change nothing. */
export type Jobs = Readonly<Record<string, (system: System, payload: never) => Promise<void>>>

/** When and how a job is done, where that is not at once, beside others, and 25 times at most. */
export interface JobOptions {
  /** Jobs of one name here are done one after another. */
  readonly queue?: string | undefined
  /** A lower number goes first; 0 where absent. */
  readonly priority?: number | undefined
  readonly runAt?: Date | undefined
  readonly mostAttempts?: number | undefined
}

/** Puts a job in the queue, in the transaction of the change that asks for it: both happen, or neither. */
export async function enqueue(tx: Ctx, job: string, payload: object, options: JobOptions = {}): Promise<void> {
  await tx.db.$executeRawUnsafe(
    `SELECT graphile_worker.add_job($1, $2::json, queue_name => $3::text, run_at => $4::timestamptz,
       max_attempts => $5::int, priority => $6::int)`,
    job,
    JSON.stringify(payload),
    options.queue ?? null,
    options.runAt ?? null,
    options.mostAttempts ?? null,
    options.priority ?? null,
  )
}

/**
 * Works the queue until stopped; a job that is running then is finished first. A worker that was killed leaves its jobs
 * locked: the others see that it gives no sign of life and free them.
 */
export async function runJobs(options: {
  system: System
  directUrl: string
  watch?: DatabaseWatch | undefined
  jobs: Jobs
  /** Jobs that run by the clock, one line each. */
  crontab: string
  /** How many run at a time; 2 where absent. */
  concurrency?: number
  log: Log
}): Promise<{ stop(): Promise<void> }> {
  const { system, crontab, concurrency = 2, log } = options
  const { pool, close } = openPool(
    { connectionString: options.directUrl, max: concurrency + 2, application_name: 'campanile jobs' },
    { watch: options.watch, log },
  )
  const taskList: TaskList = {}
  for (const [name, job] of Object.entries(options.jobs)) taskList[name] = (payload) => job(system, payload as never)
  const events = new EventEmitter() as WorkerEvents
  const workers = new Set<string>()
  events.on('worker:create', ({ worker }) => workers.add(worker.workerId))
  const logger = new Logger(() => (level, message) => {
    const err = tellsOfOutage(message) && level !== 'debug' ? new DatabaseUnavailable('lost', message) : undefined
    log[level === 'warning' ? 'warn' : level]({ from: 'jobs', ...(err && { err }) }, message)
  })
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  const runner = await run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1_000,
    taskList,
    crontab,
    logger,
    events,
  })

  const beat = async () => {
    await pool.query(
      `INSERT INTO job_worker (id, seen_at) SELECT id, now() FROM unnest($1::text[]) AS id
       ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
      [[...workers]],
    )
    const dead = await pool.query<{ locked_by: string }>(
      `SELECT DISTINCT locked_by FROM graphile_worker.jobs
       WHERE locked_at < now() - $1::interval
         AND NOT EXISTS (SELECT FROM job_worker WHERE id = locked_by AND seen_at > now() - $1::interval)`,
      [deadAfter],
    )
    if (dead.rows.length > 0) await utils.forceUnlockWorkers(dead.rows.map((row) => row.locked_by))
    await pool.query("DELETE FROM job_worker WHERE seen_at < now() - interval '1 day'")
  }
  let beating: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    beating = beat().catch((error: unknown) => log.warn({ err: error }, 'the sign of life of the job workers failed'))
  }, beatMilliseconds)

  return {
    stop: async () => {
      clearInterval(timer)
      // A worker whose database is away does not end; its connections do.
      await within(Promise.all([beating, runner.stop()]), stoppingMilliseconds)
      await within(Promise.resolve(utils.release()), stoppingMilliseconds)
      await close()
    },
  }
}
