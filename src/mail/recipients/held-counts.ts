import { type Ctx, one } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { DelayReason, SkipReason } from './recipients.ts'

/** The messages of a campaign that are not sent, or that wait, for one reason. */
interface ReasonCount<Reason> {
  readonly reason: Reason
  readonly count: number
}

export interface HeldCounts {
  readonly skips: readonly ReasonCount<SkipReason>[]
  readonly delays: readonly ReasonCount<DelayReason>[]
}

/** The counts of a campaign without such messages. */
export const noneHeld: HeldCounts = { skips: [], delays: [] }

/** Selects the contacts that had the maximum number of messages in so many days, as `contact_id`. */
export function contactsOver(ctx: Ctx, { messages, days }: { messages: number; days: number }): Sql {
  const now = ctx.clock.now()
  return sql`SELECT r.contact_id FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account}
    AND r.sent_at > ${now}::timestamptz - make_interval(days => ${days}::int) GROUP BY 1 HAVING count(*) >= ${messages}::int`
}

/** Loads by campaign how many messages are skipped, and how many wait, by reason: the most frequent first. */
export const heldCounts = one<number, HeldCounts>(async (ctx, campaignIds) => {
  const rows = await ctx.sql<{ id: number; skip: SkipReason | null; delay: DelayReason | null; count: number }>`
    SELECT r.campaign_id AS id, r.skip_reason AS skip, CASE WHEN r.state = 'QUEUED' THEN r.delay_reason END AS delay, count(*)::int AS count
    FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account} AND r.campaign_id = ANY(${campaignIds}::int[])
      AND (r.state = 'SKIPPED' OR r.state = 'QUEUED' AND r.delay_reason IS NOT NULL)
    GROUP BY 1, 2, 3 ORDER BY 4 DESC, 2, 3`
  const byCampaign = Map.groupBy(rows, ({ id }) => id)
  return new Map(
    Array.from(byCampaign, ([id, counts]) => [
      id,
      {
        skips: counts.flatMap(({ skip, count }) => (skip ? [{ reason: skip, count }] : [])),
        delays: counts.flatMap(({ delay, count }) => (delay ? [{ reason: delay, count }] : [])),
      },
    ]),
  )
})
