import type { TimelineSource } from '../contacts/index.ts'
import { sql } from '../db/sql.ts'

/** The entries of this module in timelines, by type. Visits of programs are left out, as in statistics. */
export const funnelTimeline = {
  PAGE_VISITED: {
    rank: 61,
    kind: 'VisitEntry',
    needs: 'funnels:read',
    description: 'The contact visited the page of a funnel step.',
    at: sql`v.created_at`,
    id: sql`v.id`,
    data: sql`jsonb_build_object('stepId', v.step_id, 'funnelId', v.funnel_id, 'attribution', v.attribution)`,
    from: (ctx) =>
      sql`FROM visit v WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = parent.id AND NOT v.is_bot`,
  },
} as const satisfies Readonly<Record<string, TimelineSource>>
