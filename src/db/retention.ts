import type { System } from './context.ts'
import { raw, sql } from './sql.ts'

/** How many rows one statement deletes: it holds them for a moment only. */
const batch = 5_000

/** What becomes old. The names are those of the database; none comes from outside. */
export interface Ageing {
  readonly table: string
  /** The time from which its age counts. An index begins with it. */
  readonly since: string
  readonly keptDays: number
}

/**
 * Deletes what has become old, of all accounts together, some thousands of rows at a time. What someone else holds is left
 * for the next time, so that neither waits for the other. A repeat finds less, or nothing.
 */
export async function deleteOld(
  { db, clock }: Pick<System, 'db' | 'clock'>,
  { table, since, keptDays }: Ageing,
): Promise<void> {
  const before = new Date(clock.now().getTime() - keptDays * 24 * 60 * 60 * 1000)
  for (let gone = batch; gone === batch; ) {
    const [row] = await db.$unscoped<{ n: number }>(
      'what is old is deleted for all accounts together',
      sql`WITH gone AS (
          DELETE FROM ${raw(table)} WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM ${raw(table)} WHERE ${raw(since)} < ${before}::timestamptz
            LIMIT ${batch}::int FOR UPDATE SKIP LOCKED))
          RETURNING 1
        ) SELECT count(*)::int AS n FROM gone`,
    )
    gone = row?.n ?? 0
  }
}
