import type { Form } from '../form/form-list.ts'
import type { Outcome } from '../form/outcome-list.ts'
import type { Question } from '../form/question-list.ts'
import type { Submission } from '../submissions/submission-list.ts'
import type { AnswerMap } from './html/question-order.ts'

/** JSON representation of a form. */
export function toFormJson({ id, name, type }: Form, questions: readonly Question[]) {
  return {
    id,
    name,
    type: type.toLowerCase(),
    questions: questions.map((question) => ({
      id: question.id,
      label: question.label,
      type: question.type.toLowerCase(),
      required: question.required,
      options: question.options,
    })),
  }
}

/** JSON representation of a submission without its answers. */
export function toSubmissionJson(
  submission: Pick<Submission, 'clientSubmissionId' | 'status' | 'score' | 'bucket' | 'outcomeKey' | 'outcomeTitle'>,
  outcomes: readonly Outcome[],
) {
  const { status, score, bucket } = submission
  return {
    client_submission_id: submission.clientSubmissionId,
    status: status.toLowerCase(),
    score: Number(score),
    bucket: bucket.toLowerCase(),
    outcome: toOutcomeJson(submission, outcomes),
  }
}

/** JSON representation of an outcome: its title at the time of completion and its current text. Null without an outcome. */
export function toOutcomeJson(
  { outcomeKey, outcomeTitle }: Pick<Submission, 'outcomeKey' | 'outcomeTitle'>,
  outcomes: readonly Outcome[],
) {
  if (outcomeKey === null) return null
  const text = outcomes.find(({ key }) => key === outcomeKey)?.text ?? ''
  return { key: outcomeKey, title: outcomeTitle ?? '', text }
}

/** JSON representation of answers: a list for a multiple choice, and a text for other questions. */
export function toAnswersJson(
  questions: readonly Question[],
  answers: AnswerMap,
): Record<string, string | readonly string[]> {
  const entries = questions.flatMap(({ id, type }) => {
    const values = answers.get(id)?.values
    return values ? [[String(id), type === 'MULTIPLE_CHOICE' ? values : (values[0] ?? '')] as const] : []
  })
  return Object.fromEntries(entries)
}
