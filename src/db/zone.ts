import type { Account } from '../../prisma/generated/client/client.ts'
import { defaultZone } from '../kernel/values/period.ts'
import { type Ctx, one } from './context.ts'
import { sql } from './sql.ts'

/** Loads accounts by id. Returns only the caller's account. */
export const accounts = one<number, Account>(async (ctx, ids) => {
  const rows = await ctx.db.account.findMany({ where: { id: ctx.accountId } })
  return new Map(rows.filter((row) => ids.includes(row.id)).map((row) => [row.id, row]))
})

/**
 * Returns whether PostgreSQL knows a time zone, whatever the case of its name, and takes it for a zone. It has other rules than
 * this process for names of zones that are abbreviations as well: CET without summer time, and IST for Israel.
 */
export async function isDatabaseZone({ db }: Pick<Ctx, 'db'>, zone: string): Promise<boolean> {
  const found = await db.$unscoped(
    'time zones belong to no account',
    sql`SELECT FROM pg_timezone_names n WHERE lower(n.name) = lower(${zone})
      AND (n.name IN ('UTC', 'GMT') OR NOT EXISTS (SELECT FROM pg_timezone_abbrevs a WHERE a.abbrev = upper(${zone})))`,
  )
  return found.length > 0
}

/** Returns the IANA time zone of the account's days and months. */
export async function zoneOf(ctx: Ctx): Promise<string> {
  return (await ctx.load(accounts, ctx.accountId))?.timezone ?? defaultZone
}
