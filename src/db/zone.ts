import type { Account } from '../../prisma/generated/client/client.ts'
import { defaultZone } from '../kernel/period.ts'
import { type Ctx, one } from './context.ts'

/** Loads accounts by id. Returns only the caller's account. */
export const accounts = one<number, Account>(async (ctx, ids) => {
  const rows = await ctx.db.account.findMany({ where: { id: ctx.accountId } })
  return new Map(rows.filter((row) => ids.includes(row.id)).map((row) => [row.id, row]))
})

/** Returns the IANA time zone of the account's days and months. */
export async function zoneOf(ctx: Ctx): Promise<string> {
  return (await ctx.load(accounts, ctx.accountId))?.timezone ?? defaultZone
}
