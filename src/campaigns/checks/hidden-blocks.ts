import { contactFilters } from '../../contacts/index.ts'
import type { Ctx, Loader } from '../../db/context.ts'
import { compileFilter } from '../../db/filters/filter.ts'
import { join, sql } from '../../db/sql.ts'
import type { emailChecks } from '../../mail/index.ts'
import { membersOf } from '../audience/audience.ts'

/** Finds the paths of blocks that no recipient of an audience sees. `key` is that of the audience. */
export async function findHiddenBlocks(
  ctx: Ctx,
  key: string,
  conditions: readonly emailChecks.Condition[],
): Promise<string[]> {
  const each = await Promise.all(
    conditions.map(async ({ filter, paths }) =>
      (await ctx.load(hasReader, JSON.stringify([key, filter]))) ? [] : paths,
    ),
  )
  return each.flat()
}

/** Loads by key of the audience and filter whether any recipient matches. All in one statement. */
const hasReader: Loader<string, boolean> = {
  otherwise: () => true,
  batch: async (ctx, keys) => {
    const each = await Promise.all(
      keys.map(async (each) => {
        const [key, filter] = JSON.parse(each) as [string, contactFilters.ContactFilter]
        const { condition } = await compileFilter(ctx, contactFilters.contactFilter, filter, 'showTo')
        const matches = typeof condition === 'boolean' ? sql`${condition}::boolean` : condition
        return sql`SELECT ${each}::text AS key,
          EXISTS (SELECT ${await membersOf(ctx, key)} AND c.email_marketing AND ${matches}) AS "isSeen"`
      }),
    )
    const rows = await ctx.sql.limited(each.length, true)<{
      key: string
      isSeen: boolean
    }>`${join(each, ' UNION ALL ')}`
    return new Map(rows.map(({ key, isSeen }) => [key, isSeen]))
  },
}
