import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { DateRange, Period } from '../kernel/period.ts'

/** Which rows a list of this room is about: those made in a stretch of days. */
export interface PeriodFilter {
  period?: Period | null | undefined
  range?: DateRange | null | undefined
}

/** The same, and where they stand. */
export interface StatusFilter<Status extends string> extends PeriodFilter {
  status?: Status | null | undefined
}

/** The conditions that a period means for a column. Fails with INVALID_PERIOD. */
export async function madeIn(ctx: Ctx, { period, range }: PeriodFilter, column: Sql): Promise<Sql[]> {
  const { from, until } = period ? await spanFor(ctx, period, range) : {}
  const all = [from && sql`${column} >= ${from}::timestamptz`, until && sql`${column} < ${until}::timestamptz`]
  return all.filter((condition) => condition !== undefined)
}
