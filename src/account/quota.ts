import type { Account } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { emit } from '../events/index.ts'
import { refuse } from '../kernel/errors.ts'
import { dayOf, monthOf, startOfNextMonth } from '../kernel/period.ts'
import { own, zoneOf } from './accounts.ts'

/** What is metered, and the account's column that limits it (REST specification, Account and quota). */
const slots = {
  contacts: { limit: 'limitContacts', isMonthly: false, noun: 'contacts' },
  campaigns: { limit: 'limitCampaigns', isMonthly: false, noun: 'campaigns' },
  funnels: { limit: 'limitFunnels', isMonthly: false, noun: 'funnels' },
  emails: { limit: 'limitEmails', isMonthly: true, noun: 'e-mails a month' },
  monthly_recipients: { limit: 'limitMonthlyRecipients', isMonthly: true, noun: 'recipients a month' },
} as const satisfies Record<string, { limit: keyof Account; isMonthly: boolean; noun: string }>

export type Slot = keyof typeof slots

/** How full a slot is; a null limit is none. */
export interface Quota {
  limit: number | null
  used: number
  remaining: number | null
}

/**
 * Counts `change` in a slot, in the transaction that makes or deletes what is counted. To be called last in it: the row
 * is one per account and slot, and who comes after waits for it. Announces `quota.reached` when the last one is taken;
 * fails with QUOTA_EXCEEDED when there is none left.
 */
export async function use(tx: Ctx, slot: Slot, change: number): Promise<void> {
  if (change === 0) return
  const { limit: column, noun } = slots[slot]
  const period = await periodOf(tx, slot)
  const [row] = await tx.sql<{ used: number; limit: number | null }>`
    INSERT INTO quota_usage AS q (account_id, slot, period, used)
    VALUES (${tx.sql.account}::int, ${slot}, ${period}, greatest(${change}::int, 0))
    ON CONFLICT (account_id, slot, period) DO UPDATE SET used = greatest(q.used + ${change}::int, 0)
    RETURNING used, (SELECT to_jsonb(a)->>${snake(column)} FROM account a WHERE a.id = q.account_id)::int AS limit`
  if (!row || change < 0 || row.limit === null) return
  if (row.used > row.limit)
    throw refuse('QUOTA_EXCEEDED', `The plan allows ${row.limit} ${noun}; the quota "${slot}" is used up.`)
  if (row.used === row.limit) await emit(tx, 'quota.reached', { slot, limit: row.limit, used: row.used })
}

/**
 * Counts one more of what an account may do only so often a day, whatever its plan: a day of the account's zone. Fails with
 * QUOTA_EXCEEDED.
 */
export async function useToday(tx: Ctx, slot: 'test_messages', most: number): Promise<void> {
  const today = dayOf(tx.clock.now(), await zoneOf(tx))
  await tx.sql`DELETE FROM quota_usage WHERE account_id = ${tx.sql.account} AND slot = ${slot} AND period < ${today}`
  const counted = await tx.sql`
    INSERT INTO quota_usage AS q (account_id, slot, period, used) VALUES (${tx.sql.account}::int, ${slot}, ${today}, 1)
    ON CONFLICT (account_id, slot, period) DO UPDATE SET used = q.used + 1 WHERE q.used < ${most}::int RETURNING 1`
  if (counted.length === 0) throw refuse('QUOTA_EXCEEDED', `There can be ${most} of these a day: "${slot}" is used up.`)
}

/** What is counted by the month of the account's zone, and limited by its operator whatever its plan. */
type MonthlySlot = 'ai_tokens'

/** How much of it was counted this month. */
export async function usedThisMonth(ctx: Ctx, slot: MonthlySlot): Promise<number> {
  const period = monthOf(ctx.clock.now(), await zoneOf(ctx))
  const [row] = await ctx.sql<{ used: number }>`
    SELECT used FROM quota_usage WHERE account_id = ${ctx.sql.account} AND slot = ${slot} AND period = ${period}`
  return row?.used ?? 0
}

/** Counts some more of it: as `use`, last in a transaction. */
export async function countThisMonth(tx: Ctx, slot: MonthlySlot, more: number): Promise<void> {
  const period = monthOf(tx.clock.now(), await zoneOf(tx))
  await tx.sql`
    INSERT INTO quota_usage AS q (account_id, slot, period, used) VALUES (${tx.sql.account}::int, ${slot}, ${period}, ${more}::int)
    ON CONFLICT (account_id, slot, period) DO UPDATE SET used = least(q.used::bigint + ${more}::int, 2147483647)::int`
}

/** How full a slot is now. */
export async function quotaOf(ctx: Ctx, slot: Slot): Promise<Quota> {
  const account = await own(ctx)
  const limit = account[slots[slot].limit]
  const used = (await usedBySlot(ctx)).get(`${slot} ${await periodOf(ctx, slot)}`) ?? 0
  return { limit, used, remaining: limit === null ? null : Math.max(limit - used, 0) }
}

/** When the monthly slots start again: the start of the next calendar month in the account's zone. */
export async function resetsAt(ctx: Ctx): Promise<Date> {
  return startOfNextMonth(ctx.clock.now(), await zoneOf(ctx))
}

async function periodOf(ctx: Ctx, slot: Slot): Promise<string> {
  return slots[slot].isMonthly ? monthOf(ctx.clock.now(), await zoneOf(ctx)) : ''
}

const usage = {
  otherwise: () => new Map<string, number>(),
  batch: async (ctx: Ctx) => {
    const current = monthOf(ctx.clock.now(), await zoneOf(ctx))
    const rows = await ctx.db.quotaUsage.findMany({
      where: { accountId: ctx.accountId, period: { in: ['', current] } },
    })
    return new Map([['all', new Map(rows.map((row) => [`${row.slot} ${row.period}`, row.used]))]])
  },
}

async function usedBySlot(ctx: Ctx): Promise<Map<string, number>> {
  return ctx.load(usage, 'all')
}

function snake(column: string): string {
  return column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
