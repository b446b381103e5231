import type { Ctx, Loader } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { linkTtlMs } from './confirmation-link.ts'

/** What became of the confirmations that are stored: those of the last 30 days. */
export interface ConfirmationFigures {
  readonly sent: number
  readonly confirmed: number
  /** Not confirmed, and the link is still valid. */
  readonly waiting: number
  /** Not confirmed before the link expired. */
  readonly lost: number
}

const none: ConfirmationFigures = { sent: 0, confirmed: 0, waiting: 0, lost: 0 }

/** Loads the figures of confirmations by form. */
export const ofForm = figuresBy(
  (ctx, ids) => sql`
    SELECT w.form_id AS id, w.confirmed_at, w.asked_at FROM confirmation w
    WHERE w.account_id = ${ctx.sql.account} AND w.form_id = ANY(${ids}::int[]) AND w.sent_at IS NOT NULL`,
)

/** Loads the figures of confirmations by funnel: the sum of the forms of its present steps. */
export const ofFunnel = figuresBy(
  (ctx, ids) => sql`
    SELECT p.funnel_id AS id, w.confirmed_at, w.asked_at FROM funnel_step p
    JOIN confirmation w ON w.account_id = p.account_id AND w.form_id = p.form_id AND w.sent_at IS NOT NULL
    WHERE p.account_id = ${ctx.sql.account} AND p.funnel_id = ANY(${ids}::int[])`,
)

function figuresBy(select: (ctx: Ctx, ids: readonly number[]) => Sql): Loader<number, ConfirmationFigures> {
  return {
    otherwise: () => none,
    batch: async (ctx, ids) => {
      const oldest = new Date(ctx.clock.now().getTime() - linkTtlMs)
      const rows = await ctx.sql<Omit<ConfirmationFigures, 'waiting'> & { id: number }>`
        SELECT s.id, count(*)::int AS sent, count(s.confirmed_at)::int AS confirmed,
          (count(*) FILTER (WHERE s.confirmed_at IS NULL AND s.asked_at <= ${oldest}::timestamptz))::int AS lost
        FROM (${select(ctx, ids)}) s GROUP BY s.id`
      return new Map(
        rows.map(({ id, sent, confirmed, lost }) => [id, { sent, confirmed, lost, waiting: sent - confirmed - lost }]),
      )
    },
  }
}
