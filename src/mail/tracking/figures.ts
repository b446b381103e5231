import type { Ctx } from '../../db/context.ts'
import { many, one } from '../../db/load.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** What became of messages: how many were accepted by the server, and how many of these led to what. */
export interface Figures {
  readonly sent: number
  readonly opened: number
  readonly clicked: number
  readonly unsubscribed: number
  readonly bounced: number
}

/** The same for one stage of a sequence. */
export interface StageFigures extends Figures {
  readonly stageId: number
}

/** Where nothing was sent. */
export const nothing: Figures = { sent: 0, opened: 0, clicked: 0, unsubscribed: 0, bounced: 0 }

/** An open, a click and an unsubscription count once per message, however often they came. */
const counted = sql`count(r.sent_at)::int AS sent, count(r.opened_at) FILTER (WHERE r.sent_at IS NOT NULL)::int AS opened,
  count(r.clicked_at) FILTER (WHERE r.sent_at IS NOT NULL)::int AS clicked,
  count(r.unsubscribed_at) FILTER (WHERE r.sent_at IS NOT NULL)::int AS unsubscribed,
  count(*) FILTER (WHERE r.state = 'BOUNCED')::int AS bounced`

/** What became of the messages to contacts, by contact. */
export const figuresOfContact = one<number, Figures>(async (ctx, contactIds) => {
  const rows = await grouped<{ contactId: number }>(
    ctx,
    sql`r.contact_id AS "contactId"`,
    sql`r.contact_id = ANY(${contactIds}::int[])`,
    sql`r.contact_id`,
  )
  return new Map(rows.map((row) => [row.contactId, row]))
})

/** What became of the messages of campaigns, by campaign. */
export const figuresOfCampaign = one<number, Figures>(async (ctx, campaignIds) => {
  const rows = await grouped<{ campaignId: number }>(
    ctx,
    sql`r.campaign_id AS "campaignId"`,
    sql`r.campaign_id = ANY(${campaignIds}::int[])`,
    sql`r.campaign_id`,
  )
  return new Map(rows.map((row) => [row.campaignId, row]))
})

/** What became of the messages of sequences, stage by stage: a stage that sent nothing is not among them. */
export const figuresOfSequence = many<number, StageFigures>(async (ctx, sequenceIds) => {
  const rows = await grouped<{ sequenceId: number; stageId: number }>(
    ctx,
    sql`r.sequence_id AS "sequenceId", r.stage_id AS "stageId"`,
    sql`r.sequence_id = ANY(${sequenceIds}::int[])`,
    sql`r.sequence_id, r.stage_id`,
  )
  return Map.groupBy(rows, (row) => row.sequenceId)
})

/** Several figures as one. */
export function sumOf(all: readonly Figures[]): Figures {
  return all.reduce<Figures>(
    (sum, each) => ({
      sent: sum.sent + each.sent,
      opened: sum.opened + each.opened,
      clicked: sum.clicked + each.clicked,
      unsubscribed: sum.unsubscribed + each.unsubscribed,
      bounced: sum.bounced + each.bounced,
    }),
    nothing,
  )
}

/** A part of a whole; 0 where there is no whole (REST specification, Sequence stats). */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

async function grouped<Key>(ctx: Ctx, key: Sql, condition: Sql, by: Sql): Promise<(Key & Figures)[]> {
  return ctx.sql<Key & Figures>`
    SELECT ${key}, ${counted} FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account} AND ${condition} GROUP BY ${by}`
}
