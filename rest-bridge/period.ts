import * as z from 'zod'
import { refusing, shown } from './input.ts'
import { isDay } from './time.ts'

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

/**
 * A range is only looked at when the period is `between`: what a client leaves in the query besides does no harm.
 * The schema is therefore loose, and `withPeriod` is strict.
 */
const range = shown(
  { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}to\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-01-01to2026-01-31'] },
  z.string(),
)

const ranged = { range: refusing('INVALID_PERIOD', message, range.optional()) }
const optionalFields = { period: refusing('INVALID_PERIOD', message, word.optional()), ...ranged }
const requiredFields = { period: refusing('INVALID_PERIOD', message, word.clone()), ...ranged }

interface PeriodInput {
  period?: keyof typeof periods | undefined
  range?: string | undefined
}

function rangeFits({ period, range }: PeriodInput): boolean {
  return period !== 'between' || daysOf(range) !== undefined
}

function daysOf(range: string | undefined): { from: string; to: string } | undefined {
  const [from = '', to = '', ...more] = (range ?? '').split('to')
  if (more.length > 0 || !isDay(from) || !isDay(to) || from > to) return undefined
  return { from, to }
}

/** The query of a list that may be narrowed to a period of creation, with whatever `more` it takes. */
export function withPeriod<More extends Record<string, z.ZodType>>(more: More) {
  return z
    .object({ ...optionalFields, ...more })
    .refine((input) => rangeFits(input as PeriodInput), { path: ['period'], message })
}

/** The same where the period must be given: without it, INVALID_PERIOD. */
export function withRequiredPeriod<More extends Record<string, z.ZodType>>(more: More) {
  return z
    .object({ ...requiredFields, ...more })
    .refine((input) => rangeFits(input as PeriodInput), { path: ['period'], message })
}

/** The period as the graph takes it in a filter. */
export function periodFilter({ period, range }: PeriodInput) {
  return {
    period: period === undefined ? undefined : periods[period],
    range: period === 'between' ? daysOf(range) : undefined,
  }
}

/** The period as the graph takes it by itself, where there is one. */
export function requiredPeriod({ period, range }: PeriodInput & { period: keyof typeof periods }) {
  return { period: periods[period], range: periodFilter({ period, range }).range }
}
