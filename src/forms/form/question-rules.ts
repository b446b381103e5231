import { z } from 'zod'
import { invalid } from '../../kernel/errors.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { decimal } from '../../kernel/values/money.ts'
import { valueSeparator } from './answer-values.ts'
import { type ContactField, canFill, isChoice, possibleAnswers, type QuestionType } from './question-types.ts'
import type { AnswerPoints } from './scoring.ts'

/** Maximum number of questions of a form, without removed ones. */
export const maxQuestions = 500
/** Maximum number of options of a question. */
export const maxOptions = 200
const maxPoints = 10_000

/** The stored content of a question version. */
export interface QuestionContent {
  readonly label: string
  readonly type: QuestionType
  readonly required: boolean
  /** In display order; null if the type has no options. */
  readonly options: readonly string[] | null
  readonly points: readonly AnswerPoints[]
  readonly contactField: ContactField | null
  readonly customFieldId: number | null
}

/** Input of the content of a question. Absent or null fields keep the current value or the default. */
export interface QuestionContentInput {
  label?: string | null | undefined
  type?: QuestionType | null | undefined
  required?: boolean | null | undefined
  options?: readonly string[] | null | undefined
  points?: readonly AnswerPoints[] | null | undefined
  /** Null removes the contact field. */
  contactField?: ContactField | null | undefined
}

const ContentInput = z
  .object({
    label: name(1000),
    options: z
      .array(name(255).refine((option) => !option.includes(valueSeparator), 'must not contain control characters'))
      .min(1, 'must have at least one option')
      .max(maxOptions, `must be at most ${maxOptions}`)
      .refine((options) => new Set(options).size === options.length, 'must be different'),
    points: z
      .array(
        z.object({
          answer: name(255),
          points: z
            .string()
            .refine(isPoints, `must be between -${maxPoints} and ${maxPoints}, with at most 2 decimals`),
        }),
      )
      .max(maxOptions + 1, `must be at most ${maxOptions}`)
      .refine(
        (all) => new Set(all.map(({ answer }) => answer)).size === all.length,
        'must contain each answer only once',
      ),
  })
  .partial()

/** Returns whether a score has at most two decimals and an absolute value of at most `max`. */
export function isScore(value: string, max: number): boolean {
  const score = decimal(value)
  return score.abs().lte(max) && score.decimalPlaces() <= 2
}

/** Returns the content of a new question. E-mail questions have the contact field EMAIL. **Throws** VALIDATION_ERROR. */
export function newQuestionContent(
  input: QuestionContentInput & { label: string; type: QuestionType },
): QuestionContent {
  const contactField = input.type === 'EMAIL' ? ('EMAIL' as const) : null
  const { label, type } = input
  return mergeQuestionContent(
    { label, type, required: false, options: null, points: [], contactField, customFieldId: null },
    input,
  )
}

/**
 * Merges a change into the content of a question. Options, points and contact fields that do not fit the new type or the new
 * options are removed. **Throws** VALIDATION_ERROR.
 */
export function mergeQuestionContent(before: QuestionContent, input: QuestionContentInput): QuestionContent {
  const { type = before.type } = sent(input)
  const { required = before.required || type === 'TERMS' } = sent(input)
  const { label = before.label, options: newOptions, points } = check(ContentInput, sent(input))
  if (newOptions && !isChoice(type)) throw invalid({ options: [`are not allowed for the type ${type}`] })
  const options = isChoice(type) ? (newOptions ?? before.options) : null
  if (isChoice(type) && !options) throw invalid({ options: [`are required for the type ${type}`] })
  const possible = possibleAnswers(type, options)
  if (points) checkPoints(points, possible)
  const remaining = before.points.filter(({ answer }) => possible?.includes(answer))
  const contactField =
    input.contactField === undefined ? compatibleField(type, before.contactField) : input.contactField
  if (contactField !== null && !canFill(type, contactField)) {
    throw invalid({ contactField: [`must not be ${contactField} for the type ${type}`] })
  }
  if (!required && type === 'TERMS') throw invalid({ required: ['must be true for terms'] })
  if (required && type === 'STATEMENT') throw invalid({ required: ['must be false for a statement'] })
  return {
    label,
    type,
    required,
    options,
    points: points ?? remaining,
    contactField,
    customFieldId: before.customFieldId,
  }
}

function compatibleField(type: QuestionType, field: ContactField | null): ContactField | null {
  return field !== null && canFill(type, field) ? field : null
}

function checkPoints(points: readonly AnswerPoints[], possible: readonly string[] | undefined): void {
  if (points.length === 0) return
  if (!possible) throw invalid({ points: ['are only allowed for types with a fixed set of answers'] })
  const unknown = points.filter(({ answer }) => !possible.includes(answer)).map(({ answer }) => answer)
  if (unknown.length > 0)
    throw invalid({ points: [`contain answers that the question does not have: ${unknown.join(', ')}`] })
}

function isPoints(value: string): boolean {
  return isScore(value, maxPoints)
}
