import type { Account } from '../../prisma/generated/client/client.ts'
import { invalid } from '../kernel/errors.ts'
import {
  defaultPeriod,
  defaultZone,
  isZone,
  type PeriodArgs,
  periodOf,
  type Span,
  spanOf,
  zoneMessage,
} from '../kernel/values/period.ts'
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
  return (await databaseZones(db)).has(zone.toLowerCase())
}

let zones: Promise<ReadonlyMap<string, string>> | undefined

/** Returns the names of the time zones of PostgreSQL by their names in lower case. Reads them once, because it is slow. */
async function databaseZones(db: Ctx['db']): Promise<ReadonlyMap<string, string>> {
  zones ??= readZones(db)
  try {
    return await zones
  } catch (error) {
    zones = undefined
    throw error
  }
}

async function readZones(db: Ctx['db']): Promise<ReadonlyMap<string, string>> {
  const rows = await db.$unscoped<{ name: string }>(
    'time zones belong to no account',
    sql`SELECT n.name FROM pg_timezone_names n
      WHERE n.name IN ('UTC', 'GMT') OR NOT EXISTS (SELECT FROM pg_timezone_abbrevs a WHERE a.abbrev = upper(n.name))`,
  )
  return new Map(rows.map(({ name }) => [name.toLowerCase(), name]))
}

/** Returns the IANA time zone of the account's days and months. */
export async function zoneOf(ctx: Ctx): Promise<string> {
  return (await ctx.load(accounts, ctx.accountId))?.timezone ?? defaultZone
}

/** A time range, and the time zone of its days. */
export interface ZonedSpan {
  readonly span: Span
  readonly zone: string
}

/**
 * Returns the time range of the period that a client selected, all time if it selected none, and the time zone of its days.
 * `path` is the path of the range in messages. **Throws** INVALID_PERIOD and VALIDATION_ERROR.
 */
export async function periodFor(ctx: Ctx, args: PeriodArgs, path: string): Promise<ZonedSpan> {
  const period = periodOf(args, path)
  const zone = args.timezone == null ? await zoneOf(ctx) : await zoneNamed(ctx, args.timezone, path)
  return { span: period === 'ALL' ? {} : spanOf(period, args.range, path, { zone, now: ctx.clock.now() }), zone }
}

/** Returns the same of the arguments of a figure, whose period defaults to `defaultPeriod`. */
export function periodOfFigure(ctx: Ctx, args: PeriodArgs): Promise<ZonedSpan> {
  const { period, range, timezone } = args
  return periodFor(ctx, { period: period ?? (range ? null : defaultPeriod), range, timezone }, 'range')
}

async function zoneNamed({ db }: Ctx, name: string, path: string): Promise<string> {
  const found = (await databaseZones(db)).get(name.toLowerCase())
  if (found === undefined || !isZone(found)) throw invalid({ [path.replace(/range$/, 'timezone')]: [zoneMessage] })
  return found
}
