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
  await tx.sql`
    INSERT INTO outbox_event (account_id, type, data, created_at)
    SELECT ${tx.sql.account}::int, ${type}, data, ${tx.clock.now()}::timestamptz
    FROM jsonb_array_elements(${JSON.stringify(all)}::jsonb) WITH ORDINALITY AS given(data, place) ORDER BY place`
}
