import type { Ctx, System } from '../../db/context.ts'
import { enqueue, runBatches } from '../../db/jobs/jobs.ts'
import { empty, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit, emitAll } from '../../events/index.ts'
import { rowsAtOnce } from '../../kernel/work/pacing.ts'
import { queue } from '../../mail/index.ts'
import type { Revision } from './plan.ts'
import { batchSize, type Enrolment, enrolmentTable, eventDataOf, type PlanBasis, planBasisOf } from './progress.ts'
import { catchUp, replanAll } from './revisions.ts'

const enrolmentJob = 'sequences:enrolments'

/** How far the job has planned the enrolments of a sequence for a revision: up to those of a contact. */
interface Position {
  readonly revision: number
  readonly contactId: number
}

interface EnrolmentJobPayload {
  readonly accountId: number
  readonly sequenceId: number
  readonly position?: Position
}

/** The move of a stage, the stages that were deleted or deactivated, or that the change ended all enrolments. */
interface Change extends Partial<Pick<Revision, 'movedFrom' | 'movedTo' | 'closedStageIds'>> {
  readonly endsAll?: boolean
}

/**
 * Replans the active enrolments of a sequence, whose row the caller has locked, after its stages or its type changed. With
 * `endsAll`, it ends them. If there are more than `batchSize`, a job does so, one batch after another; until then, `catchUp`
 * plans each enrolment before anything is done for it.
 *
 * Emits `sequence.completed` for each enrolment that has no stages left, `sequence.unsubscribed` for each that it ends, and
 * `sequence.updated` when a job is done.
 */
export async function replan(tx: Ctx, sequenceId: number, change: Change = {}): Promise<void> {
  tx.load.clear()
  const { revision, type, stages } = (await tx.load(planBasisOf, sequenceId)) as PlanBasis
  const { movedFrom = 0, movedTo = 0, closedStageIds = [], endsAll = false } = change
  const next: Revision = {
    ...{ type, stages: endsAll ? null : stages, movedFrom, movedTo, closedStageIds, createdAt: tx.clock.now() },
  }
  if (await areFew(tx, sequenceId)) {
    const active = await enrolmentTable.select(
      tx,
      sql`AND e.sequence_id = ${sequenceId} AND e.state = 'ACTIVE' ORDER BY e.contact_id FOR NO KEY UPDATE`,
    )
    await replanAll(tx, active, { ...next, revision })
    return
  }
  await tx.sql`UPDATE sequence SET revision = revision + 1 WHERE account_id = ${tx.sql.account} AND id = ${sequenceId}`
  await tx.sql`
    INSERT INTO sequence_revision (account_id, sequence_id, revision, type, stages, moved_from, moved_to, closed_stage_ids, created_at)
    VALUES (${tx.sql.account}::int, ${sequenceId}, ${revision + 1}::int, ${type}::sequence_type,
      ${next.stages && JSON.stringify(next.stages)}::jsonb, ${movedFrom}::int, ${movedTo}::int, ${closedStageIds}::int[],
      ${next.createdAt}::timestamptz)`
  await enqueueJob(tx, sequenceId)
}

/** Returns whether all active enrolments of a sequence can be planned at once: one batch, which waits for no other plan. */
async function areFew(tx: Ctx, sequenceId: number): Promise<boolean> {
  const of = sql`account_id = ${tx.sql.account} AND sequence_id = ${sequenceId}`
  const most = rowsAtOnce(tx, batchSize)
  const [row] = await tx.sql<{ active: number; isPending: boolean }>`
    SELECT EXISTS (SELECT FROM sequence_revision WHERE ${of}) AS "isPending",
      (SELECT count(*)::int FROM (
        SELECT FROM enrolment WHERE ${of} AND state = 'ACTIVE' LIMIT ${most + 1}::int) a) AS active`
  return row !== undefined && row.active <= most && !row.isPending
}

/**
 * Deletes the enrolments of a sequence that the transaction deletes: at once, or after a first batch in a job. Lists ignore
 * enrolments of a sequence that does not exist. Emits `sequence.unsubscribed` for each active one.
 */
export async function removeEnrolments(tx: Ctx, sequenceId: number): Promise<void> {
  const isDone =
    (await removeBatch(tx, sequenceId, sql`AND state = 'ACTIVE'`)) && (await removeBatch(tx, sequenceId, empty))
  if (!isDone) await enqueueJob(tx, sequenceId)
}

/** Background jobs of this module, keyed by job name. */
export const sequenceJobs = {
  /** Plans the enrolments of a sequence for its revisions, or deletes those of a deleted sequence, in batches. */
  [enrolmentJob]: async (system: System, { accountId, sequenceId, position }: EnrolmentJobPayload): Promise<void> => {
    let current = position
    await runBatches(system, accountId, {
      next: async (ctx) => {
        const next = await inTransaction(ctx, (tx) => changeBatch(tx, sequenceId, current))
        if (next !== 'done') current = next
        return next === 'done'
      },
      enqueueNext: (tx) => enqueueJob(tx, sequenceId, current),
    })
  },
}

