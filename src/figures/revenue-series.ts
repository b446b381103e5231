import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { invalid, Refusal } from '../kernel/errors.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'
import { divide, type Interval } from '../kernel/values/intervals.ts'
import type { PeriodArgs } from '../kernel/values/period.ts'
import { periodOfSeries, type Series, seriesOf } from './series.ts'

/** Maximum number of groups. The revenue of all others is one more. */
export const maxRevenueGroups = 50

/** Maximum number of intervals, which all groups have. */
export const maxRevenuePoints = 400

/** What revenue can be grouped by. */
export type RevenueGrouping = 'CURRENCY' | 'PRODUCT' | 'FUNNEL'

interface RevenueSeriesArgs extends PeriodArgs {
  readonly groupBy: RevenueGrouping
  readonly interval?: Interval | null | undefined
  readonly currency?: string | null | undefined
}

/** The revenue of a group over time. */
export interface RevenueGroup {
  /** Currency, or name of the product. Empty for orders without lines, for funnels, and for all other groups. */
  readonly label: string
  readonly funnelId: number | null
  /** Whether it is the sum of the groups that are too many. */
  readonly isOther: boolean
  readonly series: Series
}

/**
 * How orders `o` are grouped. They are added up by a stored value first, of which there are few, so that keys and labels are
 * computed for each value, not for each order.
 */
interface GroupSource {
  /** The stored value, and the amount, of each order or of its parts. */
  readonly value: Sql
  readonly amount: Sql
  readonly parts: Sql
  /** The key of the group of a value `g.value`, its label, and what they are read from. */
  readonly key: Sql
  readonly label: Sql
  readonly from: (ctx: Ctx) => Sql
}

const orderAmounts = { amount: sql`o.amount - o.refunded_amount`, parts: empty, from: () => empty }

const groupings: Readonly<Record<RevenueGrouping, GroupSource>> = {
  CURRENCY: { ...orderAmounts, value: sql`o.currency`, key: sql`g.value::text`, label: sql`g.value::text` },
  // An order without lines is of no product. What was refunded of an order is shared among its lines in proportion.
  PRODUCT: {
    ...orderAmounts,
    value: sql`coalesce(l.name, '')`,
    amount: sql`coalesce(l.amount + l.vat, o.amount) * CASE o.refunded_amount WHEN 0 THEN 1 ELSE 1 - o.refunded_amount / o.amount END`,
    parts: sql`LEFT JOIN order_line l ON l.account_id = o.account_id AND l.order_id = o.id`,
    ...{ key: sql`lower(g.value)`, label: sql`g.value` },
  },
  FUNNEL: {
    ...orderAmounts,
    value: sql`o.step_id`,
    // The name of a funnel needs a scope of its own.
    ...{ key: sql`coalesce(p.funnel_id::text, '')`, label: sql`''` },
    from: (ctx) => sql`LEFT JOIN funnel_step p ON p.account_id = ${ctx.sql.account} AND p.id = g.value`,
  },
}

interface GroupSum {
  readonly place: number
  readonly key: string
  readonly label: string
  readonly bucket: number
  readonly value: string
}

/**
 * Returns the revenue of a period over time for each currency, product or funnel: the 50 groups with the largest total, and
 * the sum of all others. Groups have all intervals. A product is a name in any case; its amounts include VAT.
 *
 * **Throws** FORBIDDEN, INVALID_PERIOD, also for all time, and VALIDATION_ERROR for a currency beside the currencies, for too
 * many points, and for a period with so many orders that adding them up takes longer than 2 seconds.
 */
export async function revenueSeries(ctx: Ctx, args: RevenueSeriesArgs): Promise<RevenueGroup[]> {
  mustBeAllowed(ctx, 'finance:read')
  const { groupBy } = args
  const isByCurrency = groupBy === 'CURRENCY'
  if (isByCurrency && args.currency != null) {
    throw invalid({ currency: ['cannot be combined with CURRENCY, which returns all'] }, 'NOT_COMBINABLE')
  }
  const currency = isByCurrency ? null : (args.currency ?? (await ownAccount(ctx)).currency)
  const { span, zone } = await periodOfSeries(ctx, args)
  const interval = args.interval ?? 'DAY'
  const limits = divide(span, interval, zone)
  if (limits.current.length > maxRevenuePoints + 1) {
    throw invalid({ interval: [`must divide the period into at most ${maxRevenuePoints} intervals`] }, 'TOO_BIG')
  }
  const bounds = [...limits.previous, ...limits.current.slice(1)]
  const { value, amount, parts, key, label, from } = groupings[groupBy]
  const rows = await ctx.sql.limited(1)<GroupSum>`
    WITH sold AS MATERIALIZED (
      SELECT ${key} AS key, min(${label}) AS label, g.bucket, sum(g.amount) AS value
      FROM (
        SELECT ${value}, width_bucket(o.created_at, ${bounds}::timestamptz[]), sum(${amount}) FROM "order" o ${parts}
        WHERE o.account_id = ${ctx.sql.account} AND o.status = 'COMPLETED' ${currency === null ? empty : sql`AND o.currency = ${currency}`}
          AND o.created_at >= ${bounds[0] as Date}::timestamptz AND o.created_at < ${bounds.at(-1) as Date}::timestamptz
        GROUP BY 1, 2
      ) g(value, bucket, amount) ${from(ctx)} GROUP BY 1, 3
    ), ranked AS (
      SELECT key, row_number() OVER (ORDER BY sum(value) FILTER (WHERE bucket >= ${limits.current.length}::int) DESC NULLS LAST, key) AS place
      FROM sold GROUP BY key
    )
    SELECT least(r.place, ${maxRevenueGroups + 1}::int)::int AS place, min(s.key) AS key, min(s.label) AS label, s.bucket,
      sum(s.value)::text AS value
    FROM sold s JOIN ranked r ON r.key = s.key GROUP BY 1, s.bucket ORDER BY 1`.catch(ofPeriod)
  return [...Map.groupBy(rows, ({ place }) => place)].map(([place, sums]) => {
    const isOther = place > maxRevenueGroups
    const { key = '', label = '' } = isOther ? {} : (sums[0] ?? {})
    const frame = { figure: 'REVENUE', interval, currency: currency ?? key, zone, limits } as const
    const funnelId = groupBy === 'FUNNEL' && key !== '' ? Number(key) : null
    return { label, funnelId, isOther, series: seriesOf(frame, sums) }
  })
}

/** Throws the error of a statement. One about its time names the period, because there is no filter. */
function ofPeriod(error: unknown): never {
  const isTooSlow = error instanceof Refusal && error.fields.some(({ path }) => path === 'filter')
  throw isTooSlow
    ? invalid({ period: ['has more orders than can be added up within 2 seconds; use a shorter one'] })
    : error
}
