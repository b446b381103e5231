import { EventEmitter } from 'node:events'
import { Logger, makeWorkerUtils, run, type Task, type TaskList, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import { inSpan } from '../../kernel/telemetry/tracing.ts'
import { within } from '../../kernel/work/within.ts'
import { type Ctx, newCtx, type System } from '../context.ts'
import type { DatabaseWatch } from '../driver/index.ts'
import { DatabaseUnavailable, openPool, outageOf } from '../driver/index.ts'
import { inTransaction } from '../transaction.ts'
import { startHeartbeat } from './heartbeat.ts'

/** Maximum time that a stop waits for running jobs, in milliseconds. */
const stopTimeoutMs = 5_000

/** Handlers of background jobs by name. A job may run more than once, so handlers must be idempotent. */
export type Jobs = Readonly<Record<string, (system: System, payload: never) => Promise<void>>>

/** Options of a job. By default it runs immediately, in parallel with others, with at most 25 attempts. */
interface JobOptions {
  /** Jobs in the same queue run one after another. */
  readonly queue?: string | undefined
  /** Jobs with lower numbers run first. Defaults to 0. */
  readonly priority?: number | undefined
  readonly runAt?: Date | undefined
  readonly mostAttempts?: number | undefined
  /** A job that waits with the same key is replaced, so that at most one waits. */
  readonly key?: string | undefined
}

/** Adds a job to the queue in the transaction of the change that needs it, so that both are committed or neither. */
export async function enqueue(
  tx: Pick<Ctx, 'db'>,
  job: string,
  payload: object,
  options: JobOptions = {},
): Promise<void> {
  await tx.db.$executeRawUnsafe(
    `SELECT graphile_worker.add_job($1, $2::json, queue_name => $3::text, run_at => $4::timestamptz,
       max_attempts => $5::int, priority => $6::int, job_key => $7::text)`,
    job,
    JSON.stringify(payload),
    options.queue ?? null,
    options.runAt ?? null,
    options.mostAttempts ?? null,
    options.priority ?? null,
    options.key ?? null,
  )
}

/** Time after which a run ends and enqueues the next one, so that other jobs get a turn. */
const runTimeoutMs = 2_000

/**
 * Runs the batches of a job until `next` returns true or the time is up. Then it enqueues the next run, which continues from
 * what the transactions of the batches stored. Between batches it pauses while requests are served.
 */
export async function runBatches(
  system: System,
  accountId: number,
  {
    next,
    enqueueNext,
  }: {
    /** Runs the next batch in transactions of its own. Returns true if it was the last one. */
    readonly next: (ctx: Ctx) => Promise<boolean>
    readonly enqueueNext: (tx: Ctx) => Promise<void>
  },
): Promise<void> {
  const startedAt = performance.now()
  const work = system.pacing.start()
  try {
    while (performance.now() - startedAt < runTimeoutMs) {
      if (await work.part(() => next({ ...newCtx(system, { accountId }), work }))) return
    }
    await work.pause()
  } finally {
    work.end()
  }
  await inTransaction(newCtx(system, { accountId }), enqueueNext)
}

/**
 * Runs jobs until stopped. A stop waits for running jobs. A killed worker leaves its jobs locked; other workers release
 * them when its heartbeat is missing.
 */
export async function runJobs(options: {
  system: System
  directUrl: string
  watch?: DatabaseWatch | undefined
  jobs: Jobs
  /** Scheduled jobs, one crontab line each. */
  crontab: string
  /** Number of jobs that run at a time. Defaults to 2. */
  concurrency?: number
  log: Log
}): Promise<{ stop(): Promise<void> }> {
  const { system, crontab, concurrency = 2, log } = options
  const { pool, close } = openPool(
    { connectionString: options.directUrl, max: concurrency + 2, application_name: 'campanile jobs' },
    { watch: options.watch, toError: toRepeatable, log },
  )
  repeatAfterOutages(pool)
  const taskList: TaskList = {}
  for (const [name, job] of Object.entries(options.jobs))
    taskList[name] = traced(name, (payload) => job(system, payload as never))
  const events = new EventEmitter() as WorkerEvents
  const workers = new Set<string>()
  events.on('worker:create', ({ worker }) => workers.add(worker.workerId))
  const logger = loggerOf(log)
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
  const heartbeat = startHeartbeat({ pool, workers, release: (ids) => utils.forceUnlockWorkers(ids), log })

  return {
    stop: async () => {
      // A worker does not stop while its database is unavailable, so the wait is limited and its connections are
      // closed.
      await within(Promise.all([heartbeat.stop(), runner.stop()]), stopTimeoutMs)
      await within(Promise.resolve(utils.release()), stopTimeoutMs)
      await close()
      // graphile-worker keeps its options until the process ends, and with them all that the handlers use.
      for (const name of Object.keys(taskList)) delete taskList[name]
      events.removeAllListeners()
    },
  }
}

/** A job runs in a span of its own: the request that enqueued it has ended. */
function traced(name: string, run: Task): Task {
  return (payload, helpers) =>
    inSpan(
      () => ({
        name: `job ${name}`,
        kind: 'CONSUMER',
        attributes: { 'campanile.account_id': (payload as { accountId?: number } | null)?.accountId },
      }),
      async () => run(payload, helpers),
    )
}

function loggerOf(log: Log): Logger {
  return new Logger(() => (level, message) => {
    const err = outageOf(message) && level !== 'debug' ? new DatabaseUnavailable('lost', message) : undefined
    log[level === 'warning' ? 'warn' : level]({ from: 'jobs', ...(err && { err }) }, message)
  })
}

/** Code of the errors after which graphile-worker repeats the statement that ends a job, for hours, each time later. */
const repeatable = 'ETIMEDOUT'

/**
 * Gives all errors of a lost or unavailable database the code after which graphile-worker repeats a statement. It has codes for
 * some of them only; after others the end of a job would be an unhandled rejection, and the job would stay locked.
 */
function toRepeatable(error: unknown): unknown {
  return outageOf(error) ? Object.assign(error as Error, { code: repeatable }) : error
}

/** Applies `toRepeatable` to the errors of a pool that opens no connection. */
function repeatAfterOutages(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool)
  const open = async (): Promise<pg.PoolClient> => {
    // After the stop, nothing is repeated.
    if (pool.ending) return new Promise(() => undefined)
    return connect().catch((error: unknown) => {
      throw toRepeatable(error)
    })
  }
  // Callers with a callback handle errors.
  const either = (callback?: Parameters<typeof connect>[0]) => (callback ? connect(callback) : open())
  pool.connect = either as typeof pool.connect
}
