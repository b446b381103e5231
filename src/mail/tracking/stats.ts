import { type Ctx, many, one } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Number of messages that were sent, and of sent messages by reaction. */
export interface MailStats {
  readonly sent: number
  readonly opened: number
  readonly clicked: number
  readonly unsubscribed: number
  readonly bounced: number
}

/** Statistics of one stage of a sequence. */
interface StageStats extends MailStats {
  readonly stageId: number
}

/** The statistics of no messages. */
export const emptyStats: MailStats = { sent: 0, opened: 0, clicked: 0, unsubscribed: 0, bounced: 0 }

/** Counts opens, clicks and unsubscriptions once per message. */
const counts = sql`count(r.sent_at)::int AS sent, count(r.opened_at) FILTER (WHERE r.sent_at IS NOT NULL)::int AS opened,
  count(r.clicked_at) FILTER (WHERE r.sent_at IS NOT NULL)::int AS clicked,
  count(r.unsubscribed_at) FILTER (WHERE r.sent_at IS NOT NULL)::int AS unsubscribed,
  count(*) FILTER (WHERE r.state = 'BOUNCED')::int AS bounced`

/** Loads the statistics of the messages to contacts, by contact. */
export const statsOfContact = one<number, MailStats>(async (ctx, contactIds) => {
  const rows = await grouped<{ contactId: number }>(
    ctx,
    sql`r.contact_id AS "contactId"`,
    sql`r.contact_id = ANY(${contactIds}::int[])`,
    sql`r.contact_id`,
  )
  return new Map(rows.map((row) => [row.contactId, row]))
})

/** Loads the statistics of campaigns, by campaign. */
export const statsOfCampaign = one<number, MailStats>(async (ctx, campaignIds) => {
  const rows = await grouped<{ campaignId: number }>(
    ctx,
    sql`r.campaign_id AS "campaignId"`,
    sql`r.campaign_id = ANY(${campaignIds}::int[])`,
    sql`r.campaign_id`,
  )
  return new Map(rows.map((row) => [row.campaignId, row]))
})

/** Loads the statistics of the stages of sequences, by sequence. Stages without messages are omitted. */
export const statsOfSequence = many<number, StageStats>(async (ctx, sequenceIds) => {
  const rows = await grouped<{ sequenceId: number; stageId: number }>(
    ctx,
    sql`r.sequence_id AS "sequenceId", r.stage_id AS "stageId"`,
    sql`r.sequence_id = ANY(${sequenceIds}::int[])`,
    sql`r.sequence_id, r.stage_id`,
  )
  return Map.groupBy(rows, (row) => row.sequenceId)
})

/** Returns the sum of several statistics. */
export function sumStats(all: readonly MailStats[]): MailStats {
  return all.reduce<MailStats>(
    (sum, each) => ({
      sent: sum.sent + each.sent,
      opened: sum.opened + each.opened,
      clicked: sum.clicked + each.clicked,
      unsubscribed: sum.unsubscribed + each.unsubscribed,
      bounced: sum.bounced + each.bounced,
    }),
    emptyStats,
  )
}

/** Returns `part` divided by `whole`, or 0 if `whole` is 0 (REST specification, Sequence stats). */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

async function grouped<Key>(ctx: Ctx, key: Sql, condition: Sql, by: Sql): Promise<(Key & MailStats)[]> {
  return ctx.sql<Key & MailStats>`
    SELECT ${key}, ${counts} FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account} AND ${condition} GROUP BY ${by}`
}
