import type { Ctx } from '../../db/context.ts'
import { addFigures, type FigureChange } from '../../db/figures/figures.ts'
import { sql } from '../../db/sql.ts'
import { decimal } from '../../kernel/values/money.ts'
import type { BillingSubscription } from './subscription-list.ts'

/** Number of decimals of an amount per month. */
const monthlyDecimals = 6

/** The amount per month of a subscription, in SQL: the same as `countSubscription` computes. */
export const monthlyAmount = sql`round(amount / rate_months, ${monthlyDecimals}::int)`

/**
 * Adds the difference that a change of a subscription makes to the figures. A new one counts from its creation, and every
 * other change of the status from now. The restart of an ended subscription takes it out of the ended ones.
 */
export async function countSubscription(
  tx: Ctx,
  before: BillingSubscription | undefined,
  after: BillingSubscription,
): Promise<void> {
  const { currency } = after
  const monthly = decimal(after.amount).div(after.rateMonths).toDecimalPlaces(monthlyDecimals)
  const changes: FigureChange[] = []
  const active = Number(after.status === 'ACTIVE') - Number(before?.status === 'ACTIVE')
  if (active !== 0) {
    const at = before ? after.updatedAt : after.createdAt
    changes.push({ figure: 'MRR', currency, at, value: monthly.times(active).toString() })
  }
  const ended = Number(after.endedAt !== null) - Number(before?.endedAt != null)
  if (ended !== 0) {
    const at = (after.endedAt ?? before?.endedAt) as Date
    changes.push(
      { figure: 'CHURNED_SUBSCRIPTIONS', currency, at, value: ended },
      { figure: 'CHURNED_MRR', currency, at, value: monthly.times(ended).toString() },
    )
  }
  await addFigures(tx, changes)
}
