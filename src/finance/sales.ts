import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import { decimal, type Money } from '../kernel/money.ts'
import { madeIn, type PeriodFilter } from './filters.ts'

/** What completed orders came to in one currency. */
export interface Revenue extends Money {
  readonly orders: number
}

/**
 * What the completed and the waiting orders of a period come to in the account's default currency, rounded to two decimals
 * whatever the currency (REST specification, `sales-amount`). Fails with INVALID_PERIOD.
 */
export async function salesAmount(ctx: Ctx, period: PeriodFilter): Promise<Money> {
  const { currency } = await ownAccount(ctx)
  const [found] = await ctx.sql<{ amount: string }>`
    SELECT coalesce(sum(o.amount), 0)::text AS amount FROM "order" o
    WHERE o.account_id = ${ctx.sql.account} AND o.status IN ('COMPLETED', 'WAITING')
      AND o.currency = ${currency} ${await during(ctx, period)}`
  return { amount: decimal(found?.amount ?? '0').toFixed(2), currency }
}

/** What the completed orders of a period come to, currency by currency, the largest first. Fails with INVALID_PERIOD. */
export async function revenue(ctx: Ctx, period: PeriodFilter): Promise<Revenue[]> {
  return ctx.sql<Revenue>`
    SELECT o.currency, sum(o.amount)::text AS amount, count(*)::int AS orders FROM "order" o
    WHERE o.account_id = ${ctx.sql.account} AND o.status = 'COMPLETED' ${await during(ctx, period)}
    GROUP BY o.currency ORDER BY sum(o.amount) DESC, o.currency`
}

async function during(ctx: Ctx, period: PeriodFilter): Promise<Sql> {
  const conditions = await madeIn(ctx, period, sql`o.created_at`)
  return conditions.reduce((all, condition) => sql`${all} AND ${condition}`, sql``)
}
