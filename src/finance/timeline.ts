import type { TimelineSource } from '../contacts/index.ts'
import { sql } from '../db/sql.ts'
import { orderTable } from './orders/order-list.ts'

/** The entries of this module in timelines, by type. */
export const financeTimeline = {
  ORDER_PLACED: {
    rank: 41,
    kind: 'OrderEntry',
    needs: 'finance:read',
    description: 'A customer that is linked to the contact placed an order.',
    at: sql`o.created_at`,
    id: sql`o.id`,
    data: sql`jsonb_build_object('orderId', o.id)`,
    from: (ctx) => sql`${orderTable.from(ctx)} AND o.customer_id = u.id`,
    around: (ctx, orders) => sql`SELECT entry.* FROM customer u CROSS JOIN LATERAL (${orders}) entry
      WHERE u.account_id = ${ctx.sql.account} AND u.contact_id = parent.id`,
  },
} as const satisfies Readonly<Record<string, TimelineSource>>
