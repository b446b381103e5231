import type { System } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { visitorParts } from '../funnels/index.ts'

/** Number of changes that one statement adds to the totals. */
const batchSize = 5_000

/** The start of the quarter, the hour or the day of a change. */
const startOf = sql`date_bin(make_interval(mins => s.minutes), at, timestamptz 'epoch')`

/**
 * Adds the changes of all accounts to the totals, in short batches. One statement deletes the changes of a batch and adds their
 * sums, so a reader finds each change in one of the two tables, and a killed process leaves both as they were. Several processes
 * may run it at the same time: each skips the changes that another has locked, and all lock totals in one order. Then it counts
 * the visitors of funnels.
 */
export async function compactFigures(system: System): Promise<void> {
  const { db } = system
  for (const batch of [figureBatch, partBatch])
    for (let moved = batchSize; moved === batchSize; ) {
      const [row] = await db.$unscoped<{ n: number }>('the changes of all accounts are added together', batch)
      moved = row?.n ?? 0
    }
  // An answer of a person that was erased is no part of a figure any more.
  await db.$unscoped(
    'the totals of all accounts that became 0 are deleted',
    sql`DELETE FROM figure_part_total WHERE value = 0`,
  )
  await visitorParts.countVisitors(system)
}

const figureBatch = sql`WITH moved AS (
          DELETE FROM figure_delta WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM figure_delta ORDER BY account_id, figure, object, currency, at, id
            LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED))
          RETURNING account_id, figure, object, currency, at, value
        ), added AS (
          INSERT INTO figure_total AS t (account_id, figure, object, currency, minutes, at, value)
          SELECT account_id, figure, object, currency, s.minutes, ${startOf}, sum(value)
          FROM moved CROSS JOIN (VALUES (15), (60)) s(minutes) GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
          ON CONFLICT (account_id, figure, object, currency, minutes, at) DO UPDATE SET value = t.value + excluded.value
        ) SELECT count(*)::int AS n FROM moved`

const partBatch = sql`WITH moved AS (
          DELETE FROM figure_part_delta WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM figure_part_delta ORDER BY account_id, figure, object, at, id
            LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED))
          RETURNING account_id, figure, object, at, part, value
        ), added AS (
          INSERT INTO figure_part_total AS t (account_id, figure, object, minutes, at, hash, part, value)
          SELECT account_id, figure, object, s.minutes, ${startOf}, md5(part)::uuid, part, sum(value)
          FROM moved CROSS JOIN (VALUES (15), (1440)) s(minutes) GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6
          ON CONFLICT (account_id, figure, object, minutes, at, hash) DO UPDATE SET value = t.value + excluded.value
        ) SELECT count(*)::int AS n FROM moved`
