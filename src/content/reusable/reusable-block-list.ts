import { type Ctx, one } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, search } from '../../db/lists/search.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { countRead, maxBytesOf } from '../../kernel/work/row-budget.ts'
import type { MessageBlock } from '../blocks/message-content.ts'
import type { BlockPlace } from '../ports.ts'

export const reusableBlockTable = table('ReusableBlock', 'b', { without: ['content'] })
export type ReusableBlock = RowOf<typeof reusableBlockTable>

/** The filter of reusable blocks. */
export const reusableBlockFilter = filterOn(reusableBlockTable, {
  id: identity('ReusableBlock'),
  ...onColumns(text, reusableBlockTable, 'name'),
  ...onColumns(time, reusableBlockTable, 'createdAt', 'updatedAt'),
  search: search(documentOf(sql`b.name`)),
})

/** All reusable blocks of an account. */
export const reusableBlocks = newList(reusableBlockTable, {
  name: 'reusable blocks',
  orders: { CREATED_AT: 'createdAt', NAME: 'name', UPDATED_AT: 'updatedAt' },
  filter: reusableBlockFilter,
})

/** Returns the reusable blocks of the account. Newest first by default. */
export const list = pagesOf(reusableBlocks)

/** Loads reusable blocks by id; locks one until the transaction ends. */
export const { byId, lock } = reusableBlockTable

/** Loads the blocks of reusable blocks by id. */
export const contentById = one<number, { readonly blocks: readonly MessageBlock[] | null }>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; content: readonly MessageBlock[] | null; total: number }>`
    SELECT s.id, s.total::float8 AS total,
      CASE WHEN s.total <= ${maxBytesOf(ctx.rows)}::float8 THEN s.content END AS content
    FROM (
      SELECT b.id, b.content, sum(octet_length(b.content::text)) OVER () AS total ${reusableBlockTable.from(ctx)}
        AND b.id = ANY(${ids}::int[])
    ) s`
  countRead(ctx.rows, rows[0]?.total, 'contents of reusable blocks')
  return new Map(rows.map(({ id, content }) => [id, { blocks: content }]))
})

/** Maximum number of places of a kind that are listed. */
export const maxPlaces = 100

/** A place, and the reusable block that it shows. */
export interface UsedBlock extends BlockPlace {
  readonly blockId: number
}

/**
 * Reads the first places of one type of each reusable block. `uses` selects `"blockId"`, and `id` and `name` of the place, of the
 * account.
 */
export async function firstPlaces(ctx: Ctx, type: string, uses: Sql): Promise<UsedBlock[]> {
  return ctx.sql<UsedBlock>`
    SELECT s.* FROM (
      SELECT u.*, ${type}::text AS type, row_number() OVER (PARTITION BY u."blockId" ORDER BY u.id) AS number FROM (${uses}) u
    ) s WHERE s.number <= ${maxPlaces}::int ORDER BY s.id`
}

/** Returns the number of reusable blocks of the account. */
export async function count(ctx: Ctx): Promise<number> {
  return ctx.db.reusableBlock.count({ where: { accountId: ctx.accountId } })
}
