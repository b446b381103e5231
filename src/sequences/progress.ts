import type { EnrolmentState, Sequence } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { inTransaction } from '../db/transaction.ts'
import { emitAll } from '../events/index.ts'
import { countedColumns, countingParts, partOf } from './enrolment-parts.ts'
import { movedPosition, type Plan, planOf } from './plan.ts'

/** Number of enrolments that one statement plans or ends. */
export const batchSize = 5_000

/** Timeout of an operation that replans all enrolments of a sequence. 100,000 enrolments take some seconds. */
export const replanTimeoutMs = 300_000

export const enrolmentTable = table('Enrolment', 'e')
export type Enrolment = RowOf<typeof enrolmentTable>

export const stageTable = table('SequenceStage', 'g', { noun: 'stage' })
export type SequenceStage = RowOf<typeof stageTable>

/** Loads the stages of sequences, ordered by step. */
export const stagesOf = stageTable.manyBy('sequenceId', sql`g.step, g.id`)

/** The fields of an enrolment that planning changes. */
export interface PlanChange {
  readonly id: number
  readonly state: EnrolmentState
  readonly position: number
  readonly nextStageId: number | null
  readonly dueAt: Date | null
  readonly endedAt: Date | null
}

/**
 * Replans the active enrolments of a sequence, which the caller has locked, after its stages or its type changed. `move`
 * contains the old and the new step of a moved stage; 0 means none. Emits `sequence.completed` for each enrolment that has
 * no stages left.
 */
export async function replan(
  tx: Ctx,
  sequence: Pick<Sequence, 'id' | 'type'>,
  move?: { from: number; to: number },
): Promise<void> {
  tx.load.clear()
  const stages = await tx.load(stagesOf, sequence.id)
  const now = tx.clock.now()
  for (let after = 0; ; ) {
    const rows = await enrolmentTable.select(
      tx,
      sql`AND e.sequence_id = ${sequence.id} AND e.state = 'ACTIVE' AND e.contact_id > ${after}
        ORDER BY e.contact_id LIMIT ${batchSize}::int FOR NO KEY UPDATE`,
    )
    const planned = rows.map((before) => {
      const position = move ? movedPosition(before.position, move.from, move.to) : before.position
      const plan = planOf(sequence.type, stages, { ...before, position }, now)
      return { before, change: changeOf(before.id, position, plan, now) }
    })
    const changed = planned.filter(({ before, change }) => isChanged(before, change))
    await write(tx, changed)
    const completed = changed.filter(({ change }) => change.state === 'COMPLETED')
    await emitAll(
      tx,
      'sequence.completed',
      completed.map(({ before }) => eventDataOf(before)),
    )
    if (rows.length < batchSize) return
    after = rows.at(-1)?.contactId as number
  }
}

/** An enrolment whose row is locked, with the type of its sequence. */
export type LockedEnrolment = Enrolment & { readonly type: Sequence['type'] }

/**
 * Records that a stage was done for an enrolment and plans the next one. Returns false, and changes nothing, if the
 * enrolment is not active or the stage was done before. Emits `sequence.completed` after the last stage.
 */
export async function advance(ctx: Ctx, input: { enrolmentId: number; stageId: number }): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const [before] = await tx.sql<LockedEnrolment>`
      SELECT ${enrolmentTable.columns}, s.type FROM enrolment e JOIN sequence s ON s.account_id = e.account_id AND s.id = e.sequence_id
      WHERE e.account_id = ${tx.sql.account} AND e.id = ${input.enrolmentId} AND e.state = 'ACTIVE' FOR NO KEY UPDATE OF e`
    return before !== undefined && (await advanceAll(tx, [{ before, stageId: input.stageId }])) > 0
  })
}

