import type { Ctx, System } from '../../db/context.ts'
import { insertParts } from '../../db/figures/figure-parts.ts'
import { enqueue, runBatches } from '../../db/jobs/jobs.ts'
import { planInIndexOrder } from '../../db/plans.ts'
import { empty, raw, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { partSize } from '../../kernel/work/pacing.ts'
import { isOf, keys, lockVisitors, removalOf } from './visitor-parts.ts'

/** Number of visits or visitors that one transaction reads. */
const batchSize = 10_000

/** Visits to delete: those of a funnel, or of one of its steps. */
interface VisitScope {
  readonly funnelId: number
  readonly stepId?: number
}

/** The last visit that was read, and its partition. Before the first one of a partition, it has no time. */
interface VisitPosition {
  readonly partition: string
  readonly at?: string
  readonly id?: string
}

/** The last visit that was read. After all visits, the last visitor, which is empty before the first one. */
type Position = VisitPosition | { readonly visitor: string }

type CleanUpPayload = VisitScope & { readonly accountId: number; readonly position?: Position }

export const cleanUpJob = 'funnels:clean_up_visits'

/** Enqueues the job that deletes the visits of a funnel or a step. It runs after this transaction has committed. */
export async function enqueueVisitCleanUp(tx: Ctx, scope: VisitScope, position?: Position): Promise<void> {
  const job: CleanUpPayload = { accountId: tx.accountId, ...scope, ...(position && { position }) }
  await enqueue(tx, cleanUpJob, job, { queue: `visits ${tx.accountId}`, priority: 10 })
}

/**
 * Deletes the visits of a deleted funnel or step in batches, and then what is counted of their visitors. A killed job repeats
 * some batches, of which nothing is left.
 */
export async function runVisitCleanUp(
  system: System,
  { accountId, position, ...scope }: CleanUpPayload,
): Promise<void> {
  let current = position
  await runBatches(system, accountId, {
    next: async (ctx) => {
      const next = await inTransaction(ctx, (tx) => removeNext(tx, scope, current))
      current = next ?? current
      return next === undefined
    },
    enqueueNext: (tx) => enqueueVisitCleanUp(tx, scope, current),
  })
}

/** Deletes the next batch of visits or visitors. Returns its end, or undefined if nothing was left. */
async function removeNext(tx: Ctx, scope: VisitScope, position: Position | undefined): Promise<Position | undefined> {
  if (position && 'visitor' in position) return removeVisitors(tx, scope, position)
  return (await removeVisits(tx, scope, position)) ?? { visitor: '' }
}

/** Deletes the next batch of visits. Returns its end, or undefined after the last partition. */
async function removeVisits(
  tx: Ctx,
  scope: VisitScope,
  position: VisitPosition | undefined,
): Promise<VisitPosition | undefined> {
  const [partition, next] = await partitionsFrom(tx, position?.partition ?? '')
  if (partition === undefined) return undefined
  const { at, id } = position?.partition === partition ? position : {}
  return planInIndexOrder(tx, async () => {
    // Rows of a partition are changed by ctid alone, as ADR 56 explains. All partitions of the table have the same ones.
    const table = raw(partition)
    const after =
      at === undefined
        ? empty
        : sql`AND v.created_at >= ${at}::timestamptz AND (v.created_at, v.id) > (${at}::timestamptz, ${id}::bigint)`
    const visits = (conditions: Sql) => sql`FROM ${table} v WHERE v.account_id = ${tx.sql.account}
      AND v.funnel_id = ${scope.funnelId}::int ${after} ${conditions} ORDER BY v.created_at, v.id`
    const isInScope = scope.stepId === undefined ? sql`true` : sql`step_id = ${scope.stepId}::int`
    const [batch] = await tx.sql<{ at: string | null; id: string; found: number }>`
      WITH batch AS MATERIALIZED (SELECT v.created_at, v.id, v.step_id ${visits(sql``)} LIMIT ${partSize(tx.work, batchSize)}::int)
      SELECT max(created_at)::text AS at, (array_agg(id::text ORDER BY created_at DESC, id DESC))[1] AS id,
        (count(*) FILTER (WHERE ${isInScope}))::int AS found FROM batch`
    if (batch?.at == null) return next === undefined ? undefined : { partition: next }
    const end = sql`AND v.created_at <= ${batch.at}::timestamptz
      AND (v.created_at, v.id) <= (${batch.at}::timestamptz, ${batch.id}::bigint) AND ${isInScope}`
    const [removed] = await tx.sql<{ n: number }>`
      WITH removed AS (DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT v.ctid ${visits(end)})) RETURNING 1)
      SELECT count(*)::int AS n FROM removed`
    // A visit that another transaction changes meanwhile is left for the next batch.
    const isComplete = (removed?.n ?? 0) >= batch.found
    return isComplete ? { partition, at: batch.at, id: batch.id } : { partition, ...(at && id && { at, id }) }
  })
}

/** Returns the names of the first two partitions of the visits from a name on, as they are written in SQL. */
async function partitionsFrom(tx: Ctx, name: string): Promise<string[]> {
  const rows = await tx.db.$queryRaw<{ name: string }[]>(sql`
    SELECT name FROM (SELECT inhrelid::regclass::text COLLATE "C" AS name FROM pg_inherits WHERE inhparent = 'visit'::regclass) p
    WHERE name >= ${name} ORDER BY name LIMIT 2`)
  return rows.map((row) => row.name)
}

/**
 * Deletes what is counted of the next visitors of the funnel, or of the step of the funnel. Returns the last one, undefined if
 * none were left.
 */
async function removeVisitors(
  tx: Ctx,
  { funnelId, stepId }: VisitScope,
  { visitor }: { readonly visitor: string },
): Promise<Position | undefined> {
  await lockVisitors(tx)
  const isDeleted = stepId === undefined ? sql`true` : sql`step_id = ${stepId}::int`
  // Otherwise, a visit that is not counted yet would add a visitor again.
  await tx.sql`DELETE FROM uncounted_visit WHERE ${isOf(tx, funnelId)} AND ${isDeleted}`
  return planInIndexOrder(tx, async () => {
    const next = sql`SELECT ${keys}, first_at, last_at FROM step_visitor
      WHERE ${isOf(tx, funnelId)} ${visitor === '' ? empty : sql`AND visitor > ${visitor}::bigint`}`
    const [batch] = await tx.sql<{ last: string | null }>`
      SELECT max(visitor)::text AS last FROM (${next} ORDER BY ${keys} LIMIT ${partSize(tx.work, batchSize)}::int) v`
    if (batch?.last == null) return undefined
    await tx.sql`WITH ${removalOf(sql`${next} AND visitor <= ${batch.last}::bigint`, isDeleted)}
      ${insertParts(sql`SELECT * FROM changes`)}`
    return { visitor: batch.last }
  })
}
