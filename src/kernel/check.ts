import { z } from 'zod'
import { invalid } from './errors.ts'

/** Text that PostgreSQL can hold: no NUL, no half of a surrogate pair; at most `max` characters. */
export function text(max: number): z.ZodString {
  return z
    .string('must be text')
    .refine(
      (value) => value.length <= max || (value.length <= 2 * max && [...value].length <= max),
      `must have ${max} characters at most`,
    )
    .refine(
      (value) => !value.includes('\0') && value.isWellFormed(),
      'must not contain characters that cannot be stored',
    )
}

/** Text that says something: not empty, not only white space. */
export function name(max: number): z.ZodString {
  return text(max).trim().min(1, 'must not be empty')
}

/**
 * An e-mail address to look for. White space around it is removed, here and in `email`, so that an address is the same
 * wherever it comes from.
 */
export const address = z.string('must be text').trim().pipe(text(254))

/** An e-mail address that can be written to: `local@domain.tld`, letters of any script (RFC 6531), 254 characters at most. */
export const email = z
  .string('must be text')
  .trim()
  .pipe(
    text(254).regex(
      /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\\\]\p{C}]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u,
      'must be an e-mail address',
    ),
  )

const types: Readonly<Record<string, string>> = {
  ...{ string: 'text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list' },
  ...{ object: 'an object', record: 'an object' },
}

/** What is wrong with a value whose rule has no sentence of its own, so that clients never read the library's wording. */
function messageOf(issue: Parameters<z.core.$ZodErrorMap>[0]): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${types[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must have or be at least ${issue.minimum}`
    case 'too_big':
      return `must have or be at most ${issue.maximum}`
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.join(', ')}`
    default:
      return 'must have the documented form'
  }
}

/** The input as its rules read it. Fails with VALIDATION_ERROR naming each field and what was wrong with it. */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input, { error: messageOf })
  if (read.success) return read.data
  const details: Record<string, string[]> = {}
  for (const issue of read.error.issues) {
    const field = issue.path.join('.') || 'input'
    details[field] = [...(details[field] ?? []), issue.message]
  }
  throw invalid(details)
}

/** The input without the fields that were not sent, so that a change touches only what was sent; null is not a value. */
export function sent<Input extends object>(input: Input): { [Key in keyof Input]?: NonNullable<Input[Key]> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== null)) as never
}
