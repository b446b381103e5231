import type { Ctx } from './context.ts'
import { type Sql, sql } from './sql.ts'

/**
 * Planner settings for the rest of a transaction, as columns of a statement. Statistics do not contain new accounts, so
 * PostgreSQL assumes that they have no rows, and all indexes that begin with the account seem equally good. A generic
 * plan assumes an average account, and without sorts only the index with the requested order fits. The settings end
 * with the transaction, so they also work with a pooler.
 */
export const inIndexOrder: Sql = sql`set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true)`

/** Runs work with `inIndexOrder` in an open transaction, and resets the settings afterwards. */
export async function planInIndexOrder<Result>(tx: Ctx, work: () => Promise<Result>): Promise<Result> {
  await tx.db.$queryRaw(sql`SELECT ${inIndexOrder}`)
  const result = await work()
  await tx.db.$queryRaw(sql`SELECT set_config('plan_cache_mode', 'auto', true), set_config('enable_sort', 'on', true),
    set_config('enable_seqscan', 'on', true)`)
  return result
}
