import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { check } from '../../kernel/values/check.ts'

const dayMs = 24 * 60 * 60 * 1000

const Days = z.object({
  days: z.int('must be a whole number').min(1, 'must be from 1 to 365').max(365, 'must be from 1 to 365'),
})

/** How many contacts the messages of an account reached, over all campaigns and sequences. */
export interface MailReach {
  days: number
  since: Date
  reached: number
  openers: number
  clickers: number
  unsubscribers: number
}

/**
 * Returns the numbers of contacts whose messages were sent in the last `days` days. A contact counts once, even with several
 * messages or opens (REST specification, Deliverability stats). **Throws** VALIDATION_ERROR unless `days` is from 1 to 365.
 */
export async function mailReach(ctx: Ctx, input: { days: number }): Promise<MailReach> {
  const { days } = check(Days, input)
  const since = new Date(ctx.clock.now().getTime() - days * dayMs)
  // By the times of their latest messages. The period ends now, so earlier messages do not matter.
  const countOf = (time: Sql) => sql`count(*) FILTER (WHERE ${time} >= ${since}::timestamptz)::int`
  const [row] = await ctx.sql<Omit<MailReach, 'days' | 'since'>>`
    SELECT ${countOf(sql`sent_at`)} AS reached, ${countOf(sql`opened_at`)} AS openers, ${countOf(sql`clicked_at`)} AS clickers,
      ${countOf(sql`unsubscribed_at`)} AS unsubscribers FROM latest_message WHERE account_id = ${ctx.sql.account}`
  return { days, since, ...(row ?? { reached: 0, openers: 0, clickers: 0, unsubscribers: 0 }) }
}
