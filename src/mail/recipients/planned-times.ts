import type { Campaign } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { accounts } from '../../db/zone.ts'
import { defaultZone } from '../../kernel/values/period.ts'

/** What decides when a campaign is sent to each recipient. */
export type CampaignTimes = Pick<
  Campaign,
  'localTime' | 'spreadHours' | 'windowFrom' | 'windowUntil' | 'quietHoursAction' | 'recipientsCount'
>

/** The fraction of the golden ratio: its multiples are spread evenly over 0 to 1, however many there are. */
const goldenFraction = 0.618_033_988_749_894_9

/**
 * Returns the time at which each contact `m` of a part of a recipient snapshot gets its message: a lateral query of `due_at` and
 * `reason`, which is null if it is now. `m.place` is the place of the contact in the part. Undefined if all get it now.
 *
 * A contact for which the local time of the campaign has passed gets the message now. Rules that change later are applied when
 * the message is due.
 */
export async function plannedTimes(tx: Ctx, campaign: CampaignTimes): Promise<Sql | undefined> {
  const { localTime, spreadHours, windowFrom, windowUntil, quietHoursAction, recipientsCount } = campaign
  const account = await tx.load(accounts, tx.accountId)
  const waits = quietHoursAction === 'WAIT' && account
  const { quietFrom, quietUntil, daysOff } = waits ? account : { quietFrom: null, quietUntil: null, daysOff: [] }
  if (localTime === null && spreadHours === 0 && windowFrom === null && quietFrom === null && daysOff.length === 0)
    return undefined
  const now = sql`${tx.clock.now()}::timestamptz`
  const accountZone = sql`${account?.timezone ?? defaultZone}::text`
  const start = localTime
    ? sql`greatest(${now}, ${localTime}::timestamp AT TIME ZONE known_zone(m.time_zone, ${accountZone}))`
    : now
  const spread = sql`${spreadHours * 3_600}::float8 * ((${recipientsCount}::int + m.place - 1) * ${goldenFraction}::float8
    - floor((${recipientsCount}::int + m.place - 1) * ${goldenFraction}::float8))`
  return sql`
    SELECT t.allowed_at AS due_at, CASE WHEN t.allowed_at > ${now} THEN coalesce(t.reason::text,
      CASE WHEN p.spread > 0 THEN 'SPREAD' ELSE 'LOCAL_TIME' END) END::delay_reason AS reason
    FROM (SELECT ${spread} AS spread) p CROSS JOIN LATERAL sending_time(${start} + make_interval(secs => p.spread), m.time_zone,
      ${accountZone}, ${daysOff}::int[], ${quietFrom}::int, ${quietUntil}::int, ${windowFrom}::int, ${windowUntil}::int) t`
}
