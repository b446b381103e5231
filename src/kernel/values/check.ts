import { z } from 'zod'
import { type FieldCode, invalidFields } from '../errors.ts'
import { asciiDomain } from './address-key.ts'
import { isStorable, unstorableMessage } from './storable-text.ts'

/** Returns whether a text has at most `max` characters. */
export function isWithin(value: string, max: number): boolean {
  return value.length <= max || (value.length <= 2 * max && [...value].length <= max)
}

/** Schema of text that PostgreSQL can store. Maximum length: `max` characters. Build it once: that takes longer than a check. */
export function text(max: number): z.ZodString {
  return z
    .string('must be text')
    .refine((value) => isWithin(value, max), {
      message: `must have at most ${max} characters`,
      params: { code: 'TOO_LONG' satisfies FieldCode },
    })
    .refine(isStorable, unstorableMessage)
}

/** Schema of text that is not empty. Removes white space at both ends. */
export function name(max: number): z.ZodString {
  return text(max).trim().min(1, 'must not be empty')
}

/**
 * Schema of an e-mail address to search for. Here and in `email`, white space at both ends is removed, so that an
 * address is the same in all inputs.
 */
export const address = z.string('must be text').trim().pipe(text(254))

const invalidEmail = 'must be a valid e-mail address'

/**
 * Schema of an e-mail address that can receive messages: `local@domain.tld`, characters of any script (RFC 6531) in a domain that
 * has a name in the DNS (RFC 5891), with the full stops of Chinese and Japanese as well. Maximum 254 characters.
 */
export const email = z
  .string('must be text')
  .trim()
  .pipe(
    text(254).regex(
      /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\\\]\p{C}]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?[.。．｡])+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u,
      invalidEmail,
    ),
  )
  .refine((value) => asciiDomain(value.slice(value.lastIndexOf('@') + 1)) !== undefined, invalidEmail)

const typeNames: Readonly<Record<string, string>> = {
  ...{ string: 'text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list' },
  ...{ object: 'an object', record: 'an object' },
}

/**
 * Returns the message for an issue whose rule has no message of its own, so that clients never read the library's
 * wording.
 */
export function messageOf(issue: Parameters<z.core.$ZodErrorMap>[0]): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeNames[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must ${measure(issue.origin, `at least ${issue.minimum}`)}`
    case 'too_big':
      return `must ${measure(issue.origin, `at most ${issue.maximum}`)}`
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.join(', ')}`
    default:
      return 'must have the documented form'
  }
}

function measure(origin: string, bound: string): string {
  if (origin === 'string') return `have ${bound} characters`
  return origin === 'array' ? `contain ${bound} elements` : `be ${bound}`
}

/**
 * Validates input and returns it as the schema transforms it. Throws VALIDATION_ERROR with the messages of each field.
 */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return checkAt('', schema, input)
}

/** Validates a part of the input as `check` does. `path` is the path of the part. */
export function checkAt<Schema extends z.ZodType>(path: string, schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input, { error: messageOf, reportInput: true })
  if (read.success) return read.data
  throw invalidFields(
    read.error.issues.map((issue) => ({
      path: [...(path ? [path] : []), ...issue.path].join('.'),
      code: codeOf(issue),
      message: issue.message,
    })),
  )
}

/** Returns the code of an issue. A rule of our own can set it in `params`. */
function codeOf(issue: z.core.$ZodIssue): FieldCode {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'REQUIRED' : 'INVALID_TYPE'
    case 'too_small':
      if (issue.origin !== 'string' && issue.origin !== 'array') return 'TOO_SMALL'
      return issue.minimum === 1 ? 'REQUIRED' : 'TOO_SHORT'
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? 'TOO_LONG' : 'TOO_BIG'
    case 'custom':
      return (issue.params?.['code'] as FieldCode | undefined) ?? 'INVALID_VALUE'
    default:
      return 'INVALID_VALUE'
  }
}

/**
 * Returns the input without fields that are absent or null, so that an update changes only the fields that the client
 * sent.
 */
export function sent<Input extends object>(input: Input): { [Key in keyof Input]?: NonNullable<Input[Key]> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== null)) as never
}

/** The zero of each kind of decimal digits that keyboards offer: Arabic, Persian, Indic, Thai, Lao, Tibetan, Burmese, Khmer. */
const zeros = [
  ...[0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040],
  ...[0x17e0, 0x1810],
]

/** Returns a text with the digits and wide signs of other scripts as those of ASCII. */
export function toAsciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, toAsciiDigit)
}

function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number
  const zero = zeros.find((start) => code >= start && code <= start + 9)
  return zero === undefined ? digit : String(code - zero)
}
