import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import { decimal, type Money } from '../kernel/money.ts'
import { createdIn, type PeriodFilter } from './period-filter.ts'

/** The total of completed orders in one currency. */
export interface Revenue extends Money {
  readonly orders: number
}

/**
 * Returns the total of the completed and the waiting orders of a period in the account's default currency, rounded to two
 * decimals in every currency (REST specification, `sales-amount`). Throws INVALID_PERIOD.
 */
export async function salesAmount(ctx: Ctx, period: PeriodFilter): Promise<Money> {
  const { currency } = await ownAccount(ctx)
  const [total] = await ctx.sql<{ amount: string }>`
    SELECT coalesce(sum(o.amount), 0)::text AS amount FROM "order" o
    WHERE o.account_id = ${ctx.sql.account} AND o.status IN ('COMPLETED', 'WAITING')
      AND o.currency = ${currency} ${await periodConditions(ctx, period)}`
  return { amount: decimal(total?.amount ?? '0').toFixed(2), currency }
}

/** Returns the totals of the completed orders of a period by currency, the largest first. Throws INVALID_PERIOD. */
export async function revenue(ctx: Ctx, period: PeriodFilter): Promise<Revenue[]> {
  return ctx.sql<Revenue>`
    SELECT o.currency, sum(o.amount)::text AS amount, count(*)::int AS orders FROM "order" o
    WHERE o.account_id = ${ctx.sql.account} AND o.status = 'COMPLETED' ${await periodConditions(ctx, period)}
    GROUP BY o.currency ORDER BY sum(o.amount) DESC, o.currency`
}

async function periodConditions(ctx: Ctx, period: PeriodFilter): Promise<Sql> {
  const conditions = await createdIn(ctx, period, sql`o.created_at`)
  return conditions.reduce((all, condition) => sql`${all} AND ${condition}`, sql``)
}
