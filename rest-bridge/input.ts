import * as z from 'zod'
import type { RestCode } from './errors.ts'
import { isDay } from './time.ts'

/** What a field answers with when its value is wrong, where that is not VALIDATION_ERROR 422 with details. */
export const ownCode = z.registry<{ code: RestCode; message: string }>()

/** How a field is shown in the reference, where the form it has on the wire says too little. */
export const shownAs = z.registry<{ schema: Record<string, unknown> }>()

/** Makes `schema` answer a wrong value with `code` (400, no details). Put it outermost: what wraps it later loses it. */
export function refusing<Schema extends z.ZodType>(code: RestCode, message: string, schema: Schema): Schema {
  ownCode.add(schema, { code, message })
  return schema
}

/** Makes the reference show `schema` as the JSON schema `as`. */
export function shown<Schema extends z.ZodType>(as: Record<string, unknown>, schema: Schema): Schema {
  shownAs.add(schema, { schema: as })
  return schema
}

/** PostgreSQL stores no NUL, and a half of a surrogate pair is no character: refused here, not in mid-operation. */
const storable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** A string. Empty is allowed. */
export const text = z.string({ error: 'must be a string' }).refine(storable, 'must be valid text')

/** A string of at least one character. */
export const someText = z
  .string({ error: 'must be a string' })
  .min(1, 'must not be empty')
  .refine(storable, 'must be valid text')

/**
 * An e-mail address, without white space around it. Only its length is checked here (RFC 5321); whether it is an address,
 * the graph decides.
 */
export const emailText = shown(
  { type: 'string', minLength: 1, maxLength: 254 },
  z.string({ error: 'must be a string' }).trim().pipe(someText.max(254, 'must have at most 254 characters')),
)

/**
 * An e-mail address that a contact may get. The graph has the same rule: it is asked for here already so that a wrong
 * address is told before a malformed list, whose answer has no details.
 */
export const newEmail = shown(
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

/** A string of 255 characters at most, for the same reason. */
export const shortText = text
  .refine((value) => value.length <= 255 || [...value].length <= 255, 'must have 255 characters at most')
  .meta({ maxLength: 255 })

/** A boolean in JSON: `true` or `false`, neither a word nor a number. */
export const flag = z.boolean({ error: 'must be true or false' })

/**
 * An id in a JSON body: any whole number, as decimal digits. 0, negative and huge ones are well-formed ids that no row
 * has, so the graph answers NOT_FOUND.
 */
export const id = shown(
  { type: 'integer' },
  z
    .number({ error: 'must be an integer' })
    .refine((value) => Number.isInteger(value), 'must be an integer')
    .transform((value) => BigInt(value).toString()),
)

/** A list of ids in a JSON body. */
export const ids = z.array(id, { error: 'must be an array of integers' }).max(1000, 'must hold at most 1000 ids')

const wholeNumber = /^-?(0|[1-9]\d*)$/

/** An id in a query string: strict decimal digits. */
export const queryId = shown(
  { type: 'integer' },
  z
    .string({ error: 'must be an integer' })
    .max(100, 'must be an integer')
    .regex(wholeNumber, 'must be an integer')
    .transform((digits) => BigInt(digits).toString()),
)

/** A list of ids in a query string, for a parameter `name[]` that is repeated. */
export const queryIds = z
  .array(queryId, { error: 'must be an array of integers' })
  .max(1000, 'must hold at most 1000 ids')

/** An integer between two bounds in a JSON body. */
export function integer(min: number, max: number) {
  const message = `must be between ${min} and ${max}`
  return z.int({ error: 'must be an integer' }).min(min, message).max(max, message)
}

const extended =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:(?<=:\d{2}:\d{2})\.(\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/
const basic = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}(?:\d{2})?)?$/

const momentShown = {
  type: 'string',
  examples: ['2026-11-21', '2026-11-21 09:30:00', '2026-11-21T09:30:00+01:00', '20261121T083000Z'],
}

/**
 * The instant that a text names, to the millisecond and in UTC; undefined if it names none. A day is its first moment, and a
 * time without an offset is in UTC. A finer fraction is cut off, or rounded up to the next millisecond.
 */
