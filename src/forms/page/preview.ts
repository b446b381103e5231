import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { textsIn } from '../../kernel/texts/texts.ts'
import { idOf } from '../../kernel/values/ids.ts'
import type { Form } from '../form/form-list.ts'
import { ofForm as outcomesOf } from '../form/outcome-list.ts'
import { ofForm } from '../form/question-list.ts'
import { renderMessagePage, renderOutcomePage, renderQuestionPage, renderSubmitPage } from './html/page.ts'
import { visibleQuestions } from './html/question-order.ts'
import { styled } from './styled-form.ts'

/** The page to preview. Without an ID, it is the first page of the form. */
interface PreviewInput {
  readonly questionId?: string | number | null | undefined
  readonly outcomeId?: string | number | null | undefined
}

/**
 * Renders a page of a form as a new visitor sees it, whatever the status of the form. Stores nothing.
 *
 * **Throws** VALIDATION_ERROR if the form has no such question or outcome, or if both are given.
 */
export async function render(ctx: Ctx, form: Form, { questionId, outcomeId }: PreviewInput): Promise<string> {
  if (questionId != null && outcomeId != null) {
    throw invalid({ outcomeId: ['cannot be combined with questionId'] }, 'NOT_COMBINABLE')
  }
  ctx.rows?.mustNotBeExceeded()
  const html =
    outcomeId == null
      ? await renderQuestion(ctx, form, questionId == null ? null : idOf('Question', questionId, 'questionId'))
      : await renderOutcome(ctx, form, idOf('Outcome', outcomeId, 'outcomeId'))
  ctx.rows?.read(Buffer.byteLength(html), 'previews of forms')
  return html
}

async function renderOutcome(ctx: Ctx, form: Form, id: number): Promise<string> {
  const outcome = (await ctx.load(outcomesOf, form.id)).find((each) => each.id === id)
  if (!outcome) throw invalid({ outcomeId: ['must be the id of an outcome of the form'] }, 'INVALID_ID')
  return renderOutcomePage(await styled(ctx, form, textsIn(form.language)), outcome)
}

async function renderQuestion(ctx: Ctx, form: Form, id: number | null): Promise<string> {
  const questions = await ctx.load(ofForm, form.id)
  const [first] = visibleQuestions(questions)
  const question = id === null ? first : questions.find((each) => each.id === id)
  if (id !== null && !question)
    throw invalid({ questionId: ['must be the id of a question of the form'] }, 'INVALID_ID')
  if (!question) return renderSubmitPage(await styled(ctx, form, textsIn(form.language)), { hiddenValues: new Map() })
  if (question.type === 'HIDDEN')
    return renderMessagePage({
      language: 'en',
      title: question.label,
      sentence: 'Visitors do not see hidden questions.',
    })
  return renderQuestionPage({
    ...{ form: await styled(ctx, form, textsIn(form.language)), questions, question },
    answers: new Map(),
    hiddenValues: new Map(),
    isContinued: false,
  })
}
