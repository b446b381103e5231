import { type Ctx, type Loader, many } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { identityOf } from '../../kernel/values/page.ts'
import type { Span } from '../../kernel/values/period.ts'
import type { Question } from '../form/question-list.ts'
import { maxOptions } from '../form/question-rules.ts'
import { possibleAnswers } from '../form/question-types.ts'
import { numberTypes, partsOfForms } from '../submissions/submission-parts.ts'

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

/** Columns of a part `question:answer`. */
const questionId = sql`split_part(part, ':', 1)::int`
const answerOf = sql`substr(part, strpos(part, ':') + 1)`

type CountRow = Pick<AnswerCount, 'answer' | 'count'> & { readonly formId: number; readonly questionId: number }

/** Creates the loader of the answers to the questions of forms with a fixed set of answers, most frequent first. */
function answerCountsIn(span: Span): Loader<number, CountRow[]> {
  const batch = async (ctx: Ctx, formIds: readonly number[]) => {
    const rows = await ctx.sql<CountRow>`
      SELECT form_id AS "formId", question_id AS "questionId", answer, value::int AS count FROM (
        SELECT form_id, ${questionId} AS question_id, ${answerOf} AS answer, value,
          row_number() OVER (PARTITION BY form_id, ${questionId} ORDER BY value DESC, ${answerOf}) AS rank
        FROM (${partsOfForms(ctx, 'FORM_CHOICES', formIds, span)}) given
      ) counted WHERE rank <= ${maxAnswers}::int ORDER BY question_id, rank`
    return Map.groupBy(rows, (row) => row.formId)
  }
  return { ...many<number, CountRow>(batch), name: `answer counts ${identityOf(span)}` }
}

type NumbersRow = NumberSummary & { readonly formId: number; readonly questionId: number }

/** Creates the loader of the summaries of the numbers that answer questions of forms. */
function numbersIn(span: Span): Loader<number, NumbersRow[]> {
  const batch = async (ctx: Ctx, formIds: readonly number[]) => {
    const rows = await ctx.sql<NumbersRow>`
      SELECT form_id AS "formId", question_id AS "questionId", min(number)::text AS min,
        trim_scale(round(sum(number * value) / sum(value), 4))::text AS average, max(number)::text AS max
      FROM (SELECT form_id, ${questionId} AS question_id, ${answerOf}::numeric AS number, value
        FROM (${partsOfForms(ctx, 'FORM_NUMBERS', formIds, span)}) given) answered
      GROUP BY form_id, question_id`
    return Map.groupBy(rows, (row) => row.formId)
  }
  return { ...many<number, NumbersRow>(batch), name: `number summaries ${identityOf(span)}` }
}
