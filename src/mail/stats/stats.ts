import { type Ctx, one } from '../../db/context.ts'
import { figureObject, ratioOf, sumsOver } from '../../db/figures/figures.ts'
import type { OrderKey } from '../../db/lists/list.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { MessageFigure } from '../figures.ts'

/** Number of messages that were sent, and of messages by reaction and loss. */
export interface MailStats {
  readonly sent: number
  readonly opened: number
  readonly clicked: number
  readonly unsubscribed: number
  readonly bounced: number
  /** Bounced messages that were not sent. */
  readonly rejected: number
  readonly complained: number
}

/** The statistics of no messages. */
export const emptyStats: MailStats = {
  ...{ sent: 0, opened: 0, clicked: 0, unsubscribed: 0 },
  ...{ bounced: 0, rejected: 0, complained: 0 },
}

const sentWith = (time: Sql) => sql`(count(${time}) FILTER (WHERE r.sent_at IS NOT NULL))::int`

/** Loads the statistics of the messages to contacts, by contact. */
export const statsOfContact = one<number, MailStats>(async (ctx, ids) =>
  mapById(
    await ctx.sql`
    SELECT r.contact_id AS id, count(r.sent_at)::int AS sent, ${sentWith(sql`r.opened_at`)} AS opened,
      ${sentWith(sql`r.clicked_at`)} AS clicked, ${sentWith(sql`r.unsubscribed_at`)} AS unsubscribed,
      (count(*) FILTER (WHERE r.state = 'BOUNCED'))::int AS bounced, ${sentWith(sql`r.complained_at`)} AS complained,
      (count(*) FILTER (WHERE r.state = 'BOUNCED' AND r.sent_at IS NULL))::int AS rejected
    FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account} AND r.contact_id = ANY(${ids}::int[]) GROUP BY 1`,
  ),
)

/** Loads the statistics of campaigns, by campaign. */
export const statsOfCampaign = one<number, MailStats>((ctx, ids) => readStats(ctx, 'Campaign', ids))

/** Loads the statistics of sequences, by sequence. Messages of deleted stages are included. */
export const statsOfSequence = one<number, MailStats>((ctx, ids) => readStats(ctx, 'Sequence', ids))

/** Returns the statistics of stages, by stage. */
export const statsOfStages = (ctx: Ctx, ids: readonly number[]) => readStats(ctx, 'SequenceStage', ids)

/** Returns `part` divided by `whole`, or 0 if `whole` is 0 (REST specification, Sequence stats). */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/** Returns the share of the messages that bounced, 0 if there are none. */
export function bounceRate({ bounced, sent, rejected }: MailStats): number {
  return ratio(Math.min(bounced, sent + rejected), sent + rejected)
}

/** Returns the statistics that the values of figures make. */
export function statsFrom(read: (figure: MessageFigure) => number): MailStats {
  const sent = read('SENDS')
  // A message that was opened may still lack its end, if the process that sent it was killed.
  const ofSent = (figure: MessageFigure) => Math.min(read(figure), sent)
  return {
    sent,
    opened: ofSent('UNIQUE_OPENS'),
    clicked: ofSent('UNIQUE_CLICKS'),
    unsubscribed: ofSent('UNSUBSCRIBES'),
    bounced: read('BOUNCES'),
    rejected: read('REJECTIONS'),
    complained: ofSent('COMPLAINTS'),
  }
}

/** The figures of which statistics consist. */
export const statsFigures = [
  ...(['SENDS', 'UNIQUE_OPENS', 'UNIQUE_CLICKS'] as const),
  ...(['UNSUBSCRIBES', 'BOUNCES', 'REJECTIONS', 'COMPLAINTS'] as const),
]

const rateParts: Readonly<Record<RateName, { part: MessageFigure; whole: readonly MessageFigure[] }>> = {
  OPEN_RATE: { part: 'UNIQUE_OPENS', whole: ['SENDS'] },
  CLICK_RATE: { part: 'UNIQUE_CLICKS', whole: ['SENDS'] },
  UNSUBSCRIBE_RATE: { part: 'UNSUBSCRIBES', whole: ['SENDS'] },
  BOUNCE_RATE: { part: 'BOUNCES', whole: ['SENDS', 'REJECTIONS'] },
}

/** A rate of `MailStats` by which lists are sorted. */
type RateName = 'OPEN_RATE' | 'CLICK_RATE' | 'UNSUBSCRIBE_RATE' | 'BOUNCE_RATE'

/** Returns the sort keys for the rates of an object. Objects without messages come last in both directions. */
export function rateOrders(object: Parameters<typeof ratioOf>[0]): Record<RateName, OrderKey> {
  const keyOf = (name: RateName): OrderKey => ({
    kind: 'decimal',
    // No rate is less than 0 or more than 1.
    by: ({ direction }) =>
      sql`coalesce(${ratioOf(object, rateParts[name])}, ${direction === 'DESC' ? sql`-1` : sql`2`}::numeric)`,
  })
  return Object.fromEntries((Object.keys(rateParts) as RateName[]).map((name) => [name, keyOf(name)])) as never
}

/** Reads the statistics of objects from the roll-ups, by object. */
async function readStats(
  ctx: Ctx,
  type: 'Campaign' | 'Sequence' | 'SequenceStage',
  ids: readonly number[],
): Promise<Map<number, MailStats>> {
  const objects = new Map(ids.map((id) => [figureObject(type, id), id]))
  const sums = await ctx.sql<{ object: string; figure: string; value: string }>`
    SELECT object, figure, value::text AS value FROM (${sumsOver(ctx, statsFigures, [...objects.keys()])}) s`
  const byObject = Map.groupBy(sums, ({ object }) => object)
  return new Map([...objects].map(([object, id]) => [id, statsFrom(valuesOf(byObject.get(object) ?? []))]))
}

/** Returns a function that returns the value of a figure, 0 if there is none. */
export function valuesOf(sums: readonly { readonly figure: string; readonly value: string }[]) {
  const byFigure = new Map(sums.map(({ figure, value }) => [figure, Number(value)]))
  return (figure: MessageFigure) => byFigure.get(figure) ?? 0
}

const mapById = (rows: readonly (MailStats & { id: number })[]) => new Map(rows.map((row) => [row.id, row]))
