import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Span } from '../kernel/period.ts'

/** Returns `FROM submission s WHERE …`: the submissions of forms that were started in a period. */
export function startedIn(ctx: Ctx, formIds: readonly number[], { from, until }: Span): Sql {
  return sql`FROM submission s WHERE s.account_id = ${ctx.sql.account} AND s.form_id = ANY(${formIds}::int[])
    ${from ? sql`AND s.created_at >= ${from}::timestamptz` : sql``}
    ${until ? sql`AND s.created_at < ${until}::timestamptz` : sql``}`
}
