import { email, text } from '../kernel/check.ts'
import { decimal, isDecimal } from '../kernel/money.ts'
import {
  type ContactField,
  contactFields,
  lengths,
  possibleAnswers,
  type QuestionType,
  takesAnswer,
} from './question-types.ts'

/** What stands between the values of an answer where they are searched as one text; no value contains it. */
export const separator = '\u001f'

/** What of a question decides which answers it takes. */
export interface Asked {
  readonly type: QuestionType
  readonly options: readonly string[] | null
  readonly contactField: ContactField | null
}

/** The values as they are kept, or what is wrong with them, in words for people. No values at all take an answer away. */
export type ReadValues = { readonly values: readonly string[] } | { readonly fault: string }

/** The most digits of a number: as many as a JSON number shows exactly. */
const mostDigits = 15

/**
 * Reads the answer to a question as its type wants it. A number is kept without needless zeros, so that equal answers are
 * equal texts; the values of a multiple choice are kept in the order of its options, each once.
 */
export function readValues(question: Asked, given: readonly string[]): ReadValues {
  const { type, options } = question
  const values = given
    .map((value) => (type === 'LONG_TEXT' ? value : value.trim()))
    .filter((value) => value.trim() !== '')
  if (values.length === 0) return { values: [] }
  if (!takesAnswer(type)) return { fault: 'takes no answer: it is a statement' }
  if (values.length > 1 && type !== 'MULTIPLE_CHOICE') return { fault: 'takes one value' }
  if (values.some((value) => value.includes(separator) || !text(longest).safeParse(value).success)) {
    return { fault: 'must not contain characters that cannot be stored' }
  }
  const possible = possibleAnswers(type, options)
  if (possible) {
    const isKnown = values.every((value) => possible.includes(value))
    if (!isKnown) return { fault: `must be ${type === 'MULTIPLE_CHOICE' ? 'among' : 'one of'}: ${possible.join(', ')}` }
    return { values: possible.filter((value) => values.includes(value)) }
  }
  return readFree(question, values[0] as string)
}

const longest = Number.MAX_SAFE_INTEGER

function readFree({ type, contactField }: Asked, value: string): ReadValues {
  const room = Math.min(lengths[type] ?? longest, contactField === null ? longest : contactFields[contactField])
  if (!text(room).safeParse(value).success) return { fault: `must have ${room} characters at most` }
  if (type === 'NUMBER') return readNumber(value)
  const fault = faultOf(contactField === 'EMAIL' ? 'EMAIL' : type, value)
  return fault === undefined ? { values: [value] } : { fault }
}

function readNumber(value: string): ReadValues {
  if (!isDecimal(value)) return { fault: 'must be a number such as 12 or -3.5' }
  const number = decimal(value)
  if (number.precision(true) > mostDigits || number.decimalPlaces() > mostDigits) {
    return { fault: `must have ${mostDigits} digits at most` }
  }
  return { values: [number.isZero() ? '0' : number.toFixed()] }
}

function faultOf(type: QuestionType, value: string): string | undefined {
  switch (type) {
    case 'EMAIL':
      return email.safeParse(value).success ? undefined : 'must be an e-mail address'
    case 'PHONE':
      return /^\+?[\d\s().\-/]{3,}$/.test(value) && /\d{3}/.test(value.replace(/\D/g, ''))
        ? undefined
        : 'must be a phone number such as +33 1 23 45 67 89'
    case 'URL':
      return isWebAddress(value) ? undefined : 'must be an address that starts with http:// or https://'
    case 'DATE':
      return isDate(value) ? undefined : 'must be a date that exists, as YYYY-MM-DD'
    default:
      return undefined
  }
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || value.startsWith('0000')) return false
  const date = new Date(`${value}T00:00:00Z`)
  // JavaScript reads 30 February as 2 March; a date that exists comes back as it went in.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}
