import { type Ctx, type Loader, one } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { identityOf } from '../../kernel/values/page.ts'
import type { Span } from '../../kernel/values/period.ts'
import { conditionsOf } from './conversion.ts'

/** Creates the loader of the page views of the steps of forms in a period. Null for a form without a step. */
export function viewsIn(span: Span): Loader<number, number, null> {
  const batch = async (ctx: Ctx, formIds: readonly number[]) => {
    // Deleted visits have no times, so their totals count only for all time.
    const deleted =
      span.from || span.until
        ? sql`0`
        : sql`coalesce((SELECT t.views FROM visit_total t
            WHERE t.account_id = p.account_id AND t.funnel_id = p.funnel_id AND t.step_id = p.id), 0)`
    const rows = await ctx.sql<{ formId: number; views: number }>`
      SELECT p.form_id AS "formId", ${deleted} + (SELECT count(*)::int FROM visit v
        WHERE v.account_id = p.account_id AND v.funnel_id = p.funnel_id AND v.step_id = p.id AND NOT v.is_bot
          ${conditionsOf({ span, filter: {} }, sql`v.created_at`, sql`v.attribution`)}) AS views
      FROM funnel_step p WHERE p.account_id = ${ctx.sql.account} AND p.form_id = ANY(${formIds}::int[])`
    return new Map(rows.map(({ formId, views }) => [formId, views]))
  }
  return { ...one<number, number>(batch), name: `form views ${identityOf(span)}` }
}
