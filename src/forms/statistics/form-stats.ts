import { type Ctx, type Loader, many, one } from '../../db/context.ts'
import { periodOfFigure } from '../../db/zone.ts'
import { identityOf } from '../../kernel/values/page.ts'
import type { PeriodArgs, Span } from '../../kernel/values/period.ts'
import { ofForm, type Question } from '../form/question-list.ts'
import { partsOfForms } from '../submissions/submission-parts.ts'
import { type AnswerCount, choicesOf, type NumberSummary, numbersOf } from './answer-stats.ts'

/** Statistics of the submissions of a form that were started in a period. */
export interface FormStats {
  readonly formId: number
  readonly span: Span
  readonly starts: number
  readonly completions: number
  /** Reads the statistics of the questions, in the order of the form. */
  questions(): Promise<QuestionStats[]>
}

/** Statistics of a question of a form. */
export interface QuestionStats {
  readonly question: Question
  /** Submissions with an answer to the question. */
  readonly answered: number
  /** Submissions with an answer to this question or a later one. */
  readonly reached: number
  /** Submissions that were not completed and whose last answer is to this question. */
  readonly lastAnswered: number
  choices(): Promise<AnswerCount[]>
  numbers(): Promise<NumberSummary | null>
}

interface Totals {
  readonly starts: number
  readonly completions: number
}

/**
 * Loads the statistics of the submissions of a form that were started in a period, by default in the last 30 days. Submissions of
 * deleted contacts count. **Throws** INVALID_PERIOD and VALIDATION_ERROR.
 */
export async function load(ctx: Ctx, formId: number, args: PeriodArgs): Promise<FormStats> {
  const { span } = await periodOfFigure(ctx, args)
  const totals = await ctx.load(totalsIn(span), formId)
  const { starts, completions } = totals ?? { starts: 0, completions: 0 }
  return { formId, span, starts, completions, questions: () => questionsOf(ctx, formId, span) }
}

function totalsIn(span: Span): Loader<number, Totals, null> {
  const batch = async (ctx: Ctx, formIds: readonly number[]) => {
    const rows = await ctx.sql<Totals & { formId: number }>`
      SELECT form_id AS "formId", sum(value)::int AS starts,
        coalesce(sum(value) FILTER (WHERE part LIKE 'completed:%'), 0)::int AS completions
      FROM (${partsOfForms(ctx, 'FORM_SUBMISSIONS', formIds, span)}) started GROUP BY form_id`
    return new Map(rows.map((row) => [row.formId, row]))
  }
  return { ...one<number, Totals>(batch), name: `form totals ${identityOf(span)}` }
}

/** The submissions with an answer to a question, and those whose last answer it is, all and those in progress. */
interface AnsweredRow {
  readonly formId: number
  readonly questionId: number
  readonly answered: number
  readonly last: number
  readonly lastInProgress: number
}

async function questionsOf(ctx: Ctx, formId: number, span: Span): Promise<QuestionStats[]> {
  const [questions, rows] = await Promise.all([ctx.load(ofForm, formId), ctx.load(answeredIn(span), formId)])
  const byQuestion = new Map(rows.map((row) => [row.questionId, row]))
  let reached = rows.reduce((sum, row) => sum + row.last, 0)
  return questions.map((question) => {
    const { answered = 0, last = 0, lastInProgress = 0 } = byQuestion.get(question.id) ?? {}
    const stats = { question, answered, reached, lastAnswered: lastInProgress }
    reached -= last
    return {
      ...stats,
      choices: () => choicesOf(ctx, question, span, answered),
      numbers: () => numbersOf(ctx, question, span),
    }
  })
}

/** Creates the loader of the answered questions of forms, without removed questions. */
function answeredIn(span: Span): Loader<number, AnsweredRow[]> {
  const batch = async (ctx: Ctx, formIds: readonly number[]) => {
    const rows = await ctx.sql<AnsweredRow>`
      WITH question AS (
        SELECT q.id, q.form_id, row_number() OVER (ORDER BY q.form_id, q.position, q.id) AS place FROM question q
        WHERE q.account_id = ${ctx.sql.account} AND q.form_id = ANY(${formIds}::int[]) AND q.removed_at IS NULL
      ), started AS (
        SELECT form_id, split_part(part, ':', 1) = 'open' AS is_open, split_part(part, ':', 2) AS answered, value
        FROM (${partsOfForms(ctx, 'FORM_SUBMISSIONS', formIds, span)}) parts
      ), given AS (
        SELECT s.answered, s.is_open, s.value, q.place FROM started s
        CROSS JOIN LATERAL unnest(string_to_array(s.answered, ',')::int[]) x(question_id)
        JOIN question q ON q.form_id = s.form_id AND q.id = x.question_id
      ), last AS (
        SELECT place, sum(value)::int AS n, coalesce(sum(value) FILTER (WHERE is_open), 0)::int AS open
        FROM (SELECT max(place) AS place, is_open, value FROM given GROUP BY answered, is_open, value) each
        GROUP BY place
      ), answered AS (
        SELECT place, sum(value)::int AS n FROM given GROUP BY place
      )
      SELECT q.form_id AS "formId", q.id AS "questionId", n.n AS answered, coalesce(l.n, 0) AS last,
        coalesce(l.open, 0) AS "lastInProgress"
      FROM question q JOIN answered n ON n.place = q.place LEFT JOIN last l ON l.place = q.place`
    return Map.groupBy(rows, (row) => row.formId)
  }
  return { ...many<number, AnsweredRow>(batch), name: `answered questions ${identityOf(span)}` }
}
