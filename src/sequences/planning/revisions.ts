import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { zoneOf } from '../../db/zone.ts'
import { emitAll } from '../../events/index.ts'
import { queue } from '../../mail/index.ts'
import { type Replan, type Revision, replanned } from './plan.ts'
import { type Enrolment, enrolmentTable, eventDataOf, type PlanChange, planBasisOf, writeChanges } from './progress.ts'

/** Number of revisions of a sequence that one statement reads. Each contains all stages. */
const revisionsPerStatement = 20

interface StoredRevision extends Revision {
  readonly sequenceId: number
  readonly revision: number
}

/** A locked enrolment that is planned for changes of its sequence. */
interface Replanning {
  readonly before: Enrolment
  /** The revision that it is planned for. */
  readonly revision: number
  plan: Replan
  /** The stages that were deleted or deactivated while it was active. */
  readonly closed: { readonly stageId: number; readonly isDeleted: boolean }[]
}

/**
 * Locks active enrolments and plans them for all changes of their sequences. Returns those that are still active. `rest`
 * continues the statement: `AND … ORDER BY …`. Emits the events of `replanAll`.
 */
export async function lockActive(tx: Ctx, rest: Sql): Promise<Enrolment[]> {
  return catchUp(tx, await enrolmentTable.select(tx, sql`AND e.state = 'ACTIVE' ${rest} FOR NO KEY UPDATE`))
}

/**
 * Plans active enrolments, whose rows are locked, for the changes of their sequences that the job did not plan them for yet, one
 * change after another. Returns those that are still active. Emits the events of `replanAll`.
 */
export async function catchUp(tx: Ctx, locked: readonly Enrolment[]): Promise<Enrolment[]> {
  // Read after the enrolments were locked: an operation that changes the stages waits for the locks, or stores a revision.
  tx.load.clear()
  const bases = await Promise.all(locked.map(({ sequenceId }) => tx.load(planBasisOf, sequenceId)))
  const existing = locked.flatMap((before, index) => {
    const revision = bases[index]?.revision
    return revision === undefined ? [] : [{ before, revision }]
  })
  const stale = existing.filter(({ before, revision }) => before.revision < revision)
  if (stale.length === 0) return existing.map(({ before }) => before)
  const [plans, zone] = await Promise.all([begin(tx, stale), zoneOf(tx)])
  const positions = new Map<number, { after: number; upTo: number }>()
  for (const { before, revision } of stale) {
    const after = Math.min(before.revision, positions.get(before.sequenceId)?.after ?? before.revision)
    positions.set(before.sequenceId, { after, upTo: revision })
  }
  for (;;) {
    const revisions = await read(tx, positions)
    if (revisions.length === 0) break
    const bySequence = Map.groupBy(revisions, ({ sequenceId }) => sequenceId)
    for (const each of plans)
      for (const revision of bySequence.get(each.before.sequenceId) ?? [])
        if (revision.revision > each.before.revision) apply(each, revision, zone)
    for (const [id, all] of bySequence)
      positions.set(id, { after: all.at(-1)?.revision ?? 0, upTo: positions.get(id)?.upTo ?? 0 })
  }
  const planned = new Map((await store(tx, plans)).map((each) => [each.id, each]))
  const ids = new Set(stale.map(({ before }) => before.id))
  return existing.flatMap(({ before }) => (ids.has(before.id) ? (planned.get(before.id) ?? []) : [before]))
}

/**
 * Plans active enrolments, whose rows are locked, for a change of their sequence. Emits `sequence.completed` for each enrolment
 * that has no stages left, and `sequence.unsubscribed` for each that the change ends.
 */
export async function replanAll(
  tx: Ctx,
  locked: readonly Enrolment[],
  change: Revision & { readonly revision: number },
): Promise<void> {
  const all = locked.map((before) => ({ before, revision: change.revision }))
  const [plans, zone] = await Promise.all([begin(tx, all), zoneOf(tx)])
  for (const each of plans) apply(each, change, zone)
  await store(tx, plans)
}

