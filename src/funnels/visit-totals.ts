import pg from 'pg'
import type { Ctx } from '../db/context.ts'

/**
 * Adds up the visits of a part of the table that are older than a time, before they are dropped: of each step, and of the
 * whole funnel. A visitor with a visit that is kept is left out, because that one counts them. Runs in the
 * transaction that drops the part, for all accounts.
 */
export async function addVisitTotals(client: pg.ClientBase, part: string, before: Date): Promise<boolean> {
  const from = pg.escapeIdentifier(part)
  await client.query(`LOCK TABLE ${from} IN SHARE MODE`)
  // Steps that were deleted do not count, as in the statistics.
  await client.query(
    `WITH old AS (
       SELECT v.account_id, v.funnel_id, v.step_id, v.visitor_id, count(*) AS views FROM ${from} v
       JOIN funnel_step p ON p.account_id = v.account_id AND p.id = v.step_id AND p.funnel_id = v.funnel_id
       WHERE v.created_at < $1 AND NOT v.is_bot GROUP BY 1, 2, 3, 4
     ), later AS (
       SELECT DISTINCT v.account_id, v.funnel_id, v.step_id, v.visitor_id FROM visit v
       JOIN funnel_step p ON p.account_id = v.account_id AND p.id = v.step_id AND p.funnel_id = v.funnel_id
       WHERE (v.created_at >= $1 OR v.tableoid <> ${pg.escapeLiteral(part)}::regclass) AND NOT v.is_bot
         AND (v.account_id, v.funnel_id, v.visitor_id) IN (SELECT account_id, funnel_id, visitor_id FROM old)
     ), total AS (
       SELECT o.account_id, o.funnel_id, o.step_id, count(*) FILTER (WHERE l.visitor_id IS NULL) AS visitors, sum(o.views) AS views
       FROM old o LEFT JOIN later l USING (account_id, funnel_id, step_id, visitor_id) GROUP BY 1, 2, 3
       UNION ALL
       SELECT o.account_id, o.funnel_id, 0, count(DISTINCT o.visitor_id) FILTER (WHERE l.visitor_id IS NULL), sum(o.views)
       FROM old o
       LEFT JOIN (SELECT DISTINCT account_id, funnel_id, visitor_id FROM later) l USING (account_id, funnel_id, visitor_id)
       GROUP BY 1, 2
     )
     INSERT INTO visit_total AS t (account_id, funnel_id, step_id, visitors, views)
     SELECT account_id, funnel_id, step_id, visitors, views FROM total ORDER BY 1, 2, 3
     ON CONFLICT (account_id, funnel_id, step_id)
     DO UPDATE SET visitors = t.visitors + excluded.visitors, views = t.views + excluded.views`,
    [before],
  )
  return true
}

/** Takes the sums of a deleted step away, and its views out of those of the funnel. */
export async function removeVisitTotals(
  tx: Ctx,
  { funnelId, stepId }: { funnelId: number; stepId: number },
): Promise<void> {
  await tx.sql`
    WITH gone AS (
      DELETE FROM visit_total
      WHERE account_id = ${tx.sql.account} AND funnel_id = ${funnelId}::int AND step_id = ${stepId}::int RETURNING views
    )
    UPDATE visit_total t SET views = t.views - gone.views FROM gone
    WHERE t.account_id = ${tx.sql.account} AND t.funnel_id = ${funnelId}::int AND t.step_id = 0`
}
