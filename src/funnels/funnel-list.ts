import type { Funnel } from '../../prisma/generated/client/client.ts'
import { spanFor } from '../account/index.ts'
import { type Ctx, one } from '../db/context.ts'
import { type List, type ListArgs, type Page, pageOf } from '../db/list.ts'
import { containing, type Sql, sql } from '../db/sql.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import type { DateRange, Period } from '../kernel/period.ts'

/** Filter of funnels. Conditions are combined with AND. */
export interface FunnelFilter {
  type?: Funnel['type'] | null | undefined
  period?: Period | null | undefined
  range?: DateRange | null | undefined
  search?: string | null | undefined
}
export type FunnelOrderField = 'CREATED_AT' | 'NAME'
export type FunnelListArgs = ListArgs<FunnelFilter, FunnelOrderField>

const columns = sql`n.account_id AS "accountId", n.id, n.name, n.type::text AS type, n.created_at AS "createdAt"`

/** The list of funnels of an account. */
export const funnels: List<Funnel, FunnelFilter, FunnelOrderField> = {
  name: 'funnels',
  columns,
  from: (ctx) => sql`FROM funnel n WHERE n.account_id = ${ctx.sql.account}`,
  id: sql`n.id`,
  orders: { CREATED_AT: { by: sql`n.created_at`, kind: 'time' }, NAME: { by: sql`n.name`, kind: 'text' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: conditions,
}

/** Lists the funnels of the account, newest first by default. **Throws** INVALID_PERIOD. */
export async function list(ctx: Ctx, args: FunnelListArgs): Promise<Page<Funnel>> {
  return pageOf(ctx, funnels, args)
}

/** Loads funnels by id. */
export const byId = one<number, Funnel>(async (ctx, ids) => {
  const rows = await ctx.sql<Funnel>`
    SELECT ${columns} FROM funnel n WHERE n.account_id = ${ctx.sql.account} AND n.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Loads a funnel and locks its row, so that other changes of its steps wait. **Throws** NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number, field = 'id'): Promise<Funnel> {
  const [row] = await tx.sql<Funnel>`
    SELECT ${columns} FROM funnel n
    WHERE n.account_id = ${tx.sql.account} AND n.id = ${idOf('Funnel', id, field)} FOR UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'There is no such funnel.')
  return row
}

async function conditions(filter: FunnelFilter, ctx: Ctx): Promise<Sql[]> {
  const { from, until } = filter.period ? await spanFor(ctx, filter.period, filter.range) : {}
  const all: (Sql | undefined)[] = [
    from && sql`n.created_at >= ${from}::timestamptz`,
    until && sql`n.created_at < ${until}::timestamptz`,
    filter.type == null ? undefined : sql`n.type = ${filter.type}::funnel_type`,
    filter.search ? sql`lower(n.name) LIKE lower(${containing(filter.search)})` : undefined,
  ]
  return all.filter((condition) => condition !== undefined)
}
