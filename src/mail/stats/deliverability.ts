import type { Ctx } from '../../db/context.ts'
import { sumsByCurrency } from '../../db/figures/figures.ts'
import { sql } from '../../db/sql.ts'
import { periodOfFigure } from '../../db/zone.ts'
import type { PeriodArgs, Span } from '../../kernel/values/period.ts'
import type { FailureCause } from '../failures/failure-causes.ts'
import { type MailStats, statsFigures, statsFrom, valuesOf } from './stats.ts'

/** Numbers of messages of an account over all campaigns and sequences, by the time at which each thing happened. */
export interface Deliverability extends MailStats {
  readonly span: Span
  /** Counts the bounces by cause, most frequent first. */
  bounces(): Promise<BounceCount[]>
}

/** Number of messages that bounced with a cause. */
export interface BounceCount {
  readonly cause: FailureCause
  readonly count: number
  /** All messages that bounced in the same period. */
  readonly bounced: number
}

/**
 * Returns the numbers of messages of a period, which equal the series of the account. **Throws** INVALID_PERIOD and
 * VALIDATION_ERROR.
 */
export async function deliverability(ctx: Ctx, args: PeriodArgs): Promise<Deliverability> {
  const { span } = await periodOfFigure(ctx, args)
  const sums = await ctx.sql<{ figure: string; value: string }>`
    SELECT figure, value::text AS value FROM (${sumsByCurrency(ctx, statsFigures, span)}) s`
  return { span, ...statsFrom(valuesOf(sums)), bounces: () => bouncesIn(ctx, span) }
}

async function bouncesIn(ctx: Ctx, { from, until }: Span): Promise<BounceCount[]> {
  return ctx.sql<BounceCount>`
    SELECT coalesce(r.failure_cause, 'UNKNOWN')::text AS cause, count(*)::int AS count, (sum(count(*)) OVER ())::int AS bounced
    FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account} AND r.state = 'BOUNCED'
      ${from ? sql`AND r.failed_at >= ${from}::timestamptz` : sql``} ${until ? sql`AND r.failed_at < ${until}::timestamptz` : sql``}
    GROUP BY 1 ORDER BY 2 DESC, 1`
}
