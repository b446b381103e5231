import { DateTime } from 'luxon'
import type { Campaign } from '../../../prisma/generated/client/client.ts'
import { accountRules } from '../../account/index.ts'
import type { Ctx, Loader } from '../../db/context.ts'
import { join, sql } from '../../db/sql.ts'
import { zoneOf } from '../../db/zone.ts'
import { hoursBetween, type LocalHours, minuteOf } from '../../kernel/values/local-time.ts'
import { contactsOver } from '../../mail/index.ts'
import { audienceOfCampaign, isStored, membersOf } from '../audience/audience.ts'

/** What a rule does to a campaign. */
export interface RuleEffect {
  readonly code: 'FREQUENCY_CAP' | 'QUIET_HOURS' | 'DAY_OFF' | 'SEND_WINDOW_QUIET'
  readonly field: 'sendWindow' | 'frequencyCapAction' | 'quietHoursAction'
  readonly problem: string
}

/**
 * Finds what the rules of the account for marketing messages would delay or skip if the campaign were sent now, or at the time
 * for which it is scheduled. Quiet hours and days off are checked in the time zone of the account.
 */
export async function findRuleEffects(ctx: Ctx, campaign: Campaign): Promise<RuleEffect[]> {
  const { frequencyCap, quietHours, daysOff } = await accountRules(ctx)
  const { frequencyCapAction, quietHoursAction, scheduledFor, localTime } = campaign
  const window = hoursBetween(campaign.windowFrom, campaign.windowUntil)
  const zone = await zoneOf(ctx)
  const at = localTime
    ? DateTime.fromSQL(localTime, { zone })
    : DateTime.fromJSDate(scheduledFor ?? ctx.clock.now(), { zone })
  const minute = at.hour * 60 + at.minute
  const effect = quietHoursAction === 'WAIT' ? 'wait' : 'are skipped'
  const findings: RuleEffect[] = []
  if (daysOff.includes(at.weekday)) {
    const problem = `It begins on a ${at.setLocale('en').weekdayLong}, on which the account sends nothing: messages ${effect}.`
    findings.push({ code: 'DAY_OFF', field: 'quietHoursAction', problem })
  } else if (quietHours && isWithin(quietHours, minute)) {
    const problem = `It begins at ${at.toFormat('HH:mm')}, in the quiet hours from ${quietHours.from} to ${quietHours.until}: messages ${effect}.`
    findings.push({ code: 'QUIET_HOURS', field: 'quietHoursAction', problem })
  }
  if (window && quietHours && minutesOf(window).every((each) => isWithin(quietHours, each))) {
    const problem = `The window from ${window.from} to ${window.until} is within the quiet hours, so it is ignored.`
    findings.push({ code: 'SEND_WINDOW_QUIET', field: 'sendWindow', problem })
  }
  if (frequencyCap) {
    const count = await ctx.load(overCapOf, (await audienceOfCampaign(ctx, campaign)).key)
    const { messages, days } = frequencyCap
    const later = frequencyCapAction === 'WAIT' ? 'get this one later' : 'are skipped'
    const problem = `The audience has ${count} contacts that had ${messages} messages in the last ${days} days, and ${later}.`
    if (count > 0) findings.push({ code: 'FREQUENCY_CAP', field: 'frequencyCapAction', problem })
  }
  return findings
}

/** Loads by key how many opted-in contacts of audiences have had the maximum number of messages now. One statement. */
const overCapOf: Loader<string, number> = {
  otherwise: () => 0,
  batch: async (ctx, keys) => {
    const { frequencyCap } = await accountRules(ctx)
    if (!frequencyCap) return new Map()
    const over = contactsOver(ctx, frequencyCap)
    const each = await Promise.all(
      keys.map(
        async (key) => sql`SELECT ${key}::text AS key, count(*) FILTER (WHERE c.email_marketing
          AND c.id IN (SELECT o.contact_id FROM over_cap o))::int AS count ${await membersOf(ctx, key)}`,
      ),
    )
    const rows = await ctx.sql.limited(each.length, keys.every(isStored))<{
      key: string
      count: number
    }>`WITH over_cap AS MATERIALIZED (${over}) ${join(each, ' UNION ALL ')}`
    return new Map(rows.map(({ key, count }) => [key, count]))
  },
}

function isWithin({ from, until }: LocalHours, minute: number): boolean {
  const [first, end] = [minuteOf(from), minuteOf(until)]
  return first < end ? minute >= first && minute < end : minute >= first || minute < end
}

function minutesOf(hours: LocalHours): number[] {
  return Array.from({ length: 24 * 60 }, (_, minute) => minute).filter((minute) => isWithin(hours, minute))
}
