import type { Ctx } from '../context.ts'
import { compileFilter } from '../filters/filter.ts'
import { empty, sql } from '../sql.ts'
import type { List } from './list.ts'

/**
 * Returns the ids of the rows of a list that match a checked filter: at most `limit` of all, or those among `ids`. The time is
 * limited as that of a page. **Throws** as `compileFilter` does.
 */
export async function matchingIds<Row extends { id: number | bigint }, Filter extends object, Field extends string>(
  ctx: Ctx,
  { table, filter: definition }: List<Row, Filter, Field>,
  filter: Filter,
  among: { readonly ids: readonly number[] } | { readonly limit: number },
): Promise<number[]> {
  const { condition, test } = await compileFilter(ctx, definition, filter, 'filter')
  const isOfFew = 'ids' in among
  const matches = isOfFew ? test : condition
  if (matches === false) return []
  const id = table.field('id')
  const rows = await ctx.sql.limited(1)<{ id: number }>`
    SELECT ${id} AS id ${table.from(ctx)} ${matches === true ? empty : sql`AND ${matches}`}
      ${isOfFew ? sql`AND ${id} = ANY(${among.ids}::int[])` : sql`LIMIT ${among.limit}`}`
  return rows.map((row) => row.id)
}
