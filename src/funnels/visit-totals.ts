import pg from 'pg'
import type { Ctx } from '../db/context.ts'
import { visitorSource } from './visitor-parts.ts'

/**
 * Adds the visits of a partition that are older than `before` to the totals of their steps and funnels. Visitors with a
 * visit that is not deleted are left out of `visitors`, because that visit counts them. Runs in the transaction that drops
 * the partition, for all accounts. Returns true.
 */
export async function addVisitTotals(client: pg.ClientBase, part: string, before: Date): Promise<boolean> {
  const from = pg.escapeIdentifier(part)
  await client.query('LOCK TABLE step_visitor IN SHARE UPDATE EXCLUSIVE MODE')
  await client.query(`LOCK TABLE ${from} IN SHARE MODE`)
  // The visitors of these accounts are counted without the deleted visits by the next run of a job, which sees by another version of the
  // row that it must repeat what it has already counted.
  await client.query(
    `INSERT INTO figure_fill (account_id, source, complete_since) SELECT DISTINCT account_id, $1, timestamptz 'epoch' FROM ${from}
     ON CONFLICT (account_id, source) DO UPDATE SET complete_since = excluded.complete_since`,
    [visitorSource],
  )
  // Deleted steps are not counted, as in the statistics.
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

/** Deletes the totals of a deleted step, and subtracts its views from those of the funnel. */
export async function removeVisitTotals(
  tx: Ctx,
  { funnelId, stepId }: { funnelId: number; stepId: number },
): Promise<void> {
  await tx.sql`
    WITH removed AS (
      DELETE FROM visit_total
      WHERE account_id = ${tx.sql.account} AND funnel_id = ${funnelId}::int AND step_id = ${stepId}::int RETURNING views
    )
    UPDATE visit_total t SET views = t.views - removed.views FROM removed
    WHERE t.account_id = ${tx.sql.account} AND t.funnel_id = ${funnelId}::int AND t.step_id = 0`
}
