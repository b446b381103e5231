import { ownAccount } from '../../account/index.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { type AnswerInput, findMissingAnswers } from '../answers/answer-merge.ts'
import { parseValues } from '../form/answer-values.ts'
import { ofForm as outcomesOf } from '../form/outcome-list.ts'
import { ofForm, type Question } from '../form/question-list.ts'
import { isDeclaration } from '../form/question-types.ts'
import { parseProof } from '../sign-ups/challenge.ts'
import { judgeSignUp, type SignUp } from '../sign-ups/sign-up.ts'
import { newSession, readSessionCookie, setSessionCookie } from '../submissions/submission-cookie.ts'
import { findByClientId, type Submission } from '../submissions/submission-list.ts'
import { type SaveResult, save } from '../submissions/submissions.ts'
import { readObserved } from '../visitors/contact-details.ts'
import { type Identity, identifyVisitor, knownContactAfterSave, visitorAfterPost } from '../visitors/identity.ts'
import { readVisitorPost, type VisitorPost } from '../visitors/page-posts.ts'
import { findTouches } from '../visitors/touches.ts'
import { readTypedFields } from '../visitors/typed-fields.ts'
import { asForeign, isSameOriginPost } from '../visitors/visit.ts'
import type { Visitor } from '../visitors/visitor.ts'
import { refusePost } from './flooded-form.ts'
import { type FormPost, readAnswers } from './form-post.ts'
import { honeypotName } from './html/control.ts'
import { faultText, otherWords } from './html/faults.ts'
import { renderOutcomePage, renderQuestionPage } from './html/page.ts'
import { type AnswerMap, adjacentQuestion, visibleQuestions } from './html/question-order.ts'
import { toSubmissionJson } from './json.ts'
import { type FormRequest, type FormResponse, passOf, readAnswerMap, recordVisit, startOver } from './show-form.ts'

/** A post to a form, with the questions of the form and the submission that the post continues. */
interface PostContext {
  readonly formRequest: FormRequest
  readonly post: FormPost
  readonly questions: readonly Question[]
  readonly answers: readonly AnswerInput[]
  readonly clientSubmissionId: string
  /** The submission before the post; undefined if the post starts one. */
  readonly before: Submission | undefined
  /** Whether the browser may read the submission: the browser started it, or its cookie names it. */
  readonly isOwn: boolean
  readonly visitorPost: VisitorPost
  /** Whether the address must be confirmed by e-mail, whatever the settings of the account. */
  readonly requiresProof: boolean
}

/**
 * Processes a post to a form: all answers, some of them, or the answer to the question that our page showed. Each answer is
 * stored at once. The submission is identified by `client_submission_id`, or else by the cookie.
 *
 * **Throws** VALIDATION_ERROR with details by `answers.<question id>`. A visitor gets the page of the question instead.
 */
export async function submitForm(received: FormRequest, post: FormPost): Promise<FormResponse> {
  if (post.isRestart) return startOver(received)
  const isForeign = parseProof(post.proof)?.challenge.parameters.data.isForeign === true
  const formRequest = isForeign ? { ...received, request: asForeign(received.request) } : received
  const { ctx, form, request, signer } = formRequest
  const questions = await ctx.load(ofForm, form.id)
  const session = readSessionCookie(request, signer, form)
  const visitorPost = readVisitorPost(request, ctx, form.accountId, post.pass)
  // Another site can post a pass that it received itself, so the submission of a pass never becomes that of the browser.
  const isFromPass = !post.clientSubmissionId && !session && visitorPost.clientSubmissionId !== undefined
  const clientSubmissionId = post.clientSubmissionId ?? session?.clientSubmissionId ?? visitorPost.clientSubmissionId
  const before = clientSubmissionId === undefined ? undefined : await findByClientId(ctx, form.id, clientSubmissionId)
  const context: PostContext = {
    formRequest,
    post,
    questions,
    answers: readAnswers(questions, post),
    clientSubmissionId: clientSubmissionId ?? newSession(form).clientSubmissionId,
    before,
    isOwn: !isFromPass && (!before || clientSubmissionId === session?.clientSubmissionId),
    visitorPost,
    requiresProof: false,
  }
  if (post.isTrapped) return fakeSuccess(context)
  const signUp = toSignUp(context)
  if (!signUp) return submit(context)
  const verdict = await judgeSignUp(ctx, formRequest.limiters, signUp)
  if (verdict.refusal) return refusePost(formRequest, post, verdict.refusal, signUp)
  return submit({ ...context, requiresProof: verdict.requiresProof })
}

/** Returns the post as a sign-up; undefined if it only continues a submission. */
function toSignUp({ formRequest, post, questions, answers, before }: PostContext): SignUp | undefined {
  const { form, ip, request } = formRequest
  const email = findAddress(questions, answers)
  if (before && email === undefined && !post.complete) return undefined
  return {
    ...{ accountId: form.accountId, formId: form.id, ip, email },
    proof: post.proof,
    // The address can be in a later post.
    canConfirm: email !== undefined || before?.contactId != null || !post.complete,
    isForeign: !isSameOriginPost(request),
  }
}

