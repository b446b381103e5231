import { type Ctx, many } from '../../db/context.ts'
import { partsIn } from '../../db/figures/figure-parts.ts'
import { figureObject } from '../../db/figures/figures.ts'
import type { SequenceStage } from '../planning/progress.ts'

/** Number of enrolments of a sequence by how they ended. */
export interface EnrolmentCounts {
  readonly active: number
  /** Active ones without a next stage. */
  readonly waiting: number
  readonly completed: number
  readonly removed: number
  readonly unsubscribed: number
  readonly contactDeleted: number
  readonly merged: number
}

const zeroCounts: EnrolmentCounts = {
  active: 0,
  waiting: 0,
  completed: 0,
  removed: 0,
  unsubscribed: 0,
  contactDeleted: 0,
  merged: 0,
}

const counted = {
  'COMPLETED:': 'completed',
  'ENDED:REMOVED': 'removed',
  'ENDED:UNSUBSCRIBED': 'unsubscribed',
  'ENDED:CONTACT_DELETED': 'contactDeleted',
  'ENDED:MERGED': 'merged',
} as const

/** Number of the enrolments of a sequence in one part, by `partOf`. */
interface PartCount {
  readonly sequenceId: number
  readonly part: string
  readonly n: number
}

/** Loads the number of enrolments by part, by sequence. */
const partsOfSequence = many<number, PartCount>(async (ctx, sequenceIds) => {
  const objects = sequenceIds.map((id) => figureObject('Sequence', id))
  const rows = await ctx.sql<PartCount>`
    SELECT substr(object, ${'Sequence:'.length + 1}::int)::int AS "sequenceId", part, value::int AS n
    FROM (${partsIn(ctx, ['ENROLMENTS'], objects, {})}) p`
  return Map.groupBy(rows, (row) => row.sequenceId)
})

/** Returns the number of enrolments of a sequence by state and by the reason of their end. */
export async function countsOf(ctx: Ctx, sequenceId: number): Promise<EnrolmentCounts> {
  const counts: Record<keyof EnrolmentCounts, number> = { ...zeroCounts }
  for (const { part, n } of await ctx.load(partsOfSequence, sequenceId)) {
    if (part === 'ACTIVE:') counts.waiting += n
    counts[isActive(part) ? 'active' : counted[part as keyof typeof counted]] += n
  }
  return counts
}

/** Returns the number of active enrolments whose next stage this is. */
export async function waitingFor(ctx: Ctx, { id, sequenceId }: SequenceStage): Promise<number> {
  const parts = await ctx.load(partsOfSequence, sequenceId)
  return parts.find(({ part }) => part === `ACTIVE:${id}`)?.n ?? 0
}

function isActive(part: string): boolean {
  return part.startsWith('ACTIVE:')
}
