import type { ArgBuilder } from '@pothos/core'
import { defaultPeriod, type Period } from '../../kernel/values/period.ts'
import { builder, type Schema } from './builder.ts'

const PeriodType = builder.enumType('Period', {
  description: 'A range of days in a time zone.',
  values: {
    ALL: { description: 'All days, without a beginning or an end.' },
    TODAY: { description: 'The current day in the time zone.' },
    YESTERDAY: { description: 'The day before the current one.' },
    LAST_7_DAYS: { description: 'Today and the 6 days before it.' },
    LAST_30_DAYS: { description: 'Today and the 29 days before it.' },
    THIS_MONTH: { description: 'All days of the current calendar month.' },
    LAST_MONTH: { description: 'All days of the calendar month before the current one.' },
    BETWEEN: { description: 'The days of a custom range. Requires the range.' },
  } satisfies Record<Period, { description: string }>,
})

const DateRangeInput = builder.inputType('DateRangeInput', {
  description: 'A range of days. Includes both ends.',
  fields: (t) => ({
    from: t.field({ type: 'Date', required: true, description: 'First day of the range.' }),
    to: t.field({ type: 'Date', required: true, description: 'Last day of the range. Must not be before `from`.' }),
  }),
})

const range = {
  type: DateRangeInput,
  description:
    'First and last day of the period. Without `period`, the period is BETWEEN. Cannot be combined with another period.',
} as const

const timezone = {
  description:
    "IANA time zone in which the days of the period begin, for example `Europe/Paris`. Defaults to the account's time zone.",
} as const

type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Schema, 'InputObject'>

/** Returns the fields of a filter that select a period: `period`, `range` and `timezone`. */
export function periodFields(t: InputBuilder) {
  return {
    period: t.field({ type: PeriodType, description: 'In this period.' }),
    range: t.field(range),
    timezone: t.string(timezone),
  }
}

/** Returns the arguments of figures that select a period: `period`, `range` and `timezone`. `note` restricts the periods. */
export function periodArgs(arg: ArgBuilder<Schema>, note = '') {
  return {
    period: arg({ type: PeriodType, description: `The period. Defaults to \`${defaultPeriod}\`.${note}` }),
    range: arg(range),
    timezone: arg.string(timezone),
  }
}
