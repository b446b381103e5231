import { ownAccount, spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { completeSince, sumsByCurrency } from '../db/figures.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { decimal, type Money } from '../kernel/money.ts'
import type { PeriodArgs, Span } from '../kernel/period.ts'

/** The total of completed orders in one currency. */
export interface Revenue extends Money {
  readonly orders: number
}

/**
 * Returns the total of the completed and the waiting orders of a period in the account's default currency, rounded to two
 * decimals in every currency (REST specification, `sales-amount`). Throws INVALID_PERIOD and VALIDATION_ERROR.
 */
export async function salesAmount(ctx: Ctx, period: PeriodArgs): Promise<Money> {
  const { currency } = await ownAccount(ctx)
  const span = await spanFor(ctx, period, 'range')
  const figures = await figuresIn(ctx, span)
  // The figures contain only completed orders. Waiting ones are few.
  const [total] = await ctx.sql<{ amount: string }>`
    SELECT coalesce(sum(amount), 0)::text AS amount FROM (
      SELECT o.amount FROM "order" o WHERE o.account_id = ${ctx.sql.account} AND o.status = ANY(${figures ? ['WAITING'] : ['COMPLETED', 'WAITING']}::order_status[])
        AND o.currency = ${currency} ${within(span)}
      ${figures ? sql`UNION ALL SELECT amount FROM (${figures}) f WHERE f.currency = ${currency}` : empty}) sold`
  return { amount: decimal(total?.amount ?? '0').toFixed(2), currency }
}

/**
 * Returns the totals of the completed orders of a period by currency, the largest first. The period defaults to today. Throws
 * INVALID_PERIOD and VALIDATION_ERROR.
 */
export async function revenue(ctx: Ctx, period: PeriodArgs): Promise<Revenue[]> {
  const span = await spanFor(ctx, period, 'range', 'TODAY')
  const completed =
    (await figuresIn(ctx, span)) ??
    sql`SELECT o.currency, sum(o.amount) AS amount, count(*) AS orders FROM "order" o
      WHERE o.account_id = ${ctx.sql.account} AND o.status = 'COMPLETED' ${within(span)} GROUP BY o.currency`
  return ctx.sql<Revenue>`
    SELECT c.currency, c.amount::text AS amount, c.orders::int AS orders FROM (${completed}) c
    WHERE c.orders > 0 ORDER BY c.amount DESC, c.currency`
}

/** Selects the totals of completed orders by currency from the figures. Null as long as older orders are not counted. */
async function figuresIn(ctx: Ctx, span: Span): Promise<Sql | null> {
  if ((await ctx.load(completeSince, 'order')) !== null) return null
  return sql`SELECT s.currency, sum(s.value) FILTER (WHERE s.figure = 'REVENUE') AS amount, sum(s.value) FILTER (WHERE s.figure = 'ORDERS') AS orders
    FROM (${sumsByCurrency(ctx, ['REVENUE', 'ORDERS'], span)}) s GROUP BY s.currency`
}

function within({ from, until }: Span): Sql {
  return sql`${from ? sql`AND o.created_at >= ${from}::timestamptz` : empty}
    ${until ? sql`AND o.created_at < ${until}::timestamptz` : empty}`
}
