import type { Ctx } from './context.ts'
import { type Sql, sql } from './sql.ts'

/**
 * Settings for the rest of a transaction, as columns of a statement. An account that is new is in no statistics, so
 * PostgreSQL takes it for empty: each index that begins with the account then looks as good as the right one. Without the
 * account's number it plans for an average account, and without sorts it can take rows in their order only from the index
 * that has that order. These hold through a pooler too, because they end with the transaction.
 */
export const inIndexOrder: Sql = sql`set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true)`

/** Runs statements under `inIndexOrder` in an open transaction, and sets back what other statements may need. */
export async function planInIndexOrder<Result>(tx: Ctx, work: () => Promise<Result>): Promise<Result> {
  await tx.db.$queryRaw(sql`SELECT ${inIndexOrder}`)
  const result = await work()
  await tx.db.$queryRaw(sql`SELECT set_config('plan_cache_mode', 'auto', true), set_config('enable_sort', 'on', true),
    set_config('enable_seqscan', 'on', true)`)
  return result
}
