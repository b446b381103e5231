import { type AcceptedTerms, newAcceptedTerms } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import type { AnswerMerge } from '../answers/answer-merge.ts'
import type { Question } from '../form/question-list.ts'
import type { Submission } from './submission-list.ts'

/**
 * Returns the terms that the visitor has accepted so far: by answers, and those of the page. An answer that is taken back accepts
 * none.
 */
export function acceptTerms(
  tx: Ctx,
  { acceptedTerms, formId }: Submission,
  questions: readonly Question[],
  { changed }: AnswerMerge,
  {
    acceptedTerms: ofPage,
    ip = '',
  }: { readonly acceptedTerms?: AcceptedTerms | undefined; readonly ip?: string | undefined },
): readonly AcceptedTerms[] {
  const now = tx.clock.now()
  const byAnswers = changed.flatMap(({ questionId, version, values }) => {
    const { type, label: text = '' } = questions.find(({ id }) => id === questionId) ?? {}
    if (type !== 'TERMS' || values[0] !== 'true') return []
    return newAcceptedTerms({ source: `form:${formId}`, text, version, ip, question_id: questionId }, now)
  })
  const isReplaced = (id: number | undefined) =>
    id === undefined ? ofPage !== undefined : changed.some(({ questionId }) => questionId === id)
  const kept = acceptedTerms.filter(({ question_id }) => !isReplaced(question_id))
  return [...kept, ...byAnswers, ...(ofPage ? [ofPage] : [])]
}
