import * as z from 'zod'
import type { RestCode } from '../errors/errors.ts'
import type { ContactRefInput } from '../generated/documents.ts'
import { isDay } from '../values/time.ts'

/** The errors of fields whose invalid values do not give VALIDATION_ERROR 422 with details. */
export const fieldErrorCodes = z.registry<{ code: RestCode; message: string }>()

/** The JSON schemas of fields in the OpenAPI document, if the schema derived from Zod would say too little. */
export const jsonSchemas = z.registry<{ schema: Record<string, unknown> }>()

/** Makes an invalid value give `code` (400, no details). Call it last, because a schema derived from the result loses it. */
export function withErrorCode<Schema extends z.ZodType>(code: RestCode, message: string, schema: Schema): Schema {
  fieldErrorCodes.add(schema, { code, message })
  return schema
}

/** Makes the OpenAPI document show `schema` as `jsonSchema`. */
export function withJsonSchema<Schema extends z.ZodType>(jsonSchema: Record<string, unknown>, schema: Schema): Schema {
  jsonSchemas.add(schema, { schema: jsonSchema })
  return schema
}

/** A query parameter that filters by an enum value. An unknown value gives `code` (400, no details). */
export function enumFilter<Values extends Readonly<Record<string, string>>>(
  code: RestCode,
  name: string,
  schema: z.ZodEnum<Values>,
) {
  return withErrorCode(code, `${name} must be one of ${schema.options.join(', ')}.`, schema.optional())
}

/** PostgreSQL cannot store NUL or a lone surrogate. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** A string, which may be empty. */
export const text = z.string({ error: 'must be a string' }).refine(isStorable, 'must be valid text')

/** A string of at least one character. */
export const nonEmptyText = z
  .string({ error: 'must be a string' })
  .min(1, 'must not be empty')
  .refine(isStorable, 'must be valid text')

/**
 * An e-mail address that identifies a contact; surrounding white space is removed. Only the length is checked here
 * (RFC 5321); GraphQL checks the rest.
 */
export const emailText = withJsonSchema(
  { type: 'string', minLength: 1, maxLength: 254 },
  z.string({ error: 'must be a string' }).trim().pipe(nonEmptyText.max(254, 'must have at most 254 characters')),
)

/**
 * An e-mail address of a new contact. GraphQL has the same rule. It is repeated here so that an invalid address is reported
 * with details before a malformed `tag_ids`, whose error has none.
 */
export const newEmail = withJsonSchema(
  { type: 'string', format: 'email', maxLength: 254 },
  emailText.pipe(
    z
      .string()
      .regex(
        /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\\\]\p{C}]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u,
        'must be an e-mail address',
      ),
  ),
)

/** A string of at most 255 characters. GraphQL has the same rule; it is repeated here for the same reason. */
export const shortText = text
  .refine((value) => value.length <= 255 || [...value].length <= 255, 'must have at most 255 characters')
  .meta({ maxLength: 255 })

/** A JSON boolean. The strings and numbers that some clients send instead are not accepted. */
export const flag = z.boolean({ error: 'must be true or false' })

/**
 * An ID in a JSON body, converted to decimal digits. Zero, negative and very large integers are valid input, for which
 * GraphQL returns NOT_FOUND.
 */
export const id = withJsonSchema(
  { type: 'integer' },
  z
    .number({ error: 'must be an integer' })
    .refine((value) => Number.isInteger(value), 'must be an integer')
    .transform((value) => BigInt(value).toString()),
)

/** A list of at most 1,000 IDs in a JSON body. */
export const ids = z.array(id, { error: 'must be an array of integers' }).max(1000, 'must contain at most 1000 IDs')

const decimalInteger = /^-?(0|[1-9]\d*)$/

/** An ID in a query string: decimal digits without leading zeros. */
export const queryId = withJsonSchema(
  { type: 'integer' },
  z
    .string({ error: 'must be an integer' })
    .max(100, 'must be an integer')
    .regex(decimalInteger, 'must be an integer')
    .transform((digits) => BigInt(digits).toString()),
)

/** A list of at most 1,000 IDs in a query string, for a repeated parameter `name[]`. */
export const queryIds = z
  .array(queryId, { error: 'must be an array of integers' })
  .max(1000, 'must contain at most 1000 IDs')

/** An integer from `min` to `max` in a JSON body. */
export function integer(min: number, max: number) {
  const message = `must be between ${min} and ${max}`
  return z.int({ error: 'must be an integer' }).min(min, message).max(max, message)
}

const extendedFormat =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:(?<=:\d{2}:\d{2})\.(\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/
const basicFormat = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}(?:\d{2})?)?$/

const dateTimeJsonSchema = {
  type: 'string',
  examples: ['2026-11-21', '2026-11-21 09:30:00', '2026-11-21T09:30:00+01:00', '20261121T083000Z'],
}

/**
 * Parses an ISO 8601 date or time to a UTC time in milliseconds; returns undefined for any other text. A date is midnight, a
 * time without an offset is in UTC. Fractions below one millisecond are rounded as `rounding` says.
 */
