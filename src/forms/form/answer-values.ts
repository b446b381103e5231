import { textFields } from '../../contacts/index.ts'
import { email, isWithin } from '../../kernel/values/check.ts'
import { decimal, isDecimal } from '../../kernel/values/money.ts'
import { isStorable } from '../../kernel/values/storable-text.ts'
import { readTypedNumber, toPlainPhone } from './answer-numbers.ts'
import {
  type ContactField,
  maxAnswerLengths,
  possibleAnswers,
  type QuestionType,
  takesAnswer,
} from './question-types.ts'

/** Separator between the values of an answer in the column `search`. No value contains it. */
export const valueSeparator = '\u001f'

/** The properties of a question that decide which answers it accepts. */
export interface AnswerRule {
  readonly type: QuestionType
  readonly options: readonly string[] | null
  readonly contactField: ContactField | null
}

/** Normalised values, or a message about what is wrong with them. An empty list removes the answer. */
type ParsedValues = { readonly values: readonly string[] } | { readonly problem: string }

/** A JSON number is exact up to this number of digits. */
const maxDigits = 15

/**
 * Validates and normalises the values of an answer. Numbers lose superfluous zeros, so that equal numbers are equal texts.
 * The values of a multiple choice are sorted in the order of the options, without duplicates.
 */
export function parseValues(question: AnswerRule, input: readonly string[]): ParsedValues {
  const { type, options } = question
  const values = input
    .map((value) => (type === 'LONG_TEXT' ? value : formatted.has(type) ? withoutMarks(value).trim() : value.trim()))
    .filter((value) => value.trim() !== '')
  if (values.length === 0) return { values: [] }
  if (!takesAnswer(type)) return { problem: 'must not be answered, because the question is a statement' }
  if (values.length > 1 && type !== 'MULTIPLE_CHOICE') return { problem: 'must have only one value' }
  if (values.some((value) => value.includes(valueSeparator) || !isStorable(value))) {
    return { problem: 'must not contain control characters' }
  }
  const possible = possibleAnswers(type, options)
  if (possible) {
    const [known, chosen] = [new Set(possible), new Set(values)]
    if (!chosen.isSubsetOf(known)) return { problem: `must be one of: ${possible.join(', ')}` }
    return { values: possible.filter((value) => chosen.has(value)) }
  }
  return parseFreeText(question, values[0] as string)
}

/** Types whose values have a format, in which invisible characters mean nothing. */
const formatted = new Set<QuestionType>(['EMAIL', 'PHONE', 'URL', 'NUMBER', 'DATE'])

/** Removes marks of direction, joiners, soft hyphens and other characters that are not seen, which are copied with a text. */
function withoutMarks(value: string): string {
  return value.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
}

const unlimited = Number.MAX_SAFE_INTEGER

function parseFreeText({ type, contactField }: AnswerRule, given: string): ParsedValues {
  const value = type === 'PHONE' ? toPlainPhone(given) : type === 'URL' ? withScheme(given) : given
  const maxLength = Math.min(
    maxAnswerLengths[type] ?? unlimited,
    contactField === null ? unlimited : textFields[contactField].maxLength,
  )
  if (!isWithin(value, maxLength)) return { problem: `must have at most ${maxLength} characters` }
  if (type === 'NUMBER') return parseNumber(value)
  const problem = formatProblem(contactField === 'EMAIL' ? 'EMAIL' : type, value)
  return problem === undefined ? { values: [value] } : { problem }
}

const numberProblem =
  'must be a number such as 12, -3.5 or -3,5, with a point or a comma as the decimal sign and neither between thousands'

function parseNumber(value: string): ParsedValues {
  const plain = readTypedNumber(value)
  if (plain === undefined || !isDecimal(plain)) return { problem: numberProblem }
  const number = decimal(plain)
  if (number.precision(true) > maxDigits || number.decimalPlaces() > maxDigits) {
    return { problem: `must have at most ${maxDigits} digits` }
  }
  return { values: [number.isZero() ? '0' : number.toFixed()] }
}

function formatProblem(type: QuestionType, value: string): string | undefined {
  switch (type) {
    case 'EMAIL':
      return email.safeParse(value).success ? undefined : 'must be a valid e-mail address'
    case 'PHONE':
      return /^\+?[\d\s().\-/]{3,}$/.test(value) && /\d{3}/.test(value.replace(/\D/g, ''))
        ? undefined
        : 'must be a phone number such as +33 1 23 45 67 89'
    case 'URL':
      return isWebUrl(value) ? undefined : 'must be a URL such as https://example.com'
    case 'DATE':
      return isDate(value) ? undefined : 'must be an existing date, as YYYY-MM-DD'
    default:
      return undefined
  }
}

/** Returns the address of a page as people type it, `example.com/page`, with its scheme. */
function withScheme(value: string): string {
  return /^(?:\/\/)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*\.[\p{L}\p{M}-]{2,}(?::\d{1,5})?(?:[/?#]\S*)?$/u.test(value)
    ? `https://${value.replace(/^\/\//, '')}`
    : value
}

function isWebUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || value.startsWith('0000')) return false
  const date = new Date(`${value}T00:00:00Z`)
  // JavaScript parses 30 February as 2 March, so the result is compared with the input.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}
