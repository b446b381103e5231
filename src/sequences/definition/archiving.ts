import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { replan } from '../planning/replanning.ts'
import { lock, type Sequence } from './sequences.ts'

/**
 * Archives a sequence: it takes no new enrolments until it is restored. Contacts that are enrolled complete it, unless
 * `endEnrolments` is true. Idempotent. Emits `sequence.updated`, and `sequence.unsubscribed` for each enrolment that it ends.
 * Throws NOT_FOUND.
 */
export async function archive(
  ctx: Ctx,
  input: { id: string | number; endEnrolments?: boolean | null | undefined },
): Promise<{ sequence: Sequence }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (input.endEnrolments) await replan(tx, before.id, { endsAll: true })
    return { sequence: await setArchivedAt(tx, before, before.archivedAt ?? tx.clock.now()) }
  })
}

/** Restores an archived sequence. Idempotent. Emits `sequence.updated`. Throws NOT_FOUND. */
export async function restore(ctx: Ctx, input: { id: string | number }): Promise<{ sequence: Sequence }> {
  return inTransaction(ctx, async (tx) => ({ sequence: await setArchivedAt(tx, await lock(tx, input.id), null) }))
}

async function setArchivedAt(tx: Ctx, before: Sequence, archivedAt: Date | null): Promise<Sequence> {
  if (before.archivedAt?.getTime() === archivedAt?.getTime()) return before
  await emit(tx, 'sequence.updated', { sequenceId: before.id })
  return tx.db.sequence.update({
    where: { accountId_id: { accountId: tx.accountId, id: before.id } },
    data: { archivedAt, updatedAt: tx.clock.now() },
  })
}
