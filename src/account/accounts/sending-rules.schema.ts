import { builder } from '../../graphql/schema/builder.ts'
import type { InputBuilder } from '../../graphql/schema/mutation.ts'
import type { LocalHours } from '../../kernel/values/local-time.ts'
import type { FrequencyCap } from './sending-rules.ts'

const frequencyCap =
  'Maximum number of marketing messages to a contact in so many days. Campaigns and stages say whether further ones wait or are skipped (`frequencyCapAction`).'
const quietHours =
  'Hours in which no marketing message is sent, in the time zone of the contact, or in that of the account if the contact has none. Campaigns and stages say whether messages wait or are skipped (`quietHoursAction`).'
const daysOff =
  'Days of the week on which no marketing message is sent, in the same time zone. `quietHoursAction` of campaigns and stages applies to them as well. At most six.'

export const LocalHoursType = builder.objectRef<LocalHours>('LocalHours').implement({
  description: 'Hours of the day in local time.',
  fields: (t) => ({
    from: t.exposeString('from', { description: 'First minute, such as `22:00`.' }),
    until: t.exposeString('until', {
      description: 'First minute afterwards, such as `08:00`. It is on the next day if it is before `from`.',
    }),
  }),
})

export const LocalHoursInput = builder.inputType('LocalHoursInput', {
  description: 'Hours of the day in local time.',
  fields: (t) => ({
    from: t.string({ required: true, description: 'First minute, from `00:00` to `23:59`.' }),
    until: t.string({
      required: true,
      description: 'First minute afterwards, from `00:00` to `23:59`. It is on the next day if it is before `from`.',
    }),
  }),
})

const FrequencyCapType = builder.objectRef<FrequencyCap>('FrequencyCap').implement({
  description: 'Maximum number of marketing messages to a contact.',
  fields: (t) => ({
    messages: t.exposeInt('messages', { description: 'Maximum number of messages in `days`.' }),
    days: t.exposeInt('days', { description: 'Number of days of 24 hours, until now.' }),
  }),
})

const FrequencyCapInput = builder.inputType('FrequencyCapInput', {
  description: 'Maximum number of marketing messages to a contact.',
  fields: (t) => ({
    messages: t.int({ required: true, description: 'Maximum number of messages in `days`, from 1 to 100.' }),
    days: t.int({ required: true, description: 'Number of days of 24 hours, until now: from 1 to 90.' }),
  }),
})

const Weekday = builder.enumType('Weekday', {
  description: 'Day of the week.',
  values: {
    MONDAY: { value: 1, description: 'Monday, number 1 in ISO 8601.' },
    TUESDAY: { value: 2, description: 'Tuesday, number 2 in ISO 8601.' },
    WEDNESDAY: { value: 3, description: 'Wednesday, number 3 in ISO 8601.' },
    THURSDAY: { value: 4, description: 'Thursday, number 4 in ISO 8601.' },
    FRIDAY: { value: 5, description: 'Friday, number 5 in ISO 8601.' },
    SATURDAY: { value: 6, description: 'Saturday, number 6 in ISO 8601.' },
    SUNDAY: { value: 7, description: 'Sunday, number 7 in ISO 8601.' },
  },
})

/** The types and descriptions of the rules of an account. */
export const ruleTypes = {
  frequencyCap: { type: FrequencyCapType, description: `${frequencyCap} Null if there is none.` },
  quietHours: { type: LocalHoursType, description: `${quietHours} Null if there are none.` },
  daysOff: { type: [Weekday] as [typeof Weekday], description: daysOff },
}

/** The fields of an input that sets them. */
export const ruleInput = (t: InputBuilder) => ({
  frequencyCap: t.field({ type: FrequencyCapInput, description: `${frequencyCap} Null removes it.` }),
  quietHours: t.field({ type: LocalHoursInput, description: `${quietHours} Null removes them.` }),
  daysOff: t.field({ type: [Weekday], description: daysOff }),
})
