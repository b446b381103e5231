import { z } from 'zod'
import { check, name, sent } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { decimal } from '../kernel/money.ts'
import { separator } from './answer-value.ts'
import { type ContactField, canFill, isChoice, possibleAnswers, type QuestionType } from './question-types.ts'
import type { AnswerPoints } from './scoring.ts'

/** How many questions a form can have at once. */
export const mostQuestions = 500
/** How many options a question can have. */
export const mostOptions = 200
const mostPoints = 10_000

/** What a question asks, as it is kept. */
export interface QuestionContent {
  readonly label: string
  readonly type: QuestionType
  readonly required: boolean
  /** In the order in which they are shown; null where the type has none. */
  readonly options: readonly string[] | null
  readonly points: readonly AnswerPoints[]
  readonly contactField: ContactField | null
  readonly customFieldId: number | null
}

/** The same as clients give it; what is absent or null is left as it is, or at its default. */
export interface GivenQuestion {
  label?: string | null | undefined
  type?: QuestionType | null | undefined
  required?: boolean | null | undefined
  options?: readonly string[] | null | undefined
  points?: readonly AnswerPoints[] | null | undefined
  /** Null fills none. */
  contactField?: ContactField | null | undefined
}

const Given = z
  .object({
    label: name(1000),
    options: z
      .array(name(255).refine((option) => !option.includes(separator), 'must not contain control characters'))
      .min(1, 'must have at least one option')
      .max(mostOptions, `must be ${mostOptions} at most`)
      .refine((options) => new Set(options).size === options.length, 'must be different from each other'),
    points: z
      .array(
        z.object({
          answer: name(255),
          points: z
            .string()
            .refine(isPoints, `must be between -${mostPoints} and ${mostPoints}, with 2 decimals at most`),
        }),
      )
      .max(mostOptions + 1, `must be ${mostOptions} at most`)
      .refine((all) => new Set(all.map(({ answer }) => answer)).size === all.length, 'must have each answer once'),
  })
  .partial()

/** A score in the form in which it is compared and stored: two decimals at most, and not larger than `most`. */
export function isScore(value: string, most: number): boolean {
  const score = decimal(value)
  return score.abs().lte(most) && score.decimalPlaces() <= 2
}

/** A new question, complete. An e-mail question fills the contact's address. Fails with VALIDATION_ERROR. */
export function newContent(given: GivenQuestion & { label: string; type: QuestionType }): QuestionContent {
  const contactField = given.type === 'EMAIL' ? ('EMAIL' as const) : null
  const { label, type } = given
  return contentOver(
    { label, type, required: false, options: null, points: [], contactField, customFieldId: null },
    given,
  )
}

/**
 * A question with a change laid over it. With a change of type, options and points go that the new type cannot have; with a
 * change of options, the points of those that are no more. Fails with VALIDATION_ERROR.
 */
export function contentOver(before: QuestionContent, given: GivenQuestion): QuestionContent {
  const { type = before.type, required = before.required } = sent(given)
  const { label = before.label, options: choices, points } = check(Given, sent(given))
  if (choices && !isChoice(type)) throw invalid({ options: [`do not go with the type ${type}`] })
  const options = isChoice(type) ? (choices ?? before.options) : null
  if (isChoice(type) && !options) throw invalid({ options: [`are required for the type ${type}`] })
  const possible = possibleAnswers(type, options)
  if (points) checkPoints(points, possible)
  const kept = before.points.filter(({ answer }) => possible?.includes(answer))
  const contactField = given.contactField === undefined ? keptField(type, before.contactField) : given.contactField
  if (contactField !== null && !canFill(type, contactField)) {
    throw invalid({ contactField: [`${contactField} cannot be filled by a question of the type ${type}`] })
  }
  if (required && type === 'STATEMENT') throw invalid({ required: ['does not go with a statement'] })
  return { label, type, required, options, points: points ?? kept, contactField, customFieldId: before.customFieldId }
}

function keptField(type: QuestionType, field: ContactField | null): ContactField | null {
  return field !== null && canFill(type, field) ? field : null
}

function checkPoints(points: readonly AnswerPoints[], possible: readonly string[] | undefined): void {
  if (points.length === 0) return
  if (!possible) throw invalid({ points: ['go with questions only whose possible answers are known'] })
  const unknown = points.filter(({ answer }) => !possible.includes(answer)).map(({ answer }) => answer)
  if (unknown.length > 0) throw invalid({ points: [`name what is no answer of the question: ${unknown.join(', ')}`] })
}

function isPoints(value: string): boolean {
  return isScore(value, mostPoints)
}
