import { type Ctx, many } from '../../db/context.ts'
import { zoneOf } from '../../db/zone.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { planOf } from '../planning/plan.ts'
import {
  batchSize,
  type Enrolment,
  enrolmentTable,
  planBasisOf,
  type SequenceStage,
  stagesOf,
} from '../planning/progress.ts'

/** Contacts whose next stage would be another one if stages were activated. */
export interface StageActivation {
  readonly stage: SequenceStage
  readonly dueNow: number
  readonly dueLater: number
}

/** What active enrolments would get if stages were activated. With `hasMore`, only a part of them was planned. */
export interface Activation {
  readonly stages: readonly StageActivation[]
  readonly hasMore: boolean
}

/** Points of a plan of all active enrolments, as of a page of 50 objects. */
export const cost = 50

/** Loads active enrolments of sequences: of each, one more than are planned. */
const activeOf = many<number, Enrolment>(async (ctx, sequenceIds) => {
  const rows = await ctx.sql<Enrolment>`
    SELECT e.* FROM unnest(${sequenceIds}::int[]) AS parent(id) CROSS JOIN LATERAL (
      SELECT ${enrolmentTable.columns} ${enrolmentTable.from(ctx)} AND e.sequence_id = parent.id AND e.state = 'ACTIVE'
      ORDER BY e.contact_id LIMIT ${batchSize + 1}::int) e`
  return Map.groupBy(rows, ({ sequenceId }) => sequenceId)
})

/**
 * Plans the active enrolments of a sequence as if stages were active, all of them by default, and counts those whose next stage
 * changes. Returns null if the sequence does not have one of the stages.
 */
export async function activationOf(
  ctx: Ctx,
  sequenceId: number,
  stageIds: readonly (string | number)[] | null | undefined,
): Promise<Activation | null> {
  const [basis, stages, active, zone] = await Promise.all([
    ctx.load(planBasisOf, sequenceId),
    ctx.load(stagesOf, sequenceId),
    ctx.load(activeOf, sequenceId),
    zoneOf(ctx),
  ])
  const chosen = stageIds?.map((id) => idOf('SequenceStage', id, 'stageIds')) ?? stages.map(({ id }) => id)
  if (!basis || chosen.some((id) => !stages.some((stage) => stage.id === id))) return null
  const planned = stages.map((stage) => ({ ...stage, active: stage.active || chosen.includes(stage.id) }))
  const now = ctx.clock.now()
  const plans = active.slice(0, batchSize).flatMap((enrolment) => {
    const plan = planOf(basis.type, planned, enrolment, { now, zone })
    return typeof plan === 'object' && plan.nextStageId !== enrolment.nextStageId ? [plan] : []
  })
  const byStage = Map.groupBy(plans, ({ nextStageId }) => nextStageId)
  return {
    stages: stages.flatMap((stage) => {
      const all = byStage.get(stage.id)
      if (!all) return []
      const dueNow = all.filter(({ dueAt }) => dueAt <= now).length
      return [{ stage, dueNow, dueLater: all.length - dueNow }]
    }),
    hasMore: active.length > batchSize,
  }
}
