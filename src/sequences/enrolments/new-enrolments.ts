import type { Ctx } from '../../db/context.ts'
import { isOneOf, rowsOf, type Sql, sql } from '../../db/sql.ts'
import { zoneOf } from '../../db/zone.ts'
import { emitAll } from '../../events/index.ts'
import { type Sequence, sequenceTable } from '../definition/sequences.ts'
import { countingParts } from '../planning/enrolment-parts.ts'
import { type PlannedStage, type Progress, planOf } from '../planning/plan.ts'
import { changeOf, type Enrolment, enrolmentTable, eventDataOf, type PlanChange } from '../planning/progress.ts'
import { lockActive } from '../planning/revisions.ts'

/** A sequence and its stages by step, which cannot change until the transaction ends. */
export interface LockedSequence {
  readonly sequence: Sequence
  readonly stages: readonly PlannedStage[]
}

/** Locks sequences to enrol contacts, and returns those that exist, by id. */
export async function lockToEnrol(tx: Ctx, sequenceIds: readonly number[]): Promise<LockedSequence[]> {
  // The stages are read by a second statement, which runs after the lock: the first one may see those of before it waited.
  const [sequences, stages] = await Promise.all([
    sequenceTable.select(tx, sql`AND ${isOneOf(sql`s.id`, sequenceIds)} ORDER BY s.id FOR SHARE`),
    tx.sql<PlannedStage & { sequenceId: number }>`
      SELECT g.sequence_id AS "sequenceId", g.id, g.step, g.active, g.time_value AS "timeValue", g.time_type AS "timeType"
      FROM sequence_stage g WHERE g.account_id = ${tx.sql.account} AND ${isOneOf(sql`g.sequence_id`, sequenceIds)} ORDER BY g.step, g.id`,
  ])
  const byId = Map.groupBy(stages, ({ sequenceId }) => sequenceId)
  return sequences.map((sequence) => ({ sequence, stages: byId.get(sequence.id) ?? [] }))
}

/**
 * Enrols contacts, whose rows the caller has locked, in sequences, with their first stage planned. Skips those that are enrolled.
 * Returns the created enrolments, each with the value of `more`. Emits `sequence.subscribed`, and `sequence.completed` for each
 * that has no stages left.
 */
export async function insertPlanned<More>(
  tx: Ctx,
  sequences: readonly LockedSequence[],
  contactIds: readonly number[],
  anchorDate: Date | null,
  more: Sql,
): Promise<(Enrolment & { readonly more: More })[]> {
  if (sequences.length === 0) return []
  const revised = sequences.flatMap(({ sequence: { id, revision } }) => (revision > 0 ? [id] : []))
  if (revised.length > 0) await catchUpContacts(tx, contactIds, revised)
  const [now, zone] = [tx.clock.now(), await zoneOf(tx)]
  const progress: Progress = { ...notStarted, enrolledAt: now, anchorDate }
  const plans = sequences.map(({ sequence: { id, type, revision }, stages }) =>
    changeOf(id, 0, planOf(type, stages, progress, { now, zone }), now, revision),
  )
  const columnOf = (field: keyof PlanChange) => plans.map((plan) => plan[field])
  const planned = rowsOf(
    [columnOf('id'), 'int'],
    [columnOf('state'), 'text'],
    [columnOf('nextStageId'), 'int'],
    [columnOf('dueAt'), 'timestamptz'],
    [columnOf('endedAt'), 'timestamptz'],
    [columnOf('revision'), 'int'],
  )
  // The index of active enrolments finds no conflict for one that is completed at once.
  const change = sql`
    INSERT INTO enrolment AS e (account_id, contact_id, sequence_id, anchor_date, enrolled_at, done_stage_ids, state, next_stage_id,
      due_at, ended_at, revision)
    SELECT ${tx.sql.account}::int, given.id, p.id, ${anchorDate}::timestamptz, ${now}::timestamptz, '{}', p.state::enrolment_state,
      p.stage_id, p.due_at, p.ended_at, p.revision
    FROM ${rowsOf([contactIds, 'int'])} AS given(id)
      CROSS JOIN ${planned} AS p(id, state, stage_id, due_at, ended_at, revision)
    WHERE p.state = 'ACTIVE' OR NOT EXISTS (SELECT FROM enrolment a WHERE a.account_id = ${tx.sql.account} AND a.contact_id = given.id
      AND a.sequence_id = p.id AND a.state = 'ACTIVE')
    ON CONFLICT (account_id, contact_id, sequence_id) WHERE state = 'ACTIVE' DO NOTHING RETURNING e.*, NULL::text AS part_before`
  const result = sql`SELECT ${enrolmentTable.columns}, ${more} AS more FROM changed e`
  const started = await tx.sql<Enrolment & { more: More }>`${countingParts(change, result)}`
  await emitAll(tx, 'sequence.subscribed', started.map(eventDataOf))
  await emitAll(tx, 'sequence.completed', started.filter(({ state }) => state === 'COMPLETED').map(eventDataOf))
  return started
}

/** Plans the enrolments of contacts for changes that the job did not plan them for yet, and that may end them. */
async function catchUpContacts(tx: Ctx, contactIds: readonly number[], sequenceIds: readonly number[]): Promise<void> {
  await lockActive(
    tx,
    sql`AND e.contact_id = ANY(${contactIds}::int[]) AND e.sequence_id = ANY(${sequenceIds}::int[])
      AND EXISTS (SELECT FROM sequence_revision v WHERE v.account_id = ${tx.sql.account} AND v.sequence_id = e.sequence_id
        AND v.revision > e.revision) ORDER BY e.id`,
  )
}

/** The progress of an enrolment of which no stage was done. */
const notStarted = { position: 0, doneStageIds: [], lastDoneAt: null, nextStageId: null, dueAt: null }
