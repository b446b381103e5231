import type { Ctx } from '../../db/context.ts'
import type { Signer } from '../../kernel/web/signer.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import type { PerMinute } from '../../kernel/work/view-limiter.ts'
import { ofSubmission } from '../answers/answers.ts'
import { parseValues } from '../form/answer-values.ts'
import { ofForm as outcomesOf } from '../form/outcome-list.ts'
import { ofForm, type Question } from '../form/question-list.ts'
import { newSession, readSessionCookie, setSessionCookie } from '../submissions/submission-cookie.ts'
import { findByClientId, type Submission } from '../submissions/submission-list.ts'
import { receiveVisitor } from '../visitors/page-posts.ts'
import { sealPass } from '../visitors/pass.ts'
import { recordTouches } from '../visitors/touches.ts'
import { type PageRequest, readVisit, setVisitorCookie, type Visit } from '../visitors/visit.ts'
import { renderOutcomePage, renderQuestionPage, renderSubmitPage, type StyledForm } from './html/page.ts'
import { type AnswerMap, findResumeQuestion, slugOf, visibleQuestions } from './html/question-order.ts'
import { toAnswersJson, toFormJson, toOutcomeJson, toSubmissionJson } from './json.ts'
import type { PublishedForm } from './published-form.ts'

/** A request to the page of a published form. */
export interface FormRequest extends PublishedForm {
  readonly form: StyledForm
  readonly request: PageRequest
  readonly signer: Signer
  /** IP address of the client. */
  readonly ip: string
  /** Whether the client is a program, which gets JSON instead of HTML. */
  readonly isApiClient: boolean
  /** Whether the page has an origin of its own, so that it posts without cookies. */
  readonly isIsolated: boolean
  /** Limits the stored touches of a client. */
  readonly touchLimit: PerMinute
  readonly limiters: Pick<Limiters, 'posts'>
}

/** Response to a form request: an HTML page, JSON, or a redirect to a URL relative to the page. */
export type FormResponse = {
  /** Seconds after which a refused client can try again. */
  readonly retryAfterSeconds?: number
} & (
  | { readonly status: number; readonly page: string; readonly csp?: string }
  | { readonly status: number; readonly json: object }
  | { readonly location: string }
)

/**
 * Shows a form. A visitor gets the next question, or the outcome of a completed submission. A program gets all questions,
 * and the submission of the form's cookie. Stores no submission.
 */
export async function showForm(formRequest: FormRequest): Promise<FormResponse> {
  const { ctx, form, request, signer } = formRequest
  const query = new URLSearchParams(request.querystring)
  if (query.has('again')) return startOver(formRequest)
  const questions = await ctx.load(ofForm, form.id)
  const session = readSessionCookie(request, signer, form)
  const submission = session && (await findByClientId(ctx, form.id, session.clientSubmissionId))
  const answers = await readAnswerMap(ctx, submission)
  const location = receiveVisitor(request, ctx, form.accountId)
  if (location !== undefined) return { location }
  if (formRequest.isApiClient) {
    const submissionJson = submission && {
      ...toSubmissionJson(submission, await ctx.load(outcomesOf, form.id)),
      answers: toAnswersJson(questions, answers),
    }
    return { status: 200, json: { form: toFormJson(form, questions), submission: submissionJson ?? null } }
  }
  const visit = readVisit(request, signer, form.accountId)
  await recordVisit(formRequest, visit)
  if (submission?.status === 'COMPLETED') return { status: 200, page: await renderOutcome(formRequest, submission) }
  const { clientSubmissionId } = session ?? newSession(form)
  if (!session) setSessionCookie(request, signer, { form, clientSubmissionId })
  const pass = passOf(formRequest, { visitor: visit.visitor, clientSubmissionId })
  const hiddenValues = readHiddenAnswers(questions, query, answers)
  const requested = visibleQuestions(questions).find(({ id }) => String(id) === query.get('q'))
  const question = requested ?? findResumeQuestion(questions, answers)
  if (!question) return { status: 200, page: renderSubmitPage(form, { hiddenValues, pass }) }
  const isContinued = requested !== undefined || answers.size > 0
  const view = { form, questions, question, answers, hiddenValues, isContinued, pass }
  return { status: 200, page: renderQuestionPage(view) }
}

/** Returns the pass of a page that has an origin of its own. */
export function passOf({ ctx, isIsolated }: FormRequest, content: Parameters<typeof sealPass>[1]): string | undefined {
  return isIsolated ? sealPass(ctx.signer, content, ctx.clock.now()) : undefined
}

/** Starts a new submission. The previous one stays unchanged. */
export function startOver({ form, request, signer }: FormRequest): FormResponse {
  setSessionCookie(request, signer, newSession(form))
  return { location: String(form.id) }
}

/** Renders the outcome of a completed submission. */
async function renderOutcome({ ctx, form }: FormRequest, submission: Submission): Promise<string> {
  return renderOutcomePage(form, toOutcomeJson(submission, await ctx.load(outcomesOf, form.id)))
}

/** Stores the touch of a visit, and sets the visitor cookie of a new visitor. */
export async function recordVisit(
  { ctx, request, signer, touchLimit, ip }: FormRequest,
  arrival: Visit,
): Promise<void> {
  const { visitor, touch, isNew } = arrival
  if (Object.keys(touch).length > 0 && touchLimit.take(ctx.accountId, ip)) {
    await recordTouches(ctx, [{ visitorId: visitor.id, attribution: touch, at: ctx.clock.now() }])
  }
  if (isNew) setVisitorCookie(request, signer, visitor)
}

/** Returns the stored answers of a submission by question ID; empty without a submission. */
export async function readAnswerMap(ctx: Ctx, submission: Submission | undefined): Promise<AnswerMap> {
  const stored = submission ? await ctx.load(ofSubmission, submission.id) : []
  return new Map(stored.map((answer) => [answer.questionId, answer]))
}

/** Reads the values of unanswered hidden questions from the query of the URL. Invalid values are ignored. */
function readHiddenAnswers(
  questions: readonly Question[],
  query: URLSearchParams,
  answers: AnswerMap,
): Map<number, string> {
  const values = new Map<number, string>()
  for (const question of questions) {
    if (question.type !== 'HIDDEN' || answers.has(question.id)) continue
    const input = query.get(slugOf(question.label)) ?? query.get(question.label) ?? ''
    const parsed = parseValues(question, [input])
    const [value] = 'values' in parsed ? parsed.values : []
    if (value !== undefined) values.set(question.id, value)
  }
  return values
}
