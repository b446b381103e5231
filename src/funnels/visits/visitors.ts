import type { Ctx } from '../../db/context.ts'
import { empty, isOneOf, type Sql, sql } from '../../db/sql.ts'

/** Selects the ids of the contacts that visited any of the steps, once for each visit. Without `stepIds`, any step. */
export function contactsOnSteps(ctx: Ctx, stepIds: readonly number[] | undefined): Sql {
  return visitorsOf(ctx, stepIds ? sql`AND ${isOneOf(sql`v.step_id`, stepIds)}` : empty)
}

/** Selects the ids of the contacts that visited a step of any of the funnels, once for each visit. */
export function contactsOnFunnels(ctx: Ctx, funnelIds: readonly number[] | undefined): Sql {
  if (!funnelIds) return visitorsOf(ctx, empty)
  const steps = sql`SELECT p.id FROM funnel_step p
    WHERE p.account_id = ${ctx.sql.account} AND ${isOneOf(sql`p.funnel_id`, funnelIds)}`
  return visitorsOf(ctx, sql`AND v.step_id IN (${steps})`)
}

function visitorsOf(ctx: Ctx, condition: Sql): Sql {
  return sql`SELECT v.contact_id FROM visit v
    WHERE v.account_id = ${ctx.sql.account} AND v.contact_id IS NOT NULL AND NOT v.is_bot ${condition}`
}
