import type { EnrolmentEndReason, EnrolmentState } from '../../prisma/generated/client/client.ts'
import { type Ctx, many, one } from '../db/context.ts'
import type { SequenceStage } from './progress.ts'

/** Number of enrolments of a sequence by how they ended. */
export interface EnrolmentCounts {
  readonly active: number
  readonly completed: number
  readonly removed: number
  readonly unsubscribed: number
  readonly contactDeleted: number
  /** Ended before reasons were stored. */
  readonly unknown: number
}

/** The counts of a sequence without enrolments. */
export const zeroCounts: EnrolmentCounts = {
  active: 0,
  completed: 0,
  removed: 0,
  unsubscribed: 0,
  contactDeleted: 0,
  unknown: 0,
}

const endings: Readonly<Record<EnrolmentEndReason, keyof EnrolmentCounts>> = {
  REMOVED: 'removed',
  UNSUBSCRIBED: 'unsubscribed',
  CONTACT_DELETED: 'contactDeleted',
}

interface CountRow {
  readonly sequenceId: number
  readonly state: EnrolmentState
  readonly endReason: EnrolmentEndReason | null
  readonly n: number
}

/** Loads the number of enrolments by state and by the reason of their end, by sequence. */
export const countsOfSequence = one<number, EnrolmentCounts>(async (ctx, sequenceIds) => {
  const rows = await ctx.sql<CountRow>`
    SELECT e.sequence_id AS "sequenceId", e.state, e.end_reason AS "endReason", count(*)::int AS n FROM enrolment e
    WHERE e.account_id = ${ctx.sql.account} AND e.sequence_id = ANY(${sequenceIds}::int[])
    GROUP BY e.sequence_id, e.state, e.end_reason`
  const bySequence = Map.groupBy(rows, (row) => row.sequenceId)
  return new Map(
    [...bySequence].map(([id, counts]) => [
      id,
      { ...zeroCounts, ...Object.fromEntries(counts.map((row) => [endingOf(row), row.n])) },
    ]),
  )
})

function endingOf({ state, endReason }: CountRow): keyof EnrolmentCounts {
  if (state === 'ACTIVE') return 'active'
  if (state === 'COMPLETED') return 'completed'
  return endReason === null ? 'unknown' : endings[endReason]
}

/** Loads the number of active enrolments by their next stage, by sequence. Stages without any are omitted. */
const waitingIn = many<number, { stageId: number; n: number }>(async (ctx, sequenceIds) => {
  const rows = await ctx.sql<{ sequenceId: number; stageId: number; n: number }>`
    SELECT e.sequence_id AS "sequenceId", e.next_stage_id AS "stageId", count(*)::int AS n FROM enrolment e
    WHERE e.account_id = ${ctx.sql.account} AND e.sequence_id = ANY(${sequenceIds}::int[]) AND e.state = 'ACTIVE'
      AND e.next_stage_id IS NOT NULL
    GROUP BY e.sequence_id, e.next_stage_id`
  return Map.groupBy(rows, (row) => row.sequenceId)
})

/** Returns the number of active enrolments whose next stage this is. */
export async function waitingFor(ctx: Ctx, { id, sequenceId }: SequenceStage): Promise<number> {
  const all = await ctx.load(waitingIn, sequenceId)
  return all.find(({ stageId }) => stageId === id)?.n ?? 0
}
