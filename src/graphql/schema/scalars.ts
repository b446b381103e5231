import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { DateTime } from 'luxon'
import { isOnCalendar } from '../../kernel/clock.ts'
import { formatInstant } from '../../kernel/values/format-instant.ts'
import { isDecimal } from '../../kernel/values/money.ts'

/** A point in time: parsed from ISO 8601 with an offset, serialized in UTC with milliseconds. */
export const dateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'A point in time in ISO 8601 format with `Z` or an offset, such as `2026-11-21T09:30:00.000Z`, in the years 1 to 9999 (UTC). Results are in UTC. Fractions are truncated to milliseconds.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => formatInstant(value instanceof Date ? value : new Date(String(value))),
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(textOf(node)),
})

/** A calendar day. Kept as text because it has no time zone. */
export const date = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A calendar day in the format `YYYY-MM-DD`, in the years 1 to 9999.',
  serialize: String,
  parseValue: parseDate,
  parseLiteral: (node) => parseDate(textOf(node)),
})

export const currencyCode = new GraphQLScalarType<string, string>({
  name: 'CurrencyCode',
  description: 'An ISO 4217 currency code, such as `EUR`.',
  serialize: String,
  parseValue: parseCurrencyCode,
  parseLiteral: (node) => parseCurrencyCode(textOf(node)),
})

/** An exact decimal. Stays text throughout, so that a literal never passes through a binary float. */
export const decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description:
    'An exact decimal number as a string, such as `"12.50"`. Inputs can also be numbers. A JSON number is read as the shortest decimal that represents it.',
  serialize: String,
  parseValue: (value) => parseDecimal(typeof value === 'number' ? String(value) : value),
  parseLiteral: (node) => parseDecimal(node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : textOf(node)),
})

/** Maximum nesting of JSON input: deeper than any valid content, and shallow enough for recursive code. */
const maxJsonDepth = 64

/** Any JSON value. The operation that takes it checks its structure. */
export const json = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: `Any JSON value: an object, a list, a string, a number, a boolean or null. Maximum ${maxJsonDepth} levels of objects and lists.`,
  serialize: (value) => value,
  parseValue: parseJson,
  parseLiteral: (node, variables) => parseJson(valueFromASTUntyped(node, variables)),
})

function parseJson(value: unknown): unknown {
  if (!isShallow(value, maxJsonDepth)) throw new GraphQLError(`JSON must not have more than ${maxJsonDepth} levels.`)
  return value
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1))
}

function parseDateTime(value: unknown): Date {
  const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
  const read = typeof value === 'string' && pattern.test(value) ? DateTime.fromISO(value) : undefined
  const instant = read?.isValid ? read.toJSDate() : undefined
  if (!instant || !isOnCalendar(instant)) {
    throw new GraphQLError(
      'DateTime must be an existing time in the years 1 to 9999, in ISO 8601 format with an offset.',
    )
  }
  return instant
}

function parseDate(value: unknown): string {
  const isDay = typeof value === 'string' && /^(?!0000)\d{4}-\d\d-\d\d$/.test(value) && DateTime.fromISO(value).isValid
  if (!isDay) throw new GraphQLError('Date must be an existing day in the years 1 to 9999, in the format YYYY-MM-DD.')
  return value
}

function parseCurrencyCode(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Z]{3}$/.test(value)) {
    throw new GraphQLError('CurrencyCode must be three capital letters, such as EUR.')
  }
  return value
}

function parseDecimal(value: unknown): string {
  if (typeof value !== 'string' || !isDecimal(value)) {
    throw new GraphQLError('Decimal must be a plain decimal number, such as "12.50".')
  }
  return value
}

function textOf(node: ValueNode): unknown {
  return node.kind === Kind.STRING ? node.value : undefined
}
