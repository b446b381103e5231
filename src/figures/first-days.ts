import { DateTime } from 'luxon'
import { type Ctx, one } from '../db/context.ts'
import { figureObject } from '../db/figures/figures.ts'
import { invalid } from '../kernel/errors.ts'
import type { Span } from '../kernel/values/period.ts'

/** Maximum number of days after the first message of a campaign in a series. */
export const maxFirstDays = 90

/** Loads the time of the first messages of campaigns that a mail server accepted: that of the figure, to the hour. */
const firstSends = one<number, Date>(async (ctx, campaignIds) => {
  const objects = campaignIds.map((id) => figureObject('Campaign', id))
  const rows = await ctx.sql<{ id: number; at: Date }>`
    SELECT substr(object, ${'Campaign:'.length + 1}::int)::int AS id, min(at) AS at FROM (
      SELECT object, at FROM figure_total
      WHERE account_id = ${ctx.sql.account} AND figure = 'SENDS' AND object = ANY(${objects}::text[]) AND currency = '' AND minutes = 60
      UNION ALL
      SELECT object, at FROM figure_delta
      WHERE account_id = ${ctx.sql.account} AND figure = 'SENDS' AND object = ANY(${objects}::text[]) AND currency = ''
    ) f GROUP BY object`
  return new Map(rows.map(({ id, at }) => [id, at]))
})

/**
 * Returns the first days of a campaign, from the day of its first message until today at most, in a time zone.
 * Undefined if nothing was sent. Throws VALIDATION_ERROR for a number of days that is not from 1 to `maxFirstDays`.
 */
export async function firstDaysOf(
  ctx: Ctx,
  campaignId: number,
  days: number,
  zone: string,
): Promise<Required<Span> | undefined> {
  if (days < 1 || days > maxFirstDays) throw invalid({ firstDays: [`must be from 1 to ${maxFirstDays}`] })
  const first = await ctx.load(firstSends, campaignId)
  if (!first) return undefined
  const from = DateTime.fromJSDate(first, { zone }).startOf('day')
  const tomorrow = DateTime.fromJSDate(ctx.clock.now(), { zone }).startOf('day').plus({ days: 1 })
  return { from: from.toJSDate(), until: DateTime.min(from.plus({ days }), tomorrow).toJSDate() }
}
