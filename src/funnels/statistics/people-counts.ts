import { type Ctx, type Loader, many } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { identityOf } from '../../kernel/values/page.ts'
import { conditionsOf } from './conversion.ts'
import { keyOf, type Level, type StatisticsQuery, setsOf } from './grouping.ts'

/** Number of different people who opted in, and who bought. */
export interface PeopleCounts {
  readonly optedIn: number
  readonly bought: number
}

interface PeopleCountsRow extends PeopleCounts {
  readonly funnelId: number
  readonly level: Level
  readonly stepId: number | null
  readonly key: string | null
}

const noOne: PeopleCounts = { optedIn: 0, bought: 0 }

/**
 * Returns how many different people opted in and bought in a group: a contact with several submissions counts once, and so does
 * a customer with several orders. Submissions without a contact count each. All groups of all funnels with the same query share
 * one statement, which is sent only if a rate is requested.
 */
export async function countPeople(
  ctx: Ctx,
  funnelId: number,
  query: StatisticsQuery,
  group: { readonly level: Level; readonly stepId?: number; readonly key?: string },
): Promise<PeopleCounts> {
  const rows = await ctx.load(rowsLoader(query), funnelId)
  const { level, stepId = null, key = null } = group
  return rows.find((row) => row.level === level && row.stepId === stepId && row.key === key) ?? noOne
}

function rowsLoader(query: StatisticsQuery): Loader<number, PeopleCountsRow[], PeopleCountsRow[]> {
  const { sets, place } = setsOf(query.groupBy)
  const batch = async (ctx: Ctx, funnelIds: readonly number[]) => {
    const rows = await ctx.sql<PeopleCountsRow>`
      WITH step AS (
        SELECT p.id, p.funnel_id, p.form_id FROM funnel_step p
        WHERE p.account_id = ${ctx.sql.account} AND p.funnel_id = ANY(${funnelIds}::int[])
      ), person AS (
        SELECT s.funnel_id, s.id AS step_id, ${keyOf(query, sql`b.completed_at`, sql`b.attribution`)} AS key,
          coalesce(b.contact_id, -b.id) AS opted, NULL::int AS bought
        FROM step s JOIN submission b ON b.form_id = s.form_id
        WHERE b.account_id = ${ctx.sql.account} AND b.completed_at IS NOT NULL AND NOT b.is_order
          ${conditionsOf(query, sql`b.completed_at`, sql`b.attribution`)}
        UNION ALL
        SELECT s.funnel_id, s.id, ${keyOf(query, sql`o.created_at`, sql`o.attribution`)}, NULL, o.customer_id
        FROM step s JOIN "order" o ON o.step_id = s.id
        WHERE o.account_id = ${ctx.sql.account} AND o.status = 'COMPLETED'
          ${conditionsOf(query, sql`o.created_at`, sql`o.attribution`)}
      ), counted AS (
        SELECT ${place}, count(DISTINCT opted)::int AS opted, count(DISTINCT bought)::int AS bought FROM person GROUP BY ${sets}
      )
      SELECT funnel_id AS "funnelId", level, step_id AS "stepId", key, opted AS "optedIn", bought FROM counted`
    const byFunnel = new Map<number, PeopleCountsRow[]>(funnelIds.map((id) => [id, []]))
    for (const row of rows) byFunnel.get(row.funnelId)?.push(row)
    return byFunnel
  }
  return { ...many<number, PeopleCountsRow>(batch), name: `people counts ${identityOf(query)}` }
}