/** Does the same as `advance` for many enrolments, whose rows the caller has locked. Returns the number of changed ones. */
export async function advanceAll(
  tx: Ctx,
  all: readonly { before: LockedEnrolment; stageId: number }[],
): Promise<number> {
  const now = tx.clock.now()
  const changes = await Promise.all(
    all.map(async ({ before, stageId }) => {
      // Read after the enrolment is locked: an operation that changes the stages waits for the lock and then replans.
      const stages = await tx.load(stagesOf, before.sequenceId)
      const stage = stages.find(({ id }) => id === stageId)
      if (!stage || before.doneStageIds.includes(stageId)) return []
      const position = Math.max(before.position, stage.step)
      const done = { doneStageIds: [...before.doneStageIds, stageId], lastStageId: stageId, lastDoneAt: now }
      const plan = planOf(before.type, stages, { ...before, ...done, position }, now)
      return [{ before, change: { ...changeOf(before.id, position, plan, now), stageId } }]
    }),
  )
  const advanced = changes.flat()
  if (advanced.length === 0) return 0
  await write(
    tx,
    advanced,
    sql`, done_stage_ids = e.done_stage_ids || x."stageId", last_stage_id = x."stageId", last_done_at = ${now}::timestamptz, attempts = 0`,
  )
  const completed = advanced.filter(({ change }) => change.state === 'COMPLETED')
  await emitAll(
    tx,
    'sequence.completed',
    completed.map(({ before }) => eventDataOf(before)),
  )
  return advanced.length
}

/** Deletes the active enrolments of a sequence that is about to be deleted. Emits `sequence.unsubscribed` for each. */
export async function endAll(tx: Ctx, sequenceId: number): Promise<void> {
  for (;;) {
    const ended = await tx.sql<{ contactId: number }>`
      DELETE FROM enrolment WHERE account_id = ${tx.sql.account} AND id IN (
        SELECT id FROM enrolment WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequenceId} AND state = 'ACTIVE'
        LIMIT ${batchSize}::int)
      RETURNING contact_id AS "contactId"`
    await emitAll(
      tx,
      'sequence.unsubscribed',
      ended.map(({ contactId }) => ({ contactId, sequenceId })),
    )
    if (ended.length < batchSize) return
  }
}

/** Returns the data of the events of an enrolment. */
export function eventDataOf({ contactId, sequenceId }: Pick<Enrolment, 'contactId' | 'sequenceId'>) {
  return { contactId, sequenceId }
}

/** Returns what a plan changes in an enrolment. */
export function changeOf(id: number, position: number, plan: Plan, now: Date): PlanChange {
  const planned = typeof plan === 'object' ? plan : { nextStageId: null, dueAt: null }
  const isOver = plan === 'completed'
  return { id, position, ...planned, state: isOver ? 'COMPLETED' : 'ACTIVE', endedAt: isOver ? now : null }
}

function isChanged(before: Enrolment, change: PlanChange): boolean {
  return (
    before.state !== change.state ||
    before.position !== change.position ||
    before.nextStageId !== change.nextStageId ||
    before.dueAt?.getTime() !== change.dueAt?.getTime()
  )
}

/**
 * Writes the changes of enrolments whose rows are locked, and counts them in the parts of their sequence. `more` sets further columns.
 */
async function write(
  tx: Ctx,
  changes: readonly { readonly change: PlanChange & { readonly stageId?: number } }[],
  more: Sql = empty,
): Promise<void> {
  if (changes.length === 0) return
  const change = sql`
    UPDATE enrolment e SET state = x.state::enrolment_state, position = x.position, next_stage_id = x."nextStageId",
      due_at = x."dueAt", ended_at = x."endedAt" ${more}
    FROM jsonb_to_recordset(${JSON.stringify(changes.map((each) => each.change))}::jsonb)
      AS x(id int, state text, position int, "nextStageId" int, "dueAt" timestamptz, "endedAt" timestamptz, "stageId" int)
    JOIN (SELECT b.id, ${partOf(sql`b`)} AS part FROM enrolment b WHERE b.account_id = ${tx.sql.account}) old
      ON old.id = x.id
    WHERE e.account_id = ${tx.sql.account} AND e.id = x.id RETURNING ${countedColumns}`
  await tx.sql`${countingParts(change, sql`SELECT FROM changed`)}`
}
