import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { completeSince } from '../../db/figures.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { check } from '../../kernel/check.ts'

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
  const [row] = await ctx.sql<Omit<Deliverability, 'days' | 'since'>>`${
    (await ctx.load(completeSince, 'latest_message')) === null ? ofContacts(ctx, since) : ofMessages(ctx, since)
  }`
  return { days, since, ...(row ?? { sent: 0, uniqueOpens: 0, uniqueClicks: 0, unsubscribes: 0 }) }
}

/** Counts contacts by the times of their latest messages. The period ends now, so earlier messages do not matter. */
function ofContacts(ctx: Ctx, since: Date): Sql {
  const countOf = (time: Sql) => sql`count(*) FILTER (WHERE ${time} >= ${since}::timestamptz)::int`
  return sql`SELECT ${countOf(sql`sent_at`)} AS sent, ${countOf(sql`opened_at`)} AS "uniqueOpens", ${countOf(sql`clicked_at`)} AS "uniqueClicks",
      ${countOf(sql`unsubscribed_at`)} AS unsubscribes FROM latest_message WHERE account_id = ${ctx.sql.account}`
}

/** Counts contacts by all messages, as long as older ones are not counted. */
function ofMessages(ctx: Ctx, since: Date): Sql {
  return sql`
    SELECT count(DISTINCT r.contact_id)::int AS sent, count(DISTINCT r.contact_id) FILTER (WHERE r.opened_at IS NOT NULL)::int AS "uniqueOpens",
      count(DISTINCT r.contact_id) FILTER (WHERE r.clicked_at IS NOT NULL)::int AS "uniqueClicks",
      count(DISTINCT r.contact_id) FILTER (WHERE r.unsubscribed_at IS NOT NULL)::int AS unsubscribes
    FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account} AND r.sent_at >= ${since}::timestamptz`
}
