import { type Ctx, newCtx, type System } from '../db/context.ts'
import { enqueue, runBatches } from '../db/jobs/jobs.ts'
import { raw, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { partSize } from '../kernel/work/pacing.ts'
import { newTurns } from '../kernel/work/turns.ts'

/** Consecutive failed runs after which a job fails. */
const maxFailedRuns = 10

/** Maximum number of chunks that one transaction processes. */
const maxChunks = 5

/** Rows of an account that are processed in chunks in the background. The names are names in the database. */
export interface ChunkedJob {
  /** The table of the jobs, with the columns `status`, `attempts`, `finished_at` and `error`. */
  readonly table: string
  /** The table of the chunks, with the columns `number` and `rows`. */
  readonly chunkTable: string
  /** The column of a chunk that refers to its job. */
  readonly parent: string
  /** The error of a job that failed too often. */
  readonly failure: string
  /** Enqueues the next run in the transaction. */
  readonly enqueueRun: (tx: Ctx, id: number) => Promise<void>
  /** Emits the progress of a job. */
  readonly emitProgress: (tx: Ctx, id: number) => Promise<void>
}

/**
 * Enqueues a run. The jobs of an account share a queue, so that they alternate and an account uses one worker at a time. Their
 * priority is lower than that of short jobs.
 */
export async function enqueueRun(tx: Ctx, name: string, payload: object): Promise<void> {
  await enqueue(tx, name, payload, { queue: `contact import ${tx.accountId}`, priority: 10 })
}

/**
 * Processes chunks with `processNext` until it returns true or the time is up, and then enqueues the next run. The job fails
 * after too many failed runs.
 */
export async function runChunks(
  system: System,
  job: ChunkedJob,
  { accountId, id }: { readonly accountId: number; readonly id: number },
  processNext: (ctx: Ctx, id: number) => Promise<boolean>,
): Promise<void> {
  try {
    await runBatches(system, accountId, {
      next: (ctx) => processNext(ctx, id),
      enqueueNext: (tx) => job.enqueueRun(tx, id),
    })
  } catch (error) {
    if (!(await recordFailedRun(newCtx(system, { accountId }), job, id))) throw error
    system.log.error({ err: error, table: job.table, id }, 'a job on contacts failed')
  }
}

/**
 * Deletes the first chunks of a job and returns their rows: five chunks, or one while requests are served. The transaction that
 * processes them is the same one: they are processed exactly once, even if a run is interrupted.
 */
export async function takeChunks<Row>(tx: Ctx, { chunkTable, parent }: ChunkedJob, id: number): Promise<Row[]> {
  const [table, column] = [raw(chunkTable), raw(parent)]
  const chunks = await tx.sql<{ rows: string }>`
    WITH taken AS (
      DELETE FROM ${table} k WHERE k.account_id = ${tx.sql.account} AND k.${column} = ${id} AND k.number = ANY (ARRAY(
        SELECT n.number FROM ${table} n WHERE n.account_id = ${tx.sql.account} AND n.${column} = ${id}
        ORDER BY n.number LIMIT ${partSize(tx.work, maxChunks)}::int))
      RETURNING k.number, k.rows
    ) SELECT rows FROM taken ORDER BY number`
  const turn = newTurns()
  const all: Row[][] = []
  for (const { rows } of chunks) {
    await turn()
    all.push(JSON.parse(rows) as Row[])
  }
  return all.flat() as Row[]
}

/** Deletes the chunks of a job. */
export async function removeChunks(tx: Ctx, { chunkTable, parent }: ChunkedJob, id: number): Promise<void> {
  await tx.sql`DELETE FROM ${raw(chunkTable)} WHERE account_id = ${tx.sql.account} AND ${raw(parent)} = ${id}`
}

/**
 * Counts a failed run. Fails the job after too many; rows that were processed stay so. Returns true if the job failed.
 */
async function recordFailedRun(ctx: Ctx, job: ChunkedJob, id: number): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const isLast = sql`attempts + 1 >= ${maxFailedRuns}::int`
    const [after] = await tx.sql<{ status: string }>`
      UPDATE ${raw(job.table)} SET attempts = attempts + 1,
        status = CASE WHEN ${isLast} THEN 'FAILED' ELSE status END,
        finished_at = CASE WHEN ${isLast} THEN ${tx.clock.now()}::timestamptz END,
        error = CASE WHEN ${isLast} THEN ${job.failure} ELSE '' END
      WHERE account_id = ${tx.sql.account} AND id = ${id} AND status = 'RUNNING' RETURNING status::text AS status`
    if (after?.status !== 'FAILED') return false
    await removeChunks(tx, job, id)
    await job.emitProgress(tx, id)
    return true
  })
}