async function submit(context: PostContext): Promise<FormResponse> {
  const { formRequest, post, visitorPost } = context
  try {
    const response =
      post.questionId === undefined ? await submitAnswers(context) : await submitPageQuestion(context, post.questionId)
    return 'location' in response ? { location: visitorPost.redirect(response.location) } : response
  } catch (error) {
    const page = formRequest.isApiClient ? undefined : await renderProblemPage(context, error)
    if (page === undefined) throw error
    return { status: 422, page }
  }
}

/** Processes a post of our own page, which contains one visible question and the hidden ones. */
async function submitPageQuestion(context: PostContext, questionId: number): Promise<FormResponse> {
  const { formRequest, post, questions, answers, before } = context
  const formLocation = { location: String(formRequest.form.id) }
  const question = visibleQuestions(questions).find(({ id }) => id === questionId)
  // The visitor completed the submission in another window, or the question was removed.
  if (!question || before?.status === 'COMPLETED') return formLocation
  mustBeAsShown(question, post)
  mustAcceptAnswer(question, answers)
  const next = adjacentQuestion(questions, questionId, 1)
  const isComplete = post.complete && !next
  if (isComplete || before || answers.some(hasValue)) await saveOrKeepAnswer(context, isComplete)
  return isComplete || !next ? formLocation : { location: `?q=${next.id}` }
}

