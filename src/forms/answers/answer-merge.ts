import { invalidFields, type Refusal } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { parseValues } from '../form/answer-values.ts'
import { notFound, type Question } from '../form/question-list.ts'
import { isDeclaration, type QuestionType, takesAnswer } from '../form/question-types.ts'
import { sumPoints } from '../form/scoring.ts'
import type { NewAnswer } from './answers.ts'

/** Input of an answer: `value` or `values`. No value removes the answer. */
export interface AnswerInput {
  questionId: string | number
  value?: string | null | undefined
  values?: readonly string[] | null | undefined
}

/** The current answer to a question. `label` and `type` are those of the question at the time of the answer. */
export interface CurrentAnswer {
  readonly questionId: number
  readonly label: string
  readonly type: QuestionType
  readonly values: readonly string[]
  readonly score: string
}

/** Result of merging new answers into the stored answers of a submission. */
export interface AnswerMerge {
  /** Answers that are new, changed or removed. */
  readonly changed: readonly NewAnswer[]
  /** All answers after the merge, by question ID. */
  readonly answered: ReadonlyMap<number, CurrentAnswer>
}

/**
 * Merges new answers into the stored answers. An answer with the same values as before changes nothing, even if the question
 * has a new version. A consent and an acceptance are about their words, so they are given again for others.
 *
 * **Throws** NOT_FOUND if a question does not belong to the form, and VALIDATION_ERROR with a detail for each answer that its
 * question does not accept.
 */
export function mergeAnswers(
  questions: readonly Question[],
  before: readonly CurrentAnswer[],
  inputs: readonly AnswerInput[],
): AnswerMerge {
  const questionById = new Map(questions.map((question) => [question.id, question]))
  const answered = new Map(before.map((answer) => [answer.questionId, answer]))
  const changed = new Map<number, NewAnswer>()
  const problems: [number, string][] = []
  for (const [index, input] of inputs.entries()) {
    const question = questionById.get(idOf('Question', input.questionId, `answers.${index}.questionId`))
    if (!question) throw notFound(`answers.${index}.questionId`)
    if (changed.has(question.id)) problems.push([question.id, 'must be answered only once'])
    if (input.value != null && input.values != null) {
      problems.push([question.id, 'must have value or values, not both'])
    }
    const parsed = parseValues(question, input.values ?? (input.value == null ? [] : [input.value]))
    if ('problem' in parsed) {
      problems.push([question.id, parsed.problem])
      continue
    }
    const score = sumPoints(question.points, parsed.values).toFixed()
    changed.set(question.id, { questionId: question.id, version: question.version, values: parsed.values, score })
  }
  if (problems.length > 0) throw invalidAnswers(problems, inputs)
  for (const [id, { values, score }] of changed) {
    const { label, type } = questionById.get(id) as Question
    const known = answered.get(id)
    const isOfOtherWords = known && isDeclaration(type) && (known.type !== type || known.label !== label)
    if (hasSameValues(values, known?.values ?? []) && !isOfOtherWords) changed.delete(id)
    else if (values.length === 0) answered.delete(id)
    else answered.set(id, { questionId: id, label, type, values, score })
  }
  return { changed: [...changed.values()], answered }
}

/** Returns the required questions that are not answered, as pairs of question ID and message. */
export function findMissingAnswers(
  questions: readonly Question[],
  answered: ReadonlyMap<number, Pick<CurrentAnswer, 'values'> & Partial<Pick<CurrentAnswer, 'type'>>>,
): [number, string][] {
  return questions.flatMap(({ id, type, required }): [number, string][] => {
    if (!required || !takesAnswer(type)) return []
    const { values: [value] = [], type: answeredType = type } = answered.get(id) ?? {}
    if (value === undefined && type !== 'TERMS') return [[id, 'is required']]
    if (!isDeclaration(type) || (value === 'true' && answeredType === type)) return []
    return [[id, type === 'TERMS' ? 'must be accepted' : 'must be agreed to']]
  })
}

/**
 * Creates the VALIDATION_ERROR for answers, from pairs of question ID and message. Each fault has the member
 * `answers.<questionId>`, because the input lacks a missing answer.
 */
export function invalidAnswers(
  problems: readonly (readonly [number, string])[],
  inputs: readonly AnswerInput[],
): Refusal {
  const indexes = new Map(inputs.map(({ questionId }, index) => [idOf('Question', questionId), index]))
  return invalidFields(
    problems.map(([questionId, message]) => {
      const index = indexes.get(questionId)
      const path = index === undefined ? 'answers' : `answers.${index}`
      return { path, member: `answers.${questionId}`, code: 'INVALID_VALUE', message }
    }),
  )
}

export function hasSameValues(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index])
}
