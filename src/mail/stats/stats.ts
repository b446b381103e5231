import { type Ctx, one } from '../../db/context.ts'
import { figureObject, sumsOver } from '../../db/figures/figures.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { MessageFigure } from '../figures.ts'

/** Number of messages that were sent, and of sent messages by reaction. */
export interface MailStats {
  readonly sent: number
  readonly opened: number
  readonly clicked: number
  readonly unsubscribed: number
  readonly bounced: number
}

/** The statistics of no messages. */
export const emptyStats: MailStats = { sent: 0, opened: 0, clicked: 0, unsubscribed: 0, bounced: 0 }

const unsubscribed = sql`(count(r.unsubscribed_at) FILTER (WHERE r.sent_at IS NOT NULL))::int`
const bounced = sql`(count(*) FILTER (WHERE r.state = 'BOUNCED'))::int`

/** Loads the statistics of the messages to contacts, by contact. */
export const statsOfContact = one<number, MailStats>(async (ctx, ids) =>
  mapById(
    await ctx.sql`
    SELECT r.contact_id AS id, count(r.sent_at)::int AS sent, count(r.opened_at) FILTER (WHERE r.sent_at IS NOT NULL)::int AS opened,
      count(r.clicked_at) FILTER (WHERE r.sent_at IS NOT NULL)::int AS clicked, ${unsubscribed} AS unsubscribed, ${bounced} AS bounced
    FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account} AND r.contact_id = ANY(${ids}::int[]) GROUP BY 1`,
  ),
)

/** Loads the statistics of campaigns, by campaign. */
export const statsOfCampaign = one<number, MailStats>((ctx, ids) =>
  statsOf(ctx, ids, { type: 'Campaign', key: sql`r.campaign_id`, condition: sql`r.campaign_id = ANY(${ids}::int[])` }),
)

/** Loads the statistics of sequences, by sequence. Messages of deleted stages are included. */
export const statsOfSequence = one<number, MailStats>((ctx, ids) =>
  statsOf(ctx, ids, { type: 'Sequence', key: sql`r.sequence_id`, condition: ofSequences(ids) }),
)

/** Returns the statistics of stages of sequences, by stage. */
export function statsOfStages(
  ctx: Ctx,
  sequenceIds: readonly number[],
  ids: readonly number[],
): Promise<Map<number, MailStats>> {
  const condition = sql`${ofSequences(sequenceIds)} AND r.stage_id = ANY(${ids}::int[])`
  return statsOf(ctx, ids, { type: 'SequenceStage', key: sql`r.stage_id`, condition })
}

/** Messages of sequences have no campaign. The condition on it lets an index that starts with the campaign find them. */
const ofSequences = (ids: readonly number[]) => sql`r.campaign_id IS NULL AND r.sequence_id = ANY(${ids}::int[])`

/** Returns `part` divided by `whole`, or 0 if `whole` is 0 (REST specification, Sequence stats). */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/** Objects whose messages are counted, and how their rows are found. */
interface StatsSubject {
  readonly type: 'Campaign' | 'Sequence' | 'SequenceStage'
  readonly key: Sql
  readonly condition: Sql
}

/** Reads the totals of sent, opened and clicked messages from the roll-ups, and counts the few unsubscriptions and bounces. */
async function statsOf(
  ctx: Ctx,
  ids: readonly number[],
  { type, key, condition }: StatsSubject,
): Promise<Map<number, MailStats>> {
  const sums = sumsOver(
    ctx,
    ['SENDS', 'UNIQUE_OPENS', 'UNIQUE_CLICKS'],
    ids.map((id) => figureObject(type, id)),
  )
  const sumOf = (name: MessageFigure) => sql`coalesce(max(s.value) FILTER (WHERE s.figure = ${name}), 0)::int`
  // A message that was opened may still lack its end, if the process that sent it was killed.
  const openedOf = (name: MessageFigure) => sql`least(${sumOf(name)}, ${sumOf('SENDS')})`
  const rows = await ctx.sql<MailStats & { id: number }>`
    SELECT i.id, ${sumOf('SENDS')} AS sent, ${openedOf('UNIQUE_OPENS')} AS opened,
      ${openedOf('UNIQUE_CLICKS')} AS clicked, coalesce(max(f.unsubscribed), 0)::int AS unsubscribed, coalesce(max(f.bounced), 0)::int AS bounced
    FROM unnest(${ids}::int[]) i(id)
    LEFT JOIN (${sums}) s ON s.object = ${`${type}:`} || i.id
    LEFT JOIN (
      SELECT ${key} AS id, ${unsubscribed} AS unsubscribed, ${bounced} AS bounced FROM mail_recipient r
      WHERE r.account_id = ${ctx.sql.account} AND ${condition} AND (r.unsubscribed_at IS NOT NULL OR r.state = 'BOUNCED') GROUP BY 1
    ) f ON f.id = i.id
    GROUP BY i.id`
  return mapById(rows)
}

const mapById = (rows: readonly (MailStats & { id: number })[]) => new Map(rows.map((row) => [row.id, row]))
