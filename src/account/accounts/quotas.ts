import type { Account } from '../../../prisma/generated/client/client.ts'
import { type Ctx, single } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { zoneOf } from '../../db/zone.ts'
import { emit } from '../../events/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { dayOf, monthOf, startOfNextMonth } from '../../kernel/values/period.ts'
import { own } from './accounts.ts'

/** Metered resources and the account columns with their limits (REST specification, Account and quota). */
const slots = {
  contacts: { limit: 'limitContacts', isMonthly: false, noun: 'contacts' },
  campaigns: { limit: 'limitCampaigns', isMonthly: false, noun: 'campaigns' },
  funnels: { limit: 'limitFunnels', isMonthly: false, noun: 'funnels' },
  emails: { limit: 'limitEmails', isMonthly: true, noun: 'e-mails per month' },
  monthly_recipients: { limit: 'limitMonthlyRecipients', isMonthly: true, noun: 'recipients per month' },
  media: { limit: 'limitMediaKilobytes', isMonthly: false, noun: 'kilobytes of media files' },
} as const satisfies Record<string, { limit: keyof Account; isMonthly: boolean; noun: string }>

export type Slot = keyof typeof slots

/** Limit and usage of a slot. `limit` and `remaining` are null if there is no limit. */
export interface Quota {
  limit: number | null
  used: number
  remaining: number | null
}

/**
 * Adds `change` to the usage of a slot. Call it last in the transaction that creates or deletes the counted objects, because it
 * locks the row of the slot for the account.
 *
 * **Emits** `quota.reached` if the usage reaches the limit. **Throws** QUOTA_EXCEEDED if it exceeds the limit.
 */
export async function use(tx: Ctx, slot: Slot, change: number): Promise<void> {
  if (change === 0) return
  const { limit: column } = slots[slot]
  const period = await periodOf(tx, slot)
  const [row] = await tx.sql<{ used: number; limit: number | null }>`
    INSERT INTO quota_usage AS q (account_id, slot, period, used)
    VALUES (${tx.sql.account}::int, ${slot}, ${period}, greatest(${change}::int, 0))
    ON CONFLICT (account_id, slot, period) DO UPDATE SET used = greatest(q.used + ${change}::int, 0)
    RETURNING used, (SELECT to_jsonb(a)->>${snake(column)} FROM account a WHERE a.id = q.account_id)::int AS limit`
  if (!row || change < 0 || row.limit === null) return
  if (row.used > row.limit) throw refuse('QUOTA_EXCEEDED', exhaustedMessage(slot, row.limit))
  if (row.used === row.limit) await emit(tx, 'quota.reached', { slot, limit: row.limit, used: row.used })
}

/**
 * Returns the SQL of the number of objects that exist, of a slot without a period. It is exact: `use` changes it with the rows.
 */
export function countOf(ctx: Ctx, slot: 'contacts'): Sql {
  return sql`coalesce((SELECT used FROM quota_usage WHERE account_id = ${ctx.sql.account} AND slot = ${slot} AND period = ''), 0)`
}

/** Returns the message for a slot whose limit would be exceeded. */
export function exhaustedMessage(slot: Slot, limit: number): string {
  return `The plan allows ${limit} ${slots[slot].noun}. The quota "${slot}" is exhausted.`
}

/**
 * Counts uses of a slot with a fixed daily limit, independent of the plan: all of them or none. Days are those of the account's
 * time zone.
 *
 * **Throws** QUOTA_EXCEEDED if `max` is exceeded.
 */
export async function useToday(tx: Ctx, slot: 'test_messages' | 'invitations', max: number, count = 1): Promise<void> {
  const today = dayOf(tx.clock.now(), await zoneOf(tx))
  await tx.sql`DELETE FROM quota_usage WHERE account_id = ${tx.sql.account} AND slot = ${slot} AND period < ${today}`
  const counted = await tx.sql`
    INSERT INTO quota_usage AS q (account_id, slot, period, used) VALUES (${tx.sql.account}::int, ${slot}, ${today}, ${count}::int)
    ON CONFLICT (account_id, slot, period) DO UPDATE SET used = q.used + ${count}::int WHERE q.used + ${count}::int <= ${max}::int
    RETURNING 1`
  if (counted.length === 0)
    throw refuse('QUOTA_EXCEEDED', `The limit is ${max} per day. The quota "${slot}" is exhausted.`)
}

/** A slot that is counted per month in the account's time zone, and whose limit the operator configures. */
type MonthlySlot = 'ai_tokens'

/** Returns the usage of a monthly slot in the current month. */
export async function usedThisMonth(ctx: Ctx, slot: MonthlySlot): Promise<number> {
  const period = monthOf(ctx.clock.now(), await zoneOf(ctx))
  const [row] = await ctx.sql<{ used: number }>`
    SELECT used FROM quota_usage WHERE account_id = ${ctx.sql.account} AND slot = ${slot} AND period = ${period}`
  return row?.used ?? 0
}

/** Adds to the usage of a monthly slot. Call it last in a transaction, like `use`. */
export async function countThisMonth(tx: Ctx, slot: MonthlySlot, count: number): Promise<void> {
  const period = monthOf(tx.clock.now(), await zoneOf(tx))
  await tx.sql`
    INSERT INTO quota_usage AS q (account_id, slot, period, used) VALUES (${tx.sql.account}::int, ${slot}, ${period}, ${count}::int)
    ON CONFLICT (account_id, slot, period) DO UPDATE SET used = least(q.used::bigint + ${count}::int, 2147483647)::int`
}

/** Returns the limit and the current usage of a slot. */
export async function quotaOf(ctx: Ctx, slot: Slot): Promise<Quota> {
  const account = await own(ctx)
  const limit = account[slots[slot].limit]
  const used = (await ctx.load(usage, 'all')).get(`${slot} ${await periodOf(ctx, slot)}`) ?? 0
  return { limit, used, remaining: limit === null ? null : Math.max(limit - used, 0) }
}

/** Returns the start of the next calendar month in the account's time zone, when monthly usage returns to 0. */
export async function resetsAt(ctx: Ctx): Promise<Date> {
  return startOfNextMonth(ctx.clock.now(), await zoneOf(ctx))
}

async function periodOf(ctx: Ctx, slot: Slot): Promise<string> {
  return slots[slot].isMonthly ? monthOf(ctx.clock.now(), await zoneOf(ctx)) : ''
}

/** Loads the current usage by slot and period. */
const usage = single(async (ctx) => {
  const current = monthOf(ctx.clock.now(), await zoneOf(ctx))
  const rows = await ctx.db.quotaUsage.findMany({
    where: { accountId: ctx.accountId, period: { in: ['', current] } },
  })
  return new Map(rows.map((row) => [`${row.slot} ${row.period}`, row.used]))
})

function snake(column: string): string {
  return column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
