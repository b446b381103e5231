import type { Form } from '../form-list.ts'
import type { Outcome } from '../outcome-list.ts'
import type { Question } from '../question-list.ts'
import type { Submission } from '../submission-list.ts'
import type { Given } from './steps.ts'

/** A form as programs read it. */
export function shownForm({ id, name, type }: Form, questions: readonly Question[]) {
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

/** How a submission stands, as programs read it: how far it has come, and what it amounts to. */
export function shownSubmission(
  submission: Pick<Submission, 'clientSubmissionId' | 'status' | 'score' | 'bucket' | 'outcomeKey' | 'outcomeTitle'>,
  outcomes: readonly Outcome[],
) {
  const { status, score, bucket } = submission
  return {
    client_submission_id: submission.clientSubmissionId,
    status: status.toLowerCase(),
    score: Number(score),
    bucket: bucket.toLowerCase(),
    outcome: reachedOf(submission, outcomes),
  }
}

/** What a submission ended with: the title that it had then, and its text as it is now. */
export function reachedOf(
  { outcomeKey, outcomeTitle }: Pick<Submission, 'outcomeKey' | 'outcomeTitle'>,
  outcomes: readonly Outcome[],
) {
  if (outcomeKey === null) return null
  const text = outcomes.find(({ key }) => key === outcomeKey)?.text ?? ''
  return { key: outcomeKey, title: outcomeTitle ?? '', text }
}

/** Answers as programs read them: a list for a multiple choice, and one text for every other question. */
export function shownAnswers(questions: readonly Question[], given: Given): Record<string, string | readonly string[]> {
  const answered = questions.flatMap(({ id, type }) => {
    const values = given.get(id)?.values
    return values ? [[String(id), type === 'MULTIPLE_CHOICE' ? values : (values[0] ?? '')] as const] : []
  })
  return Object.fromEntries(answered)
}
