import type { Ctx, System } from '../context.ts'
import { removeOld } from '../upkeep/retention.ts'
import { isRepeat } from './idempotency.ts'

/** A change that a key or a user made. */
interface Change {
  /** The mutation. */
  readonly action: string
  /** Global ids of the objects that were created, changed or deleted. */
  readonly objects: readonly string[]
  /** Paths of the fields of the input that were set, without their values. */
  readonly fields: readonly string[]
}

/**
 * Creates the recorder of a mutation, which adds one entry to the audit log, with the key or the user, and the address of the
 * request. `read` describes the change from the result. The entry is committed together with the first transaction of the
 * operation, or follows if there was none. The repeated result of an idempotent request is not recorded.
 */
export function recorderOf(read: (result: unknown) => Change) {
  let isRecorded = false
  return {
    inTransaction: async (tx: Ctx, result: unknown): Promise<void> => {
      if (isRecorded || isRepeat(result)) return
      await insert(tx, read(result))
      // After a rollback, the next attempt records the change.
      tx.afterCommit?.(() => {
        isRecorded = true
      })
    },
    afterwards: async (ctx: Ctx, result: unknown): Promise<void> => {
      if (!isRecorded && !isRepeat(result)) await insert(ctx, read(result))
    },
  }
}

async function insert(ctx: Ctx, { action, objects, fields }: Change): Promise<void> {
  await ctx.sql.later`
    INSERT INTO audit_entry (account_id, action, key_id, user_id, address, objects, fields, created_at)
    VALUES (${ctx.sql.account}, ${action}, ${ctx.keyId ?? null}::int, ${ctx.user?.id ?? null}::int, ${ctx.address ?? ''}, ${[...objects]}::text[],
      ${[...fields]}::text[], ${ctx.clock.now()}::timestamptz)`
}

/** Returns the job that deletes the entries that are older than `keptDays`. */
export function forgetOldChanges(keptDays: number): (system: System) => Promise<void> {
  return (system) => removeOld(system, { table: 'audit_entry', since: 'created_at', keptDays })
}
