import type * as z from 'zod'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL',
  date: 'a date',
  datetime: 'a date and time',
  uuid: 'a UUID',
}

/**
 * Returns what is wrong with a value, as the end of a sentence that starts with the name of the field: `must be a string`.
 * Applies to every issue whose schema has no message of its own, so that clients never see the wording of Zod.
 */
export function messageOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${types[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return `must ${measure(issue.origin, `at least ${issue.minimum}`)}`
    case 'too_big':
      return `must ${measure(issue.origin, `at most ${issue.maximum}`)}`
    case 'invalid_format':
      return formats[issue.format] ? `must be ${formats[issue.format]}` : 'must have the documented format'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.join(', ')}`
    case 'invalid_union':
      return 'must have one of the documented forms'
    case 'invalid_key':
      return 'must not contain a key with an unsupported format'
    case 'invalid_element':
      return 'must not contain an element with an unsupported format'
    default:
      return 'must be valid'
  }
}

function measure(origin: string, bound: string): string {
  if (origin === 'string') return `have ${bound} characters`
  if (['array', 'set', 'map', 'object'].includes(origin)) return `contain ${bound} elements`
  return `be ${bound}`
}
