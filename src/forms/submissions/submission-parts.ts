import type { SubmissionStatus } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { partsIn } from '../../db/figures/figure-parts.ts'
import { figureObject } from '../../db/figures/figures.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Span } from '../../kernel/values/period.ts'
import type { PartFigure } from '../figures.ts'
import type { QuestionType } from '../form/question-types.ts'

/** Types of questions with a fixed set of answers. */
const choiceTypes: readonly QuestionType[] = [
  ...(['YES_NO', 'SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'DROPDOWN'] as const),
  ...(['RATING', 'OPINION_SCALE', 'CONSENT', 'TERMS'] as const),
]

/** Types of questions whose answers are numbers. */
export const numberTypes: readonly QuestionType[] = ['NUMBER', 'RATING', 'OPINION_SCALE']

/**
 * Selects what submissions count, at the time of their creation: one by their state and the set of questions with an answer, one
 * for each answer to a question with a fixed set of answers, and one for each number. The set keeps the drop-off exact, whatever
 * the order of the questions is later. `condition` restricts the submissions `s`.
 */
export function submissionParts(condition: Sql): Sql {
  const object = sql`${'Form:'}::text || s.form_id`
  return sql`
    SELECT s.account_id, 'FORM_SUBMISSIONS'::text AS figure, ${object} AS object, CASE s.status WHEN 'COMPLETED' THEN 'completed:' ELSE 'open:' END
      || coalesce((SELECT string_agg(a.question_id::text, ',' ORDER BY a.question_id) FROM answer a
        WHERE a.account_id = s.account_id AND a.submission_id = s.id), '') AS part, s.created_at AS at, 1 AS value
    FROM submission s WHERE ${condition}
    UNION ALL
    SELECT s.account_id, f.figure, ${object}, a.question_id || ':' || x.answer, s.created_at, 1
    FROM submission s JOIN answer a ON a.account_id = s.account_id AND a.submission_id = s.id
    JOIN question_version v ON v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
    JOIN (VALUES ('FORM_CHOICES', ${[...choiceTypes]}::text[]), ('FORM_NUMBERS', ${[...numberTypes]}::text[])) f(figure, types)
      ON v.type::text = ANY(f.types)
    CROSS JOIN LATERAL unnest(a."values") x(answer) WHERE ${condition}`
}

/** Returns what a new submission counts: the same as `submissionParts` selects from its rows. */
export function partsOfNew(
  status: SubmissionStatus,
  questions: readonly { readonly id: number; readonly type: QuestionType }[],
  answers: readonly { readonly questionId: number; readonly values: readonly string[] }[],
): { figure: PartFigure; part: string }[] {
  const typeOf = new Map(questions.map(({ id, type }) => [id, type]))
  const answered = answers.map(({ questionId }) => questionId).toSorted((a, b) => a - b)
  const valuesIn = (figure: PartFigure, types: readonly QuestionType[]) =>
    answers
      .filter(({ questionId }) => types.includes(typeOf.get(questionId) as QuestionType))
      .flatMap(({ questionId, values }) => values.map((value) => ({ figure, part: `${questionId}:${value}` })))
  return [
    { figure: 'FORM_SUBMISSIONS', part: `${status === 'COMPLETED' ? 'completed' : 'open'}:${answered.join()}` },
    ...valuesIn('FORM_CHOICES', choiceTypes),
    ...valuesIn('FORM_NUMBERS', numberTypes),
  ]
}

/** Selects the sums of a figure of forms over the submissions that were started in a period: form_id, part and value. */
export function partsOfForms(ctx: Ctx, figure: PartFigure, formIds: readonly number[], span: Span): Sql {
  const objects = formIds.map((id) => figureObject('Form', id))
  const parts = partsIn(ctx, [figure], objects, span)
  return sql`SELECT substr(object, ${'Form:'.length + 1}::int)::int AS form_id, part, value FROM (${parts}) each`
}
