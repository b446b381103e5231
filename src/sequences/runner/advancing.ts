import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { zoneOf } from '../../db/zone.ts'
import { emitAll } from '../../events/index.ts'
import { planOf } from '../planning/plan.ts'
import { changeOf, type Enrolment, eventDataOf, planBasisOf, writeChanges } from '../planning/progress.ts'
import { lockActive } from '../planning/revisions.ts'

/**
 * Records that a stage was done for an enrolment and plans the next one. Returns false, and changes nothing, if the
 * enrolment is not active or the stage was done before. Emits `sequence.completed` after the last stage.
 */
export async function advance(ctx: Ctx, input: { enrolmentId: number; stageId: number }): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const [before] = await lockActive(tx, sql`AND e.id = ${input.enrolmentId}`)
    return before !== undefined && (await advanceAll(tx, [{ before, stageId: input.stageId }])) > 0
  })
}

/** Does the same as `advance` for many enrolments, which `lockActive` returned. Returns the number of changed ones. */
export async function advanceAll(tx: Ctx, all: readonly { before: Enrolment; stageId: number }[]): Promise<number> {
  const now = tx.clock.now()
  const changes = await Promise.all(
    all.map(async ({ before, stageId }) => {
      const [basis, zone] = await Promise.all([tx.load(planBasisOf, before.sequenceId), zoneOf(tx)])
      const stage = basis?.stages.find(({ id }) => id === stageId)
      if (!basis || !stage || before.doneStageIds.includes(stageId)) return []
      const position = Math.max(before.position, stage.step)
      const done = { doneStageIds: [...before.doneStageIds, stageId], lastStageId: stageId, lastDoneAt: now }
      const plan = planOf(basis.type, basis.stages, { ...before, ...done, position }, { now, zone })
      return [{ before, change: { ...changeOf(before.id, position, plan, now, before.revision), stageId } }]
    }),
  )
  const advanced = changes.flat()
  if (advanced.length === 0) return 0
  await writeChanges(
    tx,
    advanced.map(({ change }) => change),
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
