import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { check } from '../../kernel/values/check.ts'

const dayMs = 24 * 60 * 60 * 1000

const Days = z.object({
  days: z.int('must be a whole number').min(1, 'must be from 1 to 365').max(365, 'must be from 1 to 365'),
})

/** E-mail statistics of an account over all campaigns and sequences. Every number counts contacts. */
export interface Deliverability {
  days: number
  since: Date
  sent: number
  uniqueOpens: number
  uniqueClicks: number
  unsubscribes: number
}

/**
 * Returns the statistics of messages that were sent in the last `days` days. A contact counts once, even with several
 * messages or opens (REST specification, Deliverability stats). **Throws** VALIDATION_ERROR unless `days` is from 1 to 365.
 */
export async function deliverability(ctx: Ctx, input: { days: number }): Promise<Deliverability> {
  const { days } = check(Days, input)
  const since = new Date(ctx.clock.now().getTime() - days * dayMs)
  // By the times of their latest messages. The period ends now, so earlier messages do not matter.
  const countOf = (time: Sql) => sql`count(*) FILTER (WHERE ${time} >= ${since}::timestamptz)::int`
  const [row] = await ctx.sql<Omit<Deliverability, 'days' | 'since'>>`
    SELECT ${countOf(sql`sent_at`)} AS sent, ${countOf(sql`opened_at`)} AS "uniqueOpens", ${countOf(sql`clicked_at`)} AS "uniqueClicks",
      ${countOf(sql`unsubscribed_at`)} AS unsubscribes FROM latest_message WHERE account_id = ${ctx.sql.account}`
  return { days, since, ...(row ?? { sent: 0, uniqueOpens: 0, uniqueClicks: 0, unsubscribes: 0 }) }
}