async function enqueueJob(tx: Ctx, sequenceId: number, position?: Position): Promise<void> {
  const payload: EnrolmentJobPayload = { accountId: tx.accountId, sequenceId, ...(position && { position }) }
  await enqueue(tx, enrolmentJob, payload, { queue: `enrolments ${tx.accountId}`, priority: 5 })
}

/** Plans or deletes the next batch of enrolments of a sequence. A change of the sequence begins at the first contact again. */
async function changeBatch(
  tx: Ctx,
  sequenceId: number,
  position: Position | undefined,
): Promise<Position | undefined | 'done'> {
  const [sequence] = await tx.sql<{ revision: number; pending: number }>`
    SELECT s.revision, (SELECT count(*)::int FROM sequence_revision v WHERE v.account_id = s.account_id AND v.sequence_id = s.id)
      AS pending
    FROM sequence s WHERE s.account_id = ${tx.sql.account} AND s.id = ${sequenceId}`
  if (!sequence) return (await removeBatch(tx, sequenceId, empty)) ? 'done' : undefined
  const { revision, pending } = sequence
  if (pending === 0) return 'done'
  const after = position?.revision === revision ? position.contactId : 0
  const [part] = await tx.sql<{ last: number | null }>`
    SELECT max(contact_id) AS last FROM (
      SELECT contact_id FROM enrolment
      WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId} AND state = 'ACTIVE' AND contact_id > ${after}
      ORDER BY contact_id LIMIT ${Math.ceil(rowsAtOnce(tx, batchSize) / pending)}::int) part`
  if (part?.last == null) return (await endRevisions(tx, sequenceId, revision)) ? 'done' : undefined
  await catchUp(tx, await lockStale(tx, sequenceId, { after, upTo: part.last, revision }))
  return { revision, contactId: part.last }
}

async function lockStale(
  tx: Ctx,
  sequenceId: number,
  { after, upTo, revision }: { after: number; upTo: number; revision: number },
): Promise<Enrolment[]> {
  return enrolmentTable.select(
    tx,
    sql`AND e.sequence_id = ${sequenceId} AND e.state = 'ACTIVE' AND e.contact_id > ${after} AND e.contact_id <= ${upTo}
      AND e.revision < ${revision} ORDER BY e.contact_id FOR NO KEY UPDATE`,
  )
}

/**
 * Deletes the revisions of a sequence for which all enrolments were planned. Returns false if it was changed meanwhile. Emits
 * `sequence.updated`.
 */
async function endRevisions(tx: Ctx, sequenceId: number, revision: number): Promise<boolean> {
  const [unchanged] = await tx.sql`
    SELECT FROM sequence WHERE account_id = ${tx.sql.account} AND id = ${sequenceId} AND revision = ${revision} FOR UPDATE`
  if (!unchanged) return false
  await tx.sql`DELETE FROM sequence_revision WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId}`
  await emit(tx, 'sequence.updated', { sequenceId })
  return true
}

/**
 * Deletes a batch of the enrolments of a sequence. Returns true if none are left. Emits `sequence.unsubscribed` for each active
 * one. Its messages that are in the queue are not sent.
 */
async function removeBatch(tx: Ctx, sequenceId: number, condition: Sql): Promise<boolean> {
  const size = rowsAtOnce(tx, batchSize)
  // Only by ctid: with other conditions, the planner may compare all enrolments of an account that is newer than its statistics.
  // An enrolment that another transaction changes meanwhile has another ctid, and is left for the next batch.
  const rows = await tx.sql<{ id: number | null; contactId: number; isActive: boolean; selected: number }>`
    WITH batch AS MATERIALIZED (
      SELECT ctid AS place FROM enrolment WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId} ${condition}
      LIMIT ${size}::int
    ), removed AS (
      DELETE FROM enrolment WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, contact_id, state
    ) SELECT r.id, r.contact_id AS "contactId", r.state = 'ACTIVE' AS "isActive", b.selected
      FROM (SELECT count(*)::int AS selected FROM batch) b LEFT JOIN removed r ON true`
  const removed = rows.filter(({ id }) => id !== null) as { id: number; contactId: number; isActive: boolean }[]
  const active = removed.filter(({ isActive }) => isActive)
  await queue.skipEnrolments(
    tx,
    active.map(({ id }) => id),
  )
  await emitAll(
    tx,
    'sequence.unsubscribed',
    active.map(({ contactId }) => eventDataOf({ contactId, sequenceId })),
  )
  const selected = rows[0]?.selected ?? 0
  return removed.length === selected && selected < size
}
