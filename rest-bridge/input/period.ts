import * as z from 'zod'
import { isDay } from '../values/time.ts'
import { withErrorCode, withJsonSchema } from './input.ts'

const periods = {
  all: 'ALL',
  today: 'TODAY',
  yesterday: 'YESTERDAY',
  last7days: 'LAST_7_DAYS',
  last30days: 'LAST_30_DAYS',
  between: 'BETWEEN',
} as const

const words = Object.keys(periods) as [keyof typeof periods, ...(keyof typeof periods)[]]

const message = `period must be one of ${words.join(', ')}; between needs a range like 2026-01-01to2026-01-31.`

const word = z.enum(words)

/** Accepts any string, because `range` is ignored unless the period is `between`; `queryWithPeriod` checks it then. */
const range = withJsonSchema(
  { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}to\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-01-01to2026-01-31'] },
  z.string(),
)

const rangeField = { range: withErrorCode('INVALID_PERIOD', message, range.optional()) }
const optionalFields = { period: withErrorCode('INVALID_PERIOD', message, word.optional()), ...rangeField }
const requiredFields = { period: withErrorCode('INVALID_PERIOD', message, word.clone()), ...rangeField }

interface PeriodInput {
  period?: keyof typeof periods | undefined
  range?: string | undefined
}

function hasValidRange({ period, range }: PeriodInput): boolean {
  return period !== 'between' || parseRange(range) !== undefined
}

function parseRange(range: string | undefined): { from: string; to: string } | undefined {
  const [from = '', to = '', ...more] = (range ?? '').split('to')
  if (more.length > 0 || !isDay(from) || !isDay(to) || from > to) return undefined
  return { from, to }
}

/** Returns the schema of a query with an optional period of creation, and the parameters `more`. */
export function queryWithPeriod<More extends Record<string, z.ZodType>>(more: More) {
  return z
    .object({ ...optionalFields, ...more })
    .refine((input) => hasValidRange(input as PeriodInput), { path: ['period'], message })
}

/** Returns the same schema with a required period: a query without it fails with INVALID_PERIOD. */
export function queryWithRequiredPeriod<More extends Record<string, z.ZodType>>(more: More) {
  return z
    .object({ ...requiredFields, ...more })
    .refine((input) => hasValidRange(input as PeriodInput), { path: ['period'], message })
}

/** Returns the period as fields of a GraphQL filter. */
export function periodFilter({ period, range }: PeriodInput) {
  return {
    period: period === undefined ? undefined : periods[period],
    range: period === 'between' ? parseRange(range) : undefined,
  }
}

/** Returns the period as GraphQL arguments of their own. */
export function periodArguments({ period, range }: PeriodInput & { period: keyof typeof periods }) {
  return { period: periods[period], range: periodFilter({ period, range }).range }
}
