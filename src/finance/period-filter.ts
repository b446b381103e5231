import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { DateRange, Period } from '../kernel/period.ts'

/** Filters a list by the time of creation. */
export interface PeriodFilter {
  period?: Period | null | undefined
  range?: DateRange | null | undefined
}

/** Filters a list by the time of creation and by status. */
export interface StatusFilter<Status extends string> extends PeriodFilter {
  status?: Status | null | undefined
}

/** Returns the conditions that select the rows whose `column` lies in a period. Throws INVALID_PERIOD. */
export async function createdIn(ctx: Ctx, { period, range }: PeriodFilter, column: Sql): Promise<Sql[]> {
  const { from, until } = period ? await spanFor(ctx, period, range) : {}
  const all = [from && sql`${column} >= ${from}::timestamptz`, until && sql`${column} < ${until}::timestamptz`]
  return all.filter((condition) => condition !== undefined)
}
