import { defaultZone } from '../kernel/period.ts'
import { type Ctx, one } from './context.ts'

const zones = one<number, string>(async (ctx) => {
  const rows = await ctx.sql<{ zone: string | null }>`
    SELECT a.timezone AS zone FROM account a WHERE a.id = ${ctx.sql.account}`
  return new Map(rows.map(({ zone }) => [ctx.accountId, zone ?? defaultZone]))
})

/** Returns the IANA time zone of the account's days and months. */
export async function zoneOf(ctx: Ctx): Promise<string> {
  return (await ctx.load(zones, ctx.accountId)) ?? defaultZone
}
