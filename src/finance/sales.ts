import { ownAccount, spanFor } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { decimal, type Money } from '../kernel/money.ts'
import type { Period, PeriodArgs } from '../kernel/period.ts'

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
  const [total] = await ctx.sql<{ amount: string }>`
    SELECT coalesce(sum(o.amount), 0)::text AS amount FROM "order" o
    WHERE o.account_id = ${ctx.sql.account} AND o.status IN ('COMPLETED', 'WAITING')
      AND o.currency = ${currency} ${await periodConditions(ctx, period)}`
  return { amount: decimal(total?.amount ?? '0').toFixed(2), currency }
}

/**
 * Returns the totals of the completed orders of a period by currency, the largest first. The period defaults to today. Throws
 * INVALID_PERIOD and VALIDATION_ERROR.
 */
export async function revenue(ctx: Ctx, period: PeriodArgs): Promise<Revenue[]> {
  return ctx.sql<Revenue>`
    SELECT o.currency, sum(o.amount)::text AS amount, count(*)::int AS orders FROM "order" o
    WHERE o.account_id = ${ctx.sql.account} AND o.status = 'COMPLETED' ${await periodConditions(ctx, period, 'TODAY')}
    GROUP BY o.currency ORDER BY sum(o.amount) DESC, o.currency`
}

async function periodConditions(ctx: Ctx, period: PeriodArgs, usual?: Period): Promise<Sql> {
  const { from, until } = await spanFor(ctx, period, 'range', usual)
  return sql`${from ? sql`AND o.created_at >= ${from}::timestamptz` : empty}
    ${until ? sql`AND o.created_at < ${until}::timestamptz` : empty}`
}
