import { refusedDomainOf } from '../../account/index.ts'
import { invalid } from '../../kernel/errors.ts'
import {
  type AnswerInput,
  type AnswerMerge,
  type CurrentAnswer,
  findMissingAnswers,
  hasSameValues,
  invalidAnswers,
} from '../answers/answer-merge.ts'
import type { Question } from '../form/question-list.ts'
import type { typedAddressOf } from './submission-contact.ts'

/** **Throws** VALIDATION_ERROR if an address belongs to a refused domain. */
export function mustBeAccepted(
  refusedDomains: readonly string[],
  address: ReturnType<typeof typedAddressOf>,
  inputs: readonly AnswerInput[],
): void {
  const domain = address && refusedDomainOf(refusedDomains, address.email)
  if (domain === undefined) return
  const message = `must not be an address at ${domain}`
  throw address?.questionId === undefined
    ? invalid({ email: [message] })
    : invalidAnswers([[address.questionId, message]], inputs)
}

/** **Throws** VALIDATION_ERROR if answers differ from those of a completed submission. */
export function mustBeSame(
  { changed }: AnswerMerge,
  stored: readonly CurrentAnswer[],
  inputs: readonly AnswerInput[],
): void {
  const valuesOf = (id: number) => stored.find(({ questionId }) => questionId === id)?.values ?? []
  // A consent may have other words by now: its repeat has no effect either.
  const others = changed.filter(({ questionId, values }) => !hasSameValues(values, valuesOf(questionId)))
  if (others.length === 0) return
  throw invalidAnswers(
    others.map(({ questionId }) => [questionId, 'must not change, because the submission is completed']),
    inputs,
  )
}

/** **Throws** VALIDATION_ERROR if a required question has no answer. */
export function mustBeComplete(
  questions: readonly Question[],
  answered: ReadonlyMap<number, CurrentAnswer>,
  inputs: readonly AnswerInput[],
): void {
  const missing = findMissingAnswers(questions, answered)
  if (missing.length > 0) throw invalidAnswers(missing, inputs)
}
