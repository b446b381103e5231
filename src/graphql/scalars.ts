import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { DateTime } from 'luxon'
import { isOnCalendar } from '../kernel/clock.ts'
import { isDecimal } from '../kernel/money.ts'

/** A moment, read from ISO 8601 with a zone and written in UTC with milliseconds. */
export const dateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'A moment in time as ISO 8601 with a zone, such as `2026-11-21T09:30:00.000Z`, in the years 1 to 9999 (UTC). Results are in UTC; finer fractions than milliseconds are cut off.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => (value instanceof Date ? value.toISOString() : new Date(String(value)).toISOString()),
  parseValue: readMoment,
  parseLiteral: (node) => readMoment(textOf(node)),
})

/** A calendar day, kept as text: it has no zone. */
export const date = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A calendar day as `YYYY-MM-DD`, in the years 1 to 9999.',
  serialize: String,
  parseValue: readDay,
  parseLiteral: (node) => readDay(textOf(node)),
})

export const currencyCode = new GraphQLScalarType<string, string>({
  name: 'CurrencyCode',
  description: 'A currency as its ISO 4217 code, such as `EUR`.',
  serialize: String,
  parseValue: readCurrency,
  parseLiteral: (node) => readCurrency(textOf(node)),
})

/** Text all the way: a number is read from how it is written, never through a binary float. */
export const decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description:
    'An exact decimal number, written as text such as `"12.50"`. A number is taken too, as it is written; one that arrives as a JSON number stands for the shortest decimal that means it.',
  serialize: String,
  parseValue: (value) => readDecimal(typeof value === 'number' ? String(value) : value),
  parseLiteral: (node) => readDecimal(node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : textOf(node)),
})

/** How deep JSON may go that a client sends: more than any document of ours, and less than what breaks a program. */
const deepestJson = 64

/** Whatever JSON can say. What it must say, the operation that takes it checks. */
export const json = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: `Any JSON value: an object, a list, text, a number, a boolean or null. Objects and lists go ${deepestJson} levels deep at most.`,
  serialize: (value) => value,
  parseValue: readJson,
  parseLiteral: (node, variables) => readJson(valueFromASTUntyped(node, variables)),
})

function readJson(value: unknown): unknown {
  if (!isShallow(value, deepestJson)) throw new GraphQLError(`JSON must not go deeper than ${deepestJson} levels.`)
  return value
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1))
}

function readMoment(value: unknown): Date {
  const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
  const read = typeof value === 'string' && pattern.test(value) ? DateTime.fromISO(value) : undefined
  const instant = read?.isValid ? read.toJSDate() : undefined
  if (!instant || !isOnCalendar(instant)) {
    throw new GraphQLError('DateTime must be a moment of the years 1 to 9999 that exists, as ISO 8601 with a zone.')
  }
  return instant
}

function readDay(value: unknown): string {
  const isDay = typeof value === 'string' && /^(?!0000)\d{4}-\d\d-\d\d$/.test(value) && DateTime.fromISO(value).isValid
  if (!isDay) throw new GraphQLError('Date must be a day of the years 1 to 9999 that exists, as YYYY-MM-DD.')
  return value
}

function readCurrency(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Z]{3}$/.test(value)) {
    throw new GraphQLError('CurrencyCode must be three capital letters, such as EUR.')
  }
  return value
}

function readDecimal(value: unknown): string {
  if (typeof value !== 'string' || !isDecimal(value)) {
    throw new GraphQLError('Decimal must be a plain decimal number, such as "12.50".')
  }
  return value
}

function textOf(node: ValueNode): unknown {
  return node.kind === Kind.STRING ? node.value : undefined
}