/** Reads the messages of the next stages of enrolments that may wait for them. */
async function begin(tx: Ctx, all: readonly Pick<Replanning, 'before' | 'revision'>[]): Promise<Replanning[]> {
  const now = tx.clock.now()
  const keys = all.flatMap(({ before: { id, nextStageId, dueAt } }) =>
    nextStageId !== null && (dueAt === null || dueAt <= now) ? [{ enrolmentId: id, stageId: nextStageId }] : [],
  )
  const messages = new Map((await queue.findMessages(tx, keys)).map((each) => [each.enrolmentId, each]))
  return all.map(({ before, revision }) => ({
    ...{ before, revision, closed: [] },
    plan: { progress: before, message: messages.get(before.id) },
  }))
}

function apply(each: Replanning, revision: Revision, zone: string): void {
  const { closedStageIds, stages } = revision
  if (each.plan.over) return
  each.plan = replanned(each.plan, revision, zone)
  for (const stageId of closedStageIds)
    each.closed.push({ stageId, isDeleted: !stages?.some(({ id }) => id === stageId) })
}

/** Stores what was planned, and removes messages from the queue that shall not be sent. Returns the active enrolments. */
async function store(tx: Ctx, plans: readonly Replanning[]): Promise<Enrolment[]> {
  const results = plans.map((each) => ({ ...each, change: changeOf(each) }))
  await writeChanges(
    tx,
    results.filter(({ before, change }) => isChanged(before, change)).map(({ change }) => change),
  )
  const { COMPLETED: completed = [], ENDED: ended = [] } = Object.groupBy(results, ({ change }) => change.state)
  await queue.skipEnrolments(
    tx,
    ended.map(({ before }) => before.id),
  )
  const closed = results.flatMap(({ before, closed }) => closed.map((each) => ({ ...each, enrolmentId: before.id })))
  await queue.skipMessages(
    tx,
    closed.filter(({ isDeleted }) => isDeleted),
  )
  await queue.removeQueued(
    tx,
    closed.filter(({ isDeleted }) => !isDeleted),
  )
  const dataOf = (all: typeof results) => all.map(({ before }) => eventDataOf(before))
  await emitAll(tx, 'sequence.completed', dataOf(completed))
  await emitAll(tx, 'sequence.unsubscribed', dataOf(ended))
  return results.flatMap(({ before, change }) => (change.state === 'ACTIVE' ? [{ ...before, ...change }] : []))
}

function changeOf({ before, revision, plan: { progress, over } }: Replanning): PlanChange {
  const { position, nextStageId, dueAt } = progress
  const id = before.id
  if (!over) return { id, state: 'ACTIVE', position, nextStageId, dueAt, endedAt: null, endReason: null, revision }
  const { state, at: endedAt } = over
  const endReason = state === 'ENDED' ? 'REMOVED' : null
  return { id, state, position, nextStageId: null, dueAt: null, endedAt, endReason, revision }
}

function isChanged(before: Enrolment, change: PlanChange): boolean {
  return (
    before.state !== change.state ||
    before.position !== change.position ||
    before.nextStageId !== change.nextStageId ||
    before.dueAt?.getTime() !== change.dueAt?.getTime() ||
    before.revision !== change.revision
  )
}

/** Reads the next revisions of sequences after a position, each with its time. */
async function read(
  tx: Ctx,
  positions: ReadonlyMap<number, { readonly after: number; readonly upTo: number }>,
): Promise<StoredRevision[]> {
  const bounds = [...positions].map(([id, { after, upTo }]) => ({ id, after, upTo }))
  return tx.sql`
    SELECT v.* FROM jsonb_to_recordset(${JSON.stringify(bounds)}::jsonb) AS x(id int, after int, "upTo" int)
    CROSS JOIN LATERAL (
      SELECT v.sequence_id AS "sequenceId", v.revision, v.type, v.stages, v.moved_from AS "movedFrom", v.moved_to AS "movedTo",
        v.closed_stage_ids AS "closedStageIds", v.created_at AS "createdAt"
      FROM sequence_revision v WHERE v.account_id = ${tx.sql.account} AND v.sequence_id = x.id AND v.revision > x.after
        AND v.revision <= x."upTo" ORDER BY v.revision LIMIT ${revisionsPerStatement}::int) v
    ORDER BY v."sequenceId", v.revision`
}