function parseDateTime(input: string, rounding: 'down' | 'up'): string | undefined {
  const inExtendedFormat = input.replace(
    basicFormat,
    (_, year, month, date, hour, minutes, second = '00', fraction = '', zone = '') => {
      return `${year}-${month}-${date}T${hour}:${minutes}:${second}${fraction}${zone}`
    },
  )
  const [, date = '', time = '00:00', fraction = '', zone = 'Z'] = extendedFormat.exec(inExtendedFormat) ?? []
  const wholeSeconds = isDay(date) ? new Date(`${date}T${time}${withOffsetMinutes(zone)}`).getTime() : Number.NaN
  // Compares digits, because a binary float would round 0.285 down.
  const roundedUp = rounding === 'up' && /^\d{3}0*[1-9]/.test(fraction) ? 1 : 0
  const instant = new Date(wholeSeconds + Number(fraction.slice(0, 3).padEnd(3, '0')) + roundedUp)
  const text = Number.isNaN(instant.getTime()) ? undefined : instant.toISOString()
  // GraphQL accepts the years 1 to 9999, in UTC.
  return text && /^(?!0000)\d{4}-/.test(text) ? text : undefined
}

function roundedDateTime(rounding: 'down' | 'up') {
  return withJsonSchema(
    dateTimeJsonSchema,
    z.string({ error: 'must be a string' }).transform((input, context) => {
      const instant = parseDateTime(input, rounding)
      if (instant) return instant
      context.addIssue({ code: 'custom', message: 'must be an existing date and time' })
      return z.NEVER
    }),
  )
}

/** A date or a time in a JSON body; in UTC without an offset. A date is midnight. Rounded down to milliseconds. */
export const dateTime = roundedDateTime('down')

/** Converts an offset to the form that `Date` accepts: the `+0100` and `+01` of ISO 8601 become `+01:00`. */
function withOffsetMinutes(zone: string): string {
  return zone.replace(/^([+-]\d{2}):?(\d{2})?$/, (_zone, hours, minutes = '00') => `${hours}:${minutes}`)
}

/**
 * The inclusive lower bound of a time in a query string, in which an unescaped `+` arrives as a space. It is rounded up to
 * milliseconds, because stored times have no finer fraction.
 */
export const queryDateTime = withJsonSchema(
  dateTimeJsonSchema,
  z
    .string({ error: 'must be a string' })
    .transform((input) =>
      input.replace(/^(.{11,40}) (?=\d{2}(?::?\d{2})?$)/, (whole, time) => (time.includes('T') ? `${time}+` : whole)),
    )
    .pipe(roundedDateTime('up')),
)

/** An integer from `min` to `max` in a query string, `defaultValue` if absent. */
export function queryInteger(min: number, max: number, defaultValue: number) {
  const bounded = z
    .string({ error: 'must be an integer' })
    .max(100, 'must be an integer')
    .regex(decimalInteger, 'must be an integer')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
  withJsonSchema({ type: 'integer', minimum: min, maximum: max, default: defaultValue }, bounded)
  return bounded.default(defaultValue)
}

/**
 * A list of IDs in one string, such as `tag_ids`: `1,2,3`, with optional spaces around the commas; an empty string is an
 * empty list. Any other value is malformed as a whole: VALIDATION_ERROR 400 without details, as the specification requires.
 */
export function idList(name: string) {
  const list = z
    .string()
    .trim()
    .regex(/^(?:-?\d+(?:\s*,\s*-?\d+)*)?$/)
    .transform((ids) => (ids === '' ? [] : ids.split(',').map(removeLeadingZeros)))
  withJsonSchema({ type: 'string', pattern: '^[0-9]+(,[0-9]+)*$', examples: ['1,2,3'] }, list)
  return withErrorCode('VALIDATION_ERROR', `${name} must be integers separated by commas.`, list.optional())
}

/** Removes leading zeros. Works on text, because parsing a number of a million digits takes seconds. */
function removeLeadingZeros(digits: string): string {
  const plain = digits.trim().replace(/^(-?)0+(?=\d)/, '$1')
  return plain === '-0' ? '0' : plain
}

type Fields = Record<string, z.ZodType>

/** Returns true if an input identifies a contact. */
const identifiesContact = (input: unknown) => {
  const { email, contact_id } = Object(input) as { email?: unknown; contact_id?: unknown }
  return email !== undefined || contact_id !== undefined
}

/** `when` makes the check run even if other fields are invalid, so that one response reports all errors. */
function requireContact<Schema extends z.ZodType>(schema: Schema): Schema {
  const unless = (other: string) => `is required unless ${other} is sent`
  return schema
    .refine(identifiesContact, { path: ['email'], message: unless('contact_id'), when: () => true })
    .refine(identifiesContact, { path: ['contact_id'], message: unless('email'), when: () => true })
}

/** Returns the query schema of a route that finds a contact by `email`, `contact_id` or both; `more` adds parameters. */
export function contactQuery<More extends Fields>(more: More) {
  return requireContact(z.object({ email: emailText.optional(), contact_id: queryId.optional(), ...more }))
}

/** Returns the body schema of a route that finds a contact by `email`, `contact_id` or both; `more` adds fields. */
export function contactBody<More extends Fields>(more: More) {
  return requireContact(z.object({ email: emailText.optional(), contact_id: id.optional(), ...more }))
}

/** Returns the GraphQL input that identifies a contact. */
export function contactRef(input: { email?: string | undefined; contact_id?: string | undefined }): ContactRefInput {
  const { email, contact_id: id } = input
  if (email !== undefined && id !== undefined) return { idAndEmail: { id, email } }
  // The schema of the input requires one of them.
  return email === undefined ? { id: id as string } : { email }
}
