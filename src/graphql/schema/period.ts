import { builder } from './builder.ts'

export const PeriodType = builder.enumType('Period', {
  description: "A range of days in the account's time zone.",
  values: {
    ALL: { description: 'All time.' },
    TODAY: { description: 'Today.' },
    YESTERDAY: { description: 'Yesterday.' },
    LAST_7_DAYS: { description: 'Today and the 6 days before it.' },
    LAST_30_DAYS: { description: 'Today and the 29 days before it.' },
    BETWEEN: { description: 'The days of a custom range. Requires the range.' },
  },
})

export const DateRangeInput = builder.inputType('DateRangeInput', {
  description: 'A range of days. Includes both ends.',
  fields: (t) => ({
    from: t.field({ type: 'Date', required: true, description: 'First day of the range.' }),
    to: t.field({ type: 'Date', required: true, description: 'Last day of the range. Must not be before `from`.' }),
  }),
})

/** The input field or argument `range` beside a `period`. */
export const rangeOfPeriod = {
  type: DateRangeInput,
  description:
    'First and last day of the period. Without `period`, the period is BETWEEN. Cannot be combined with another period.',
} as const
