import { type Ctx, type Loader, many } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import { identityOf } from '../kernel/page.ts'
import type { Span } from '../kernel/period.ts'
import type { Question } from './question-list.ts'
import { maxOptions } from './question-rules.ts'
import { possibleAnswers, type QuestionType } from './question-types.ts'
import { startedIn } from './started-submissions.ts'

/** Number of submissions with an answer, and their share of those that answered the question. */
export interface AnswerCount {
  readonly answer: string
  readonly count: number
  readonly share: number
}

/** Exact decimals, as text. The average is rounded to 4 decimals. */
export interface NumberSummary {
  readonly min: string
  readonly average: string
  readonly max: string
}

/** Types of questions with a fixed set of answers. */
const choiceTypes: readonly QuestionType[] = [
  ...(['YES_NO', 'SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'DROPDOWN'] as const),
  ...(['RATING', 'OPINION_SCALE', 'CONSENT'] as const),
]

const numberTypes: readonly QuestionType[] = ['NUMBER', 'RATING', 'OPINION_SCALE']

/** Maximum number of answers of a question that are no longer possible. */
export const maxFormerAnswers = 100

/** Maximum number of different answers that are read of a question. */
const maxAnswers = maxOptions + maxFormerAnswers

/**
 * Returns how often each answer to a question was given: first the possible answers in their order, then former options, most
 * frequent first. Empty for free text, numbers and dates. `answered` is the number of submissions with an answer.
 */
export async function choicesOf(ctx: Ctx, question: Question, span: Span, answered: number): Promise<AnswerCount[]> {
  const possible = possibleAnswers(question.type, question.options) ?? []
  if (possible.length === 0) return []
  const ofForm = await ctx.load(answerCountsIn(span), question.formId)
  const rows = ofForm.filter(({ questionId }) => questionId === question.id)
  const counts = new Map(rows.map(({ answer, count }) => [answer, count]))
  const former = rows.map(({ answer }) => answer).filter((answer) => !possible.includes(answer))
  return [...possible, ...former.slice(0, maxFormerAnswers)].map((answer) => {
    const count = counts.get(answer) ?? 0
    return { answer, count, share: answered === 0 ? 0 : count / answered }
  })
}

/** Returns the smallest, average and largest number. Null without answers, and for questions of other types. */
export async function numbersOf(ctx: Ctx, { id, formId, type }: Question, span: Span): Promise<NumberSummary | null> {
  if (!numberTypes.includes(type)) return null
  const ofForm = await ctx.load(numbersIn(span), formId)
  return ofForm.find(({ questionId }) => questionId === id) ?? null
}

/** Returns `FROM … WHERE …`: the answers `a` to questions of these types in submissions that were started in a period. */
function answersTo(ctx: Ctx, formIds: readonly number[], types: readonly QuestionType[], span: Span): Sql {
  return sql`FROM (SELECT s.account_id, s.id, s.form_id ${startedIn(ctx, formIds, span)}) s
    JOIN answer a ON a.account_id = s.account_id AND a.submission_id = s.id
    JOIN question_version v ON v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
    WHERE v.type::text = ANY(${[...types]}::text[])`
}

type CountRow = Pick<AnswerCount, 'answer' | 'count'> & { readonly formId: number; readonly questionId: number }

/** Creates the loader of the answers to the questions of forms with a fixed set of answers, most frequent first. */
function answerCountsIn(span: Span): Loader<number, CountRow[]> {
  const batch = async (ctx: Ctx, formIds: readonly number[]) => {
    const rows = await ctx.sql<CountRow>`
      SELECT form_id AS "formId", question_id AS "questionId", answer, n::int AS count FROM (
        SELECT a.form_id, a.question_id, x.answer, count(*) AS n,
          row_number() OVER (PARTITION BY a.question_id ORDER BY count(*) DESC, x.answer) AS rank
        FROM (SELECT s.form_id, a.question_id, a."values" ${answersTo(ctx, formIds, choiceTypes, span)}) a
        CROSS JOIN LATERAL unnest(a."values") AS x(answer) GROUP BY a.form_id, a.question_id, x.answer
      ) counted WHERE rank <= ${maxAnswers}::int ORDER BY question_id, rank`
    return Map.groupBy(rows, (row) => row.formId)
  }
  return { ...many<number, CountRow>(batch), name: `answer counts ${identityOf(span)}` }
}

type NumbersRow = NumberSummary & { readonly formId: number; readonly questionId: number }

/** Creates the loader of the summaries of the numbers that answer questions of forms. */
function numbersIn(span: Span): Loader<number, NumbersRow[]> {
  const batch = async (ctx: Ctx, formIds: readonly number[]) => {
    // CASE, because the planner may read a value before it compares the type of its question.
    const rows = await ctx.sql<NumbersRow>`
      SELECT form_id AS "formId", question_id AS "questionId", min(number)::text AS min,
        trim_scale(round(avg(number), 4))::text AS average, max(number)::text AS max
      FROM (SELECT s.form_id, a.question_id,
          CASE WHEN v.type::text = ANY(${[...numberTypes]}::text[]) THEN a."values"[1]::numeric END AS number
        ${answersTo(ctx, formIds, numberTypes, span)}) answered
      WHERE number IS NOT NULL GROUP BY form_id, question_id`
    return Map.groupBy(rows, (row) => row.formId)
  }
  return { ...many<number, NumbersRow>(batch), name: `number summaries ${identityOf(span)}` }
}
