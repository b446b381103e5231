import type { EnrolmentEndReason, EnrolmentState } from '../../../prisma/generated/client/client.ts'
import { type Ctx, one } from '../../db/context.ts'
import { empty, isOneOf, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { countedColumns, countingParts, partOf } from './enrolment-parts.ts'
import type { Plan, PlannedStage, Revision } from './plan.ts'

/** Number of enrolments that one transaction plans or deletes, so that it takes less than a second. */
export const batchSize = 5_000

// A job deletes the enrolments of a sequence that was deleted.
export const enrolmentTable = table('Enrolment', 'e', {
  only: sql`EXISTS (SELECT FROM sequence o WHERE o.account_id = e.account_id AND o.id = e.sequence_id)`,
})
export type Enrolment = RowOf<typeof enrolmentTable>

export const stageTable = table('SequenceStage', 'g', { noun: 'stage' })
export type SequenceStage = RowOf<typeof stageTable>

/**
 * Returns the condition that a row belongs to any of the stages by its columns `sequence` and `stage`. The indexes of such rows
 * begin with the sequence.
 */
export function ofStages(ctx: Ctx, ids: readonly number[], sequence: Sql, stage: Sql): Sql {
  const sequences = sql`SELECT g.sequence_id ${stageTable.from(ctx)} AND ${isOneOf(sql`g.id`, ids)}`
  return sql`${sequence} = ANY(ARRAY(${sequences})) AND ${isOneOf(stage, ids)}`
}

/** Loads the stages of sequences, ordered by step. */
export const stagesOf = stageTable.manyBy('sequenceId', sql`g.step, g.id`)

/** What enrolments of a sequence are planned by. All fields are those of the same revision. */
export interface PlanBasis extends Pick<Revision, 'type'> {
  readonly id: number
  readonly revision: number
  readonly stages: readonly PlannedStage[]
}

/** Loads what enrolments of sequences are planned by, in one statement. */
export const planBasisOf = one<number, PlanBasis>(async (ctx, sequenceIds) => {
  const rows = await ctx.sql<PlanBasis>`
    SELECT s.id, s.revision, s.type, coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', g.id, 'step', g.step, 'active', g.active, 'timeValue', g.time_value,
        'timeType', g.time_type) ORDER BY g.step, g.id)
      FROM sequence_stage g WHERE g.account_id = ${ctx.sql.account} AND g.sequence_id = s.id), '[]') AS stages
    FROM sequence s WHERE s.account_id = ${ctx.sql.account} AND s.id = ANY(${sequenceIds}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** The fields of an enrolment that planning changes. */
export interface PlanChange {
  readonly id: number
  readonly state: EnrolmentState
  readonly position: number
  readonly nextStageId: number | null
  readonly dueAt: Date | null
  readonly endedAt: Date | null
  readonly endReason: EnrolmentEndReason | null
  readonly revision: number
}

/** Returns the data of the events of an enrolment. */
export function eventDataOf({ contactId, sequenceId }: Pick<Enrolment, 'contactId' | 'sequenceId'>) {
  return { contactId, sequenceId }
}

/** Returns what a plan for a revision changes in an enrolment. */
export function changeOf(id: number, position: number, plan: Plan, now: Date, revision: number): PlanChange {
  const planned = typeof plan === 'object' ? plan : { nextStageId: null, dueAt: null }
  const isOver = plan === 'completed'
  return {
    ...{ id, position, ...planned, revision },
    ...{ state: isOver ? 'COMPLETED' : 'ACTIVE', endedAt: isOver ? now : null, endReason: null },
  }
}

/**
 * Writes the changes of enrolments whose rows are locked, and counts them in the parts of their sequence. `more` sets further
 * columns.
 */
export async function writeChanges(
  tx: Ctx,
  changes: readonly (PlanChange & { readonly stageId?: number })[],
  more: Sql = empty,
): Promise<void> {
  if (changes.length === 0) return
  const change = sql`
    UPDATE enrolment e SET state = x.state::enrolment_state, position = x.position, next_stage_id = x."nextStageId",
      due_at = x."dueAt", ended_at = x."endedAt", end_reason = x."endReason"::enrolment_end_reason, revision = x.revision ${more}
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      AS x(id int, state text, position int, "nextStageId" int, "dueAt" timestamptz, "endedAt" timestamptz, "endReason" text,
        revision int, "stageId" int)
    JOIN (SELECT b.id, ${partOf(sql`b`)} AS part FROM enrolment b WHERE b.account_id = ${tx.sql.account}) old
      ON old.id = x.id
    WHERE e.account_id = ${tx.sql.account} AND e.id = x.id RETURNING ${countedColumns}`
  await tx.sql`${countingParts(change, sql`SELECT FROM changed`)}`
}
