import type { Ctx } from '../../db/context.ts'

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
