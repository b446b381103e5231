import { z } from 'zod'
import type { Account } from '../../../prisma/generated/client/client.ts'
import { hoursBetween, type LocalHours, localHours, minuteOf } from '../../kernel/values/local-time.ts'

/** At most this number of marketing messages to a contact in this number of days. */
export interface FrequencyCap {
  readonly messages: number
  readonly days: number
}

const whole = (max: number) =>
  z.int('must be a whole number').min(1, `must be from 1 to ${max}`).max(max, `must be from 1 to ${max}`)

/** The rules of an account for marketing messages, as a client sets them. Null removes a rule. */
export const sendingRules = {
  frequencyCap: z.object({ messages: whole(100), days: whole(90) }).nullable(),
  quietHours: localHours.nullable(),
  daysOff: z.array(z.int().min(1).max(7)).refine((days) => new Set(days).size < 7, 'must leave a day of the week'),
}

/** The rules of an account. */
export interface SendingRules {
  readonly frequencyCap: FrequencyCap | null
  readonly quietHours: LocalHours | null
  /** ISO weekdays: 1 is Monday. */
  readonly daysOff: readonly number[]
}

type RuleColumns = Pick<Account, 'frequencyCap' | 'frequencyCapDays' | 'quietFrom' | 'quietUntil' | 'daysOff'>

/** Returns the rules of an account. */
export function rulesOf({ frequencyCap, frequencyCapDays, quietFrom, quietUntil, daysOff }: RuleColumns): SendingRules {
  return {
    frequencyCap: frequencyCap === 0 ? null : { messages: frequencyCap, days: frequencyCapDays },
    quietHours: hoursBetween(quietFrom, quietUntil),
    daysOff,
  }
}

/** Returns the columns of the rules that a change has. */
export function ruleColumns({
  frequencyCap,
  quietHours,
  daysOff,
}: {
  [Rule in keyof SendingRules]: SendingRules[Rule] | undefined
}): Partial<RuleColumns> {
  return {
    ...(frequencyCap === null && { frequencyCap: 0 }),
    ...(frequencyCap && { frequencyCap: frequencyCap.messages, frequencyCapDays: frequencyCap.days }),
    ...(quietHours === null && { quietFrom: null, quietUntil: null }),
    ...(quietHours && { quietFrom: minuteOf(quietHours.from), quietUntil: minuteOf(quietHours.until) }),
    ...(daysOff && { daysOff: [...new Set(daysOff)].sort() }),
  }
}
