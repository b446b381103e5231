import type { Ctx } from '../kernel/context.ts'
import type { EventData, EventType } from './types.ts'

/**
 * Announces a change, in its transaction: the event is seen exactly when the change is. Called after the change that it
 * announces, so that the events of one resource keep their order.
 */
export async function emit<Type extends EventType>(tx: Ctx, type: Type, data: EventData[Type]): Promise<void> {
  await emitAll(tx, type, [data])
}

/** Announces many changes of one kind with one statement. */
export async function emitAll<Type extends EventType>(
  tx: Ctx,
  type: Type,
  all: readonly EventData[Type][],
): Promise<void> {
  if (!tx.afterCommit) throw new Error(`${type} is announced outside of a transaction.`)
  if (all.length === 0) return
  const createdAt = tx.clock.now()
  await tx.db.outboxEvent.createMany({ data: all.map((data) => ({ accountId: tx.accountId, type, data, createdAt })) })
}
