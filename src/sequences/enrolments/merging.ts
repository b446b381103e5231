import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { emitAll } from '../../events/index.ts'
import { queue, reachedStages } from '../../mail/index.ts'
import { sequenceTable } from '../definition/sequences.ts'
import { enrolmentTable } from '../planning/progress.ts'
import { lockActive } from '../planning/revisions.ts'
import { end, mustNotExceedLimit } from './enrolments.ts'

/**
 * Gives the enrolments of a contact to another one. If both are enrolled in a sequence, the enrolment that is further continues
 * and the other one ends, so that no stage is sent twice. The messages of both contacts are locked.
 *
 * **Emits** `sequence.subscribed` for sequences in which the target was not enrolled. **Throws** VALIDATION_ERROR if it would be
 * in too many sequences.
 */
export async function mergeEnrolments(tx: Ctx, fromId: number, intoId: number): Promise<void> {
  const ofBoth = sql`AND e.contact_id = ANY(${[fromId, intoId]}::int[])`
  const sequenceIds = (await enrolmentTable.select(tx, sql`${ofBoth} AND e.state = 'ACTIVE'`)).map(
    ({ sequenceId }) => sequenceId,
  )
  // The job plans enrolments in the order of their contacts, and would miss one that moves while a change begins.
  await sequenceTable.select(tx, sql`AND s.id = ANY(${sequenceIds}::int[]) ORDER BY s.id FOR SHARE`)
  const active = await lockActive(tx, sql`${ofBoth} ORDER BY e.id`)
  const reached = await reachedStages(
    tx,
    active.map(({ id }) => id),
  )
  const progressOf = ({ id, position, nextStageId }: (typeof active)[number]) =>
    position + Number(reached.some(({ enrolmentId, stageId }) => enrolmentId === id && stageId === nextStageId))
  const own = new Map(active.filter(({ contactId }) => contactId === intoId).map((each) => [each.sequenceId, each]))
  const moved = active.filter(({ contactId }) => contactId === fromId)
  const ended = moved.flatMap((each) => {
    const other = own.get(each.sequenceId)
    if (!other) return []
    return progressOf(each) > progressOf(other) ? [other.id] : [each.id]
  })
  if (ended.length > 0) await end(tx, sql`e.id = ANY(${ended}::int[])`, 'MERGED')
  await queue.skipEnrolments(tx, ended)
  await tx.sql`
    UPDATE enrolment e SET contact_id = ${intoId}::int WHERE e.id IN (SELECT e.id ${enrolmentTable.from(tx)} AND e.contact_id = ${fromId}::int)
      AND e.account_id = ${tx.sql.account}`
  const gained = moved.filter(({ sequenceId }) => !own.has(sequenceId))
  if (gained.length > 0) await mustNotExceedLimit(tx, intoId, 'contact')
  await emitAll(
    tx,
    'sequence.subscribed',
    gained.map(({ sequenceId }) => ({ contactId: intoId, sequenceId })),
  )
}
