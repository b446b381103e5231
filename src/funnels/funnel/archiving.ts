import type { Funnel } from '../../../prisma/generated/client/client.ts'
import { announcePageChange } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { lock } from './funnel-list.ts'

/**
 * Archives a funnel: its pages return 404 until it is restored. Its steps, their published versions and their forms stay as
 * they are. Idempotent. **Emits** `funnel.updated`. **Throws** NOT_FOUND.
 */
export async function archive(ctx: Ctx, input: { id: string | number }): Promise<{ funnel: Funnel }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    return { funnel: await setArchivedAt(tx, before, before.archivedAt ?? tx.clock.now()) }
  })
}

/** Restores an archived funnel with its pages. Idempotent. **Emits** `funnel.updated`. **Throws** NOT_FOUND. */
export async function restore(ctx: Ctx, input: { id: string | number }): Promise<{ funnel: Funnel }> {
  return inTransaction(ctx, async (tx) => ({ funnel: await setArchivedAt(tx, await lock(tx, input.id), null) }))
}

async function setArchivedAt(tx: Ctx, before: Funnel, archivedAt: Date | null): Promise<Funnel> {
  if (before.archivedAt?.getTime() === archivedAt?.getTime()) return before
  await announcePageChange(tx)
  await emit(tx, 'funnel.updated', { funnelId: before.id })
  return tx.db.funnel.update({
    where: { accountId_id: { accountId: tx.accountId, id: before.id } },
    data: { archivedAt, updatedAt: tx.clock.now() },
  })
}