/** Saves the answer even if earlier required answers are missing. The visitor is then redirected to those questions. */
async function saveOrKeepAnswer(context: PostContext, complete: boolean): Promise<void> {
  try {
    await saveSubmission(context, complete)
  } catch (error) {
    if (!complete || !(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') throw error
    await saveSubmission(context, false)
    throw error
  }
}

/** Processes a post of a program or of another site's page, which can contain many answers. */
async function submitAnswers(context: PostContext): Promise<FormResponse> {
  const { formRequest, post, answers, before } = context
  const isOwnPage = post.values.has(honeypotName) && !formRequest.isApiClient
  if (answers.length === 0 && !before && !isOwnPage && post.clientSubmissionId === undefined) {
    throw invalid({ answers: ['are required'] })
  }
  const submission = await saveOrStartNew(context)
  if (!formRequest.isApiClient) return { location: String(formRequest.form.id) }
  const outcomes = await formRequest.ctx.load(outcomesOf, formRequest.form.id)
  return { status: 200, json: { submission: toSubmissionJson(submission, outcomes) } }
}

/** Starts a new submission if the cookie's submission is completed, has other answers, and the post names none itself. */
async function saveOrStartNew(context: PostContext): Promise<Submission> {
  const { formRequest, post, before } = context
  try {
    return await saveSubmission(context, post.complete)
  } catch (error) {
    const isNewRound = before?.status === 'COMPLETED' && post.clientSubmissionId === undefined
    if (!isNewRound || !(error instanceof Refusal)) throw error
    const { clientSubmissionId } = newSession(formRequest.form)
    return saveSubmission({ ...context, clientSubmissionId, before: undefined, isOwn: true }, post.complete)
  }
}

async function saveSubmission(context: PostContext, complete: boolean): Promise<Submission> {
  const { formRequest, post, answers, clientSubmissionId, visitorPost } = context
  const { ctx, form, request, signer } = formRequest
  const { visit } = visitorPost
  const isOwnPage = !formRequest.isApiClient && visitorPost.isOwnPage
  if (isOwnPage) await recordVisit(formRequest, visit)
  const { doubleOptIn, trustTypedAddresses, refusedDomains } = await ownAccount(ctx)
  const requiresProof = doubleOptIn || context.requiresProof
  const identity = await identifyVisitor(ctx, visit.visitor, trustTypedAddresses && !requiresProof)
  const result = await save(ctx, {
    formId: form.id,
    clientSubmissionId,
    answers,
    contact: knownContact(context, identity),
    attribution: post.attribution,
    touches:
      isOwnPage || !visit.isNew ? await findTouches(ctx, visit.visitor.id) : { first: visit.touch, last: visit.touch },
    complete,
    visitorDetails: {
      // The language of a program is not that of a person.
      observed: formRequest.isApiClient ? undefined : readObserved(request, (name) => textOf(post, name)),
    },
    requiresProof,
    ip: formRequest.ip,
    refusedDomains,
    identity,
  })
  if (context.isOwn) setSessionCookie(request, signer, { form, clientSubmissionId })
  await rememberTypedFields(context, visit.visitor, identity, result)
  return result.submission
}

function textOf({ values }: FormPost, name: string): string | undefined {
  const value = values.get(name)?.[0]
  return value == null ? undefined : String(value)
}

/**
 * Stores the typed contact data in the visitor cookie. The cookie is set for every typed value, because it must not reveal
 * whether the account knows a typed address.
 */
async function rememberTypedFields(
  context: PostContext,
  visitor: Visitor,
  identity: Identity,
  { submission, isCreated, isOwn, isUnproven }: SaveResult,
): Promise<void> {
  const { ctx } = context.formRequest
  const typed = await readTypedFields(ctx, context.questions, context.answers)
  if (Object.keys(typed).length === 0) return
  const contactId = isUnproven ? null : submission.contactId
  const known = hasTypedAddress(context) ? knownContactAfterSave(identity, { contactId, isCreated, isOwn }) : undefined
  context.visitorPost.remember(visitorAfterPost(visitor, { typed, known }, ctx.clock.now()))
}

/** Returns the contact of the browser, if the submission has no contact and the answers contain no address. */
function knownContact({ questions, answers, before }: PostContext, { contactId }: Identity): { id: number } | null {
  if (contactId === null || (before && before.contactId !== null)) return null
  return findAddress(questions, answers) === undefined ? { id: contactId } : null
}

/** Hidden questions do not count: an address in a link does not identify the visitor who follows the link. */
function hasTypedAddress({ questions, answers }: PostContext): boolean {
  const visible = questions.filter(({ type }) => type === 'EMAIL')
  return findAddress(visible, answers) !== undefined
}

/** Returns the first valid e-mail address among the answers. */
function findAddress(questions: readonly Question[], answers: readonly AnswerInput[]): string | undefined {
  for (const question of questions) {
    if (question.contactField !== 'EMAIL') continue
    const values = answers.find(({ questionId }) => questionId === question.id)?.values
    const parsed = values && parseValues(question, values)
    if (parsed && 'values' in parsed && parsed.values[0] !== undefined) return parsed.values[0]
  }
  return undefined
}

function hasValue({ values }: AnswerInput): boolean {
  return values?.some((value) => value.trim() !== '') === true
}

/** Responds to a bot as if the post had succeeded, and stores nothing. */
function fakeSuccess({ formRequest, post, questions, clientSubmissionId }: PostContext): FormResponse {
  const { form, isApiClient } = formRequest
  if (isApiClient) {
    const status = post.complete ? ('COMPLETED' as const) : ('IN_PROGRESS' as const)
    const result = { status, score: '0', bucket: 'COLD' as const, outcomeKey: null, outcomeTitle: null }
    return { status: 200, json: { submission: toSubmissionJson({ clientSubmissionId, ...result }, []) } }
  }
  const next = post.questionId === undefined ? undefined : adjacentQuestion(questions, post.questionId, 1)
  return next && !post.complete ? { location: `?q=${next.id}` } : { status: 200, page: renderOutcomePage(form, null) }
}

/** **Throws** VALIDATION_ERROR if the page showed other words of a consent or terms than those that would be stored. */
function mustBeAsShown({ id, type, version }: Question, { version: shown }: FormPost): void {
  if (isDeclaration(type) && shown !== undefined && shown !== version)
    throw invalid({ [`answers.${id}`]: [otherWords] })
}

/** **Throws** VALIDATION_ERROR if the answer to the question is invalid, or missing but required. */
function mustAcceptAnswer(question: Question, answers: readonly AnswerInput[]): void {
  const { id } = question
  const parsed = parseValues(question, answers.find(({ questionId }) => questionId === id)?.values ?? [])
  if ('problem' in parsed) throw invalid({ [`answers.${id}`]: [parsed.problem] })
  const answered: AnswerMap = new Map(parsed.values.length > 0 ? [[id, parsed]] : [])
  const [missing] = findMissingAnswers([question], answered)
  if (missing) throw invalid({ [`answers.${id}`]: [missing[1]] })
}

/** Renders the page of the first question with an invalid answer; undefined for an error that no page can show. */
async function renderProblemPage(context: PostContext, error: unknown): Promise<string | undefined> {
  if (!(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') return undefined
  const { formRequest, questions, answers, clientSubmissionId } = context
  const { ctx, form } = formRequest
  const details = error.details ?? {}
  const question = visibleQuestions(questions).find(({ id }) => details[`answers.${id}`])
  const [problem] = (question && details[`answers.${question.id}`]) ?? []
  if (!question || problem === undefined) return undefined
  const stored = await readAnswerMap(ctx, await findByClientId(ctx, form.id, clientSubmissionId))
  const posted = answers.find(({ questionId }) => questionId === question.id)?.values
  // What was given to other words is not ticked.
  const values = (problem === otherWords ? [] : (posted ?? stored.get(question.id)?.values ?? [])).filter(
    (value) => value !== '',
  )
  const rejected = { values, fault: faultText(form.texts, problem) }
  return renderQuestionPage({
    form,
    questions,
    question,
    answers: stored,
    rejected,
    hiddenValues: new Map(),
    isContinued: true,
    pass: passOf(formRequest, { visitor: context.visitorPost.visit.visitor, clientSubmissionId }),
  })
}
