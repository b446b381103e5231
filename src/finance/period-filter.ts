import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { PeriodArgs, Span } from '../kernel/period.ts'

/** Filters a list by the time of creation. */
export type PeriodFilter = PeriodArgs

/** Filters a list by the time of creation and by status. */
export interface StatusFilter<Status extends string> extends PeriodFilter {
  status?: Status | null | undefined
}

/** Returns the conditions of a list's filter on the time of creation. Throws INVALID_PERIOD and VALIDATION_ERROR. */
export async function createdIn(ctx: Ctx, filter: PeriodFilter, column: Sql): Promise<Sql[]> {
  return inSpan(await spanFor(ctx, filter, 'filter.range'), column)
}

/** Returns the conditions that select the rows whose `column` lies in a time range. */
export function inSpan({ from, until }: Span, column: Sql): Sql[] {
  const all = [from && sql`${column} >= ${from}::timestamptz`, until && sql`${column} < ${until}::timestamptz`]
  return all.filter((condition) => condition !== undefined)
}
