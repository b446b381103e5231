import type { QuestionType } from '../../prisma/generated/client/client.ts'

export type { QuestionType }

/** The fields of a contact that an answer can fill, and how many characters each has room for. */
export const contactFields = {
  EMAIL: 254,
  FIRST_NAME: 255,
  LAST_NAME: 255,
  PHONE: 64,
  COMPANY_NAME: 255,
  CITY: 255,
  COUNTRY: 255,
} as const

export type ContactField = keyof typeof contactFields

/** How many characters an answer of free text can have. */
export const lengths: Readonly<Partial<Record<QuestionType, number>>> = {
  SHORT_TEXT: 255,
  LONG_TEXT: 10_000,
  EMAIL: 254,
  PHONE: 64,
  URL: 2_000,
  HIDDEN: 1_000,
}

/** The ends of a scale, both included. */
const scales: Readonly<Partial<Record<QuestionType, readonly [number, number]>>> = {
  RATING: [1, 5],
  OPINION_SCALE: [0, 10],
}

const types = {
  choices: ['SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'DROPDOWN'] as readonly QuestionType[],
  /** What is one text can be written into a field of a contact. */
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

/** Whether a question of this type has options to choose from. */
export function isChoice(type: QuestionType): boolean {
  return types.choices.includes(type)
}

/** Whether it is answered at all: a statement is only read. */
export function takesAnswer(type: QuestionType): boolean {
  return type !== 'STATEMENT'
}

/** Whether its answer can be written into this field of a contact. */
export function canFill(type: QuestionType, field: ContactField): boolean {
  return field === 'EMAIL' ? types.fillEmail.includes(type) : types.fillContact.includes(type)
}

/** Every value that an answer can have, or undefined where it is free: a text, a number, a date. */
export function possibleAnswers(type: QuestionType, options: readonly string[] | null): readonly string[] | undefined {
  if (isChoice(type)) return options ?? []
  if (type === 'YES_NO') return ['yes', 'no']
  if (type === 'CONSENT') return ['true', 'false']
  const [from, to] = scales[type] ?? []
  if (from === undefined || to === undefined) return undefined
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
}
