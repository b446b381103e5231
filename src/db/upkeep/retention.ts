import type { System } from '../context.ts'
import { raw, type Sql, sql } from '../sql.ts'

/** Number of rows that one statement deletes, so that it locks them only briefly. */
const batchSize = 5_000

/** Rows that expire. The names are names in the database and never come from clients. */
interface AgeingTable {
  readonly table: string
  /** Column of the time from which the age counts. An index must begin with it. */
  readonly since: string
  readonly keptDays: number
  /** A part of the statement that reads the deleted rows as `deleted`, such as the emission of their events. */
  readonly announce?: Sql
}

/**
 * Deletes the expired rows of all accounts in batches. Rows that are locked by other transactions are skipped until the
 * next run. Safe to repeat.
 */
export async function removeOld(
  { db, clock }: Pick<System, 'db' | 'clock'>,
  { table, since, keptDays, announce }: AgeingTable,
): Promise<void> {
  const before = new Date(clock.now().getTime() - keptDays * 24 * 60 * 60 * 1000)
  for (let deleted = batchSize; deleted === batchSize; ) {
    const [row] = await db.$unscoped<{ n: number }>(
      'expired rows are deleted for all accounts together',
      sql`WITH deleted AS (
          DELETE FROM ${raw(table)} WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM ${raw(table)} WHERE ${raw(since)} < ${before}::timestamptz
            LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED))
          RETURNING *
        )${announce ? sql`, announced AS (${announce})` : sql``} SELECT count(*)::int AS n FROM deleted`,
    )
    deleted = row?.n ?? 0
  }
}