function instantOf(given: string, rounding: 'down' | 'up'): string | undefined {
  const inFull = given.replace(
    basic,
    (_, year, month, date, hour, minutes, second = '00', fraction = '', zone = '') => {
      return `${year}-${month}-${date}T${hour}:${minutes}:${second}${fraction}${zone}`
    },
  )
  const [, date = '', time = '00:00', fraction = '', zone = 'Z'] = extended.exec(inFull) ?? []
  const read = isDay(date) ? new Date(`${date}T${time}${withMinutes(zone)}`).getTime() : Number.NaN
  // Digit by digit: a binary float would round 0.285 down.
  const more = rounding === 'up' && /^\d{3}0*[1-9]/.test(fraction) ? 1 : 0
  const instant = new Date(read + Number(fraction.slice(0, 3).padEnd(3, '0')) + more)
  const text = Number.isNaN(instant.getTime()) ? undefined : instant.toISOString()
  // The calendar of the graph has the years 1 to 9999, in UTC.
  return text && /^(?!0000)\d{4}-/.test(text) ? text : undefined
}

function momentRounded(rounding: 'down' | 'up') {
  return shown(
    momentShown,
    z.string({ error: 'must be a string' }).transform((given, context) => {
      const instant = instantOf(given, rounding)
      if (instant) return instant
      context.addIssue({ code: 'custom', message: 'must be a date and time that exist' })
      return z.NEVER
    }),
  )
}

/** A moment in a JSON body: a day, whose first it is, or a time; in UTC unless it names its zone. */
export const moment = momentRounded('down')

/** An offset as `Date` reads it: `+0100` and `+01`, which ISO 8601 knows too, are `+01:00`. */
function withMinutes(zone: string): string {
  return zone.replace(/^([+-]\d{2}):?(\d{2})?$/, (_zone, hours, minutes = '00') => `${hours}:${minutes}`)
}

/**
 * The moment from which on a list begins, in a query string, where a `+` that was not escaped arrives as a blank. Times are
 * shown with microseconds whose last three digits are zero, so a finer moment begins at the next millisecond.
 */
export const queryMoment = shown(
  momentShown,
  z
    .string({ error: 'must be a string' })
    .transform((given) =>
      given.replace(/^(.{11,40}) (?=\d{2}(?::?\d{2})?$)/, (whole, time) => (time.includes('T') ? `${time}+` : whole)),
    )
    .pipe(momentRounded('up')),
)

/** An integer between two bounds in a query string. */
export function queryInteger(min: number, max: number, preset: number) {
  const bounded = z
    .string({ error: 'must be an integer' })
    .max(100, 'must be an integer')
    .regex(wholeNumber, 'must be an integer')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
  shown({ type: 'integer', minimum: min, maximum: max, default: preset }, bounded)
  return bounded.default(preset)
}

/**
 * A list of ids in one string, as `tag_ids` takes them: `1,2,3`, blanks around the commas allowed, `''` for none.
 * Whatever else (another type too) is malformed as a whole, which the specification answers with 400 and no details.
 */
export function idList(name: string) {
  const list = z
    .string()
    .trim()
    .regex(/^(?:-?\d+(?:\s*,\s*-?\d+)*)?$/)
    .transform((ids) => (ids === '' ? [] : ids.split(',').map(plainInteger)))
  shown({ type: 'string', pattern: '^[0-9]+(,[0-9]+)*$', examples: ['1,2,3'] }, list)
  return refusing('VALIDATION_ERROR', `${name} must be integers separated by commas.`, list.optional())
}

/** Without leading zeros; as text, because reading a number of a million digits takes seconds. */
function plainInteger(digits: string): string {
  const plain = digits.trim().replace(/^(-?)0+(?=\d)/, '$1')
  return plain === '-0' ? '0' : plain
}

type Fields = Record<string, z.ZodType>

/** True for an input that names a contact. Asked also where other fields are wrong, so that one answer tells all. */
const namesContact = (input: unknown) => {
  const { email, contact_id } = Object(input) as { email?: unknown; contact_id?: unknown }
  return email !== undefined || contact_id !== undefined
}

function eitherOf<Schema extends z.ZodType>(schema: Schema): Schema {
  const unless = (other: string) => `is required unless ${other} is sent`
  return schema
    .refine(namesContact, { path: ['email'], message: unless('contact_id'), when: () => true })
    .refine(namesContact, { path: ['contact_id'], message: unless('email'), when: () => true })
}

/** The query of a route that finds a contact by `email`, `contact_id` or both, and may take `more`. */
export function contactQuery<More extends Fields>(more: More) {
  return eitherOf(z.object({ email: emailText.optional(), contact_id: queryId.optional(), ...more }))
}

/** The body of a route that finds a contact by `email`, `contact_id` or both, and may take `more`. */
export function contactBody<More extends Fields>(more: More) {
  return eitherOf(z.object({ email: emailText.optional(), contact_id: id.optional(), ...more }))
}

/** What names a contact, as the graph takes it. */
export function contactRef(input: { email?: string | undefined; contact_id?: string | undefined }) {
  return { email: input.email, id: input.contact_id }
}
