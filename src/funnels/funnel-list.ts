import { spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { newList, pagesOf } from '../db/list.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import type { PeriodArgs } from '../kernel/period.ts'

const funnelTable = table('Funnel', 'n')
export type Funnel = RowOf<typeof funnelTable>

/** Filter of funnels. Conditions are combined with AND. */
export interface FunnelFilter extends PeriodArgs {
  type?: Funnel['type'] | null | undefined
  search?: string | null | undefined
}

/** The list of funnels of an account. */
export const funnels = newList(funnelTable, {
  name: 'funnels',
  orders: { CREATED_AT: 'createdAt', NAME: 'name' },
  where: conditions,
})

/** Lists the funnels of the account, newest first by default. **Throws** INVALID_PERIOD. */
export const list = pagesOf(funnels)

/** Loads funnels by id; locks a funnel, so that other changes of its steps wait. */
export const { byId, lock } = funnelTable

async function conditions(filter: FunnelFilter, ctx: Ctx): Promise<Sql[]> {
  const { from, until } = await spanFor(ctx, filter, 'filter.range')
  const all: (Sql | undefined)[] = [
    from && sql`n.created_at >= ${from}::timestamptz`,
    until && sql`n.created_at < ${until}::timestamptz`,
    filter.type == null ? undefined : sql`n.type = ${filter.type}::funnel_type`,
    filter.search ? sql`lower(n.name) LIKE lower(${containing(filter.search)})` : undefined,
  ]
  return all.filter((condition) => condition !== undefined)
}
