import { ownAccount } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sumsByCurrency } from '../../db/figures/figures.ts'
import { empty, type Sql, sql } from '../../db/sql.ts'
import { periodOfFigure } from '../../db/zone.ts'
import { decimal, type Money } from '../../kernel/values/money.ts'
import type { PeriodArgs, Span } from '../../kernel/values/period.ts'

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
  const { span } = await periodOfFigure(ctx, period)
  // The figures contain only completed orders. Waiting ones are few.
  const [total] = await ctx.sql<{ amount: string }>`
    SELECT coalesce(sum(amount), 0)::text AS amount FROM (
      SELECT o.amount FROM "order" o WHERE o.account_id = ${ctx.sql.account} AND o.status = 'WAITING'
        AND o.currency = ${currency} ${within(span)}
      UNION ALL SELECT amount FROM (${figuresIn(ctx, span)}) f WHERE f.currency = ${currency}) sold`
  return { amount: decimal(total?.amount ?? '0').toFixed(2), currency }
}

/**
 * Returns the totals of the completed orders of a period by currency, the largest first. Throws INVALID_PERIOD and
 * VALIDATION_ERROR.
 */
export async function revenue(ctx: Ctx, period: PeriodArgs): Promise<Revenue[]> {
  const { span } = await periodOfFigure(ctx, period)
  return ctx.sql<Revenue>`
    SELECT c.currency, c.amount::text AS amount, c.orders::int AS orders FROM (${figuresIn(ctx, span)}) c
    WHERE c.orders > 0 ORDER BY c.amount DESC, c.currency`
}

/** Selects the totals of completed orders by currency from the figures. */
function figuresIn(ctx: Ctx, span: Span): Sql {
  return sql`SELECT s.currency, sum(s.value) FILTER (WHERE s.figure = 'REVENUE') AS amount, sum(s.value) FILTER (WHERE s.figure = 'ORDERS') AS orders
    FROM (${sumsByCurrency(ctx, ['REVENUE', 'ORDERS'], span)}) s GROUP BY s.currency`
}

function within({ from, until }: Span): Sql {
  return sql`${from ? sql`AND o.created_at >= ${from}::timestamptz` : empty}
    ${until ? sql`AND o.created_at < ${until}::timestamptz` : empty}`
}
