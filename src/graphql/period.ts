import { builder } from './builder.ts'

export const PeriodType = builder.enumType('Period', {
  description: "A stretch of days, in the account's zone.",
  values: {
    ALL: { description: 'Since ever.' },
    TODAY: { description: 'Today.' },
    YESTERDAY: { description: 'Yesterday.' },
    LAST_7_DAYS: { description: 'Today and the six days before it.' },
    LAST_30_DAYS: { description: 'Today and the 29 days before it.' },
    BETWEEN: { description: 'The days of a range that comes with it.' },
  },
})

export const DateRangeInput = builder.inputType('DateRange', {
  description: 'A range of days, both ends included.',
  fields: (t) => ({
    from: t.field({ type: 'Date', required: true, description: 'The first day.' }),
    to: t.field({ type: 'Date', required: true, description: 'The last day: not before the first.' }),
  }),
})
