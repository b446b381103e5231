import type { QuestionType } from '../../../prisma/generated/client/client.ts'
import type { TextName } from '../../contacts/index.ts'

export type { QuestionType }

/** A contact field that an answer can be written to. */
export type ContactField = TextName

/** Maximum length of free-text answers, in characters. */
export const maxAnswerLengths: Readonly<Partial<Record<QuestionType, number>>> = {
  SHORT_TEXT: 255,
  LONG_TEXT: 10_000,
  EMAIL: 254,
  PHONE: 64,
  URL: 2_000,
  HIDDEN: 1_000,
}

/** First and last number of the scales. */
const scales: Readonly<Partial<Record<QuestionType, readonly [number, number]>>> = {
  RATING: [1, 5],
  OPINION_SCALE: [0, 10],
}

const types = {
  choices: ['SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'DROPDOWN'] as readonly QuestionType[],
  /** Types whose answer is a single text. */
  fillContact: [
    'YES_NO',
    'SINGLE_CHOICE',
    'DROPDOWN',
    'SHORT_TEXT',
    'PHONE',
    'URL',
    'HIDDEN',
  ] as readonly QuestionType[],
  fillEmail: ['EMAIL', 'HIDDEN'] as readonly QuestionType[],
}

/** Returns whether questions of this type have options. */
export function isChoice(type: QuestionType): boolean {
  return types.choices.includes(type)
}

/** Returns whether questions of this type have an answer. */
export function takesAnswer(type: QuestionType): boolean {
  return type !== 'STATEMENT'
}

/** Returns whether `true` is a declaration of the visitor, which is proven with the words that were shown. */
export function isDeclaration(type: QuestionType): boolean {
  return type === 'CONSENT' || type === 'TERMS'
}

/** Returns whether answers of this type can be written to the contact field. */
export function canFill(type: QuestionType, field: ContactField): boolean {
  return field === 'EMAIL' ? types.fillEmail.includes(type) : types.fillContact.includes(type)
}

/** Returns the fixed set of answers; undefined for free text, numbers and dates. */
export function possibleAnswers(type: QuestionType, options: readonly string[] | null): readonly string[] | undefined {
  if (isChoice(type)) return options ?? []
  if (type === 'YES_NO') return ['yes', 'no']
  if (isDeclaration(type)) return ['true', 'false']
  const [from, to] = scales[type] ?? []
  if (from === undefined || to === undefined) return undefined
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
}
