import type { Context } from 'koa'
import { type Ctx, newCtx } from '../../db/context.ts'
import {
  asForeign,
  countPost,
  identifyVisitor,
  isSameOriginPost,
  judgeSignUp,
  parseProof,
  passName,
  proofName,
  readObserved,
  readVisitorPost,
  renderChallengePage,
  type SignUp,
  type SignUpRefusal,
  sealPass,
  type Visit,
  type VisitorPost,
  visitorAfterPost,
  visitors,
} from '../../forms/index.ts'
import { textsIn } from '../../kernel/texts/texts.ts'
import { plainAddress } from '../../kernel/values/address.ts'
import { HttpProblem, type HttpRequest } from '../../kernel/web/http-route.ts'
import { sendMessage } from '../../kernel/web/message-page-response.ts'
import { originsOf } from '../html/csp.ts'
import type { PageForm } from '../html/elements/model.ts'
import { type Faults, type Fields, isHoneypotFilled, sentenceOf, shownFault } from './form-data.ts'
import { pageValues } from './merge-values.ts'
import type { LivePage } from './page-store.ts'
import { readFormFields } from './post-body.http.ts'
import { type PageServices, pageHeaders } from './services.http.ts'
import {
  FormFaultError,
  type PageInput,
  type PageSubmission,
  type PageVisitor,
  readPageInput,
  submitPage,
} from './submission.ts'

/**
 * Handles a POST to a page: an opt-in or a purchase. Redirects a browser (303), or shows the page again with the typed values
 * and the faults (422). Responds to JSON with JSON. If the honeypot field is filled, responds as for a success and stores
 * nothing.
 */
export async function handleSubmission(
  http: Context,
  services: PageServices,
  page: LivePage,
  { readBody, isIsolated }: Pick<HttpRequest, 'readBody' | 'isIsolated'>,
): Promise<void> {
  const { accountId, formId } = page.facts
  const isJson = Boolean(http.is('json'))
  http.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
  const ip = plainAddress(http.ip)
  const seconds = await countPost(services.limiters, { accountId, formId, ip })
  if (seconds !== undefined) {
    http.set('Retry-After', String(seconds))
    throw HttpProblem.ofPage(429, 'wait', { minutes: Math.ceil(seconds / 60) })
  }
  const fields = await readFormFields(http, readBody)
  const form = formOf(page, fields)
  if (isHoneypotFilled(fields)) return respondSuccess(http, page, form, { isJson, isToConfirm: false })
  await submit(http, services, page, { fields, form, isJson, isIsolated, ip })
}

interface ParsedRequest {
  readonly fields: Fields
  readonly form: PageForm | undefined
  readonly isJson: boolean
  readonly isIsolated: boolean
  readonly ip: string
}

async function submit(
  http: Context,
  services: PageServices,
  page: LivePage,
  { fields, form, isJson, isIsolated, ip }: ParsedRequest,
): Promise<void> {
  const { system, limiters } = services
  const { accountId, formId } = page.facts
  const ctx = newCtx(system, { accountId, actor: { kind: 'VISITOR' } })
  const request = parseProof(fields.get(proofName)?.[0])?.challenge.parameters.data.isForeign ? asForeign(http) : http
  const post = readVisitorPost(request, system, accountId, fields.get(passName)?.[0])
  const { visitor } = post.visit
  let result: PageSubmission
  try {
    const input = readPageInput(page, form, fields)
    const signUp = {
      ...{ accountId, formId, ip, email: input.address },
      proof: fields.get(proofName)?.[0],
      canConfirm: input.address !== undefined,
      isForeign: !isSameOriginPost(request),
    }
    const verdict = await judgeSignUp(ctx, limiters, signUp)
    if (verdict.refusal) return refusePost(http, page, fields, { refusal: verdict.refusal, signUp, isJson })
    const { requiresProof } = verdict
    const observed = isJson ? undefined : readObserved(http, (name) => fields.get(name)?.[0])
    result = await store(ctx, services, page, { input, visit: post.visit, ip, observed, requiresProof })
  } catch (error) {
    if (!(error instanceof FormFaultError)) throw error
    if (isJson) throw invalidValues(error)
    const pass = isIsolated ? sealPass(system.signer, { visitor }, system.clock.now()) : undefined
    return showFaults(http, services, page, { fields, form, faults: error.faults, pass })
  }
  const { isToConfirm, submission } = result
  // A form on another site must not identify the browser as a contact. The cookie is always set, so that the response does
  // not reveal whether the address is known.
  post.remember(visitorAfterPost(visitor, result, system.clock.now()))
  respondSuccess(http, page, form, { isJson, isToConfirm, name: submission.clientSubmissionId, post })
}

/** Stores the touches of the visitor and the submission. */
async function store(
  ctx: Ctx,
  { visits }: PageServices,
  page: LivePage,
  post: Pick<PageVisitor, 'ip' | 'observed'> & { input: PageInput; visit: Visit; requiresProof: boolean },
): Promise<PageSubmission> {
  const { accountId, doubleOptIn, trustTypedAddresses } = page.facts
  const { input, ip, observed } = post
  const { visitor, touch } = post.visit
  const requiresProof = doubleOptIn || post.requiresProof
  // The buffer may contain the visit with the attribution of this visitor.
  await visits.flush(accountId)
  await visitors.recordTouches(ctx, [{ visitorId: visitor.id, attribution: touch, at: ctx.clock.now() }])
  const touches = await visitors.findTouches(ctx, visitor.id)
  const identity = await identifyVisitor(ctx, visitor, trustTypedAddresses && !requiresProof)
  return submitPage(ctx, page, input, { identity, touches, ip, observed, requiresProof })
}

/** Responds to a post that the limits refuse: with a page that solves the challenge and sends it again, or with JSON. */
function refusePost(
  http: Context,
  { facts, compiled }: LivePage,
  fields: Fields,
  { refusal, signUp, isJson }: { refusal: SignUpRefusal; signUp: Pick<SignUp, 'canConfirm'>; isJson: boolean },
): void {
  const { message, challenge, retryAfterSeconds } = refusal
  http.set('Retry-After', String(retryAfterSeconds))
  if (!challenge && isJson) throw new HttpProblem(429, 'Please wait', message)
  if (!challenge) throw HttpProblem.ofPage(429, 'wait', { minutes: Math.ceil(retryAfterSeconds / 60) })
  http.status = 429
  if (isJson) {
    http.body = { message, challenge }
    return
  }
  const targets = [...compiled.forms.values()].flatMap(({ action }) => action ?? [])
  const { page, csp } = renderChallengePage(
    textsIn(compiled.language),
    refusal,
    { action: `./${facts.path}`, fields, origins: originsOf(targets) },
    signUp,
  )
  http.set('Content-Security-Policy', csp)
  http.type = 'text/html; charset=utf-8'
  http.body = page
}

/**
 * Returns the submitted form: the one named in the field `form`, or the first that is no order form. **Throws** 409 if the page
 * has another form or other words beside its checkboxes by now.
 */
function formOf({ compiled }: LivePage, fields: Fields): PageForm | undefined {
  const key = fields.get('form')?.[0]
  const form =
    key === undefined ? [...compiled.forms.values()].find(({ product }) => product === null) : compiled.forms.get(key)
  const shown = fields.get('shown')?.[0]
  // What a visitor accepts or agrees to are the words that were shown, not those of another version of the page.
  if ((key !== undefined && !form) || (shown !== undefined && shown !== form?.shown))
    throw HttpProblem.ofPage(409, 'fault.pageChanged')
  return form
}

function respondSuccess(
  http: Context,
  { facts }: LivePage,
  form: PageForm | undefined,
  result: { isJson: boolean; isToConfirm: boolean; name?: string | null; post?: VisitorPost },
): void {
  const { isJson, isToConfirm, name = null, post } = result
  // A purchase must not look like a confirmed address, nor the other way round: the address is confirmed first.
  const kind = isToConfirm ? '=mail' : form?.product ? '=order' : ''
  const thanks = `./${facts.path}?thanks${kind}`
  const target = form?.action ?? (facts.next === null ? thanks : `./${facts.next}`)
  if (isJson) {
    http.body = { message: 'Taken.', next: target, to_confirm: isToConfirm, client_submission_id: name }
    return
  }
  const location = encodeURI(target).replace(/%25([0-9a-f]{2})/gi, '%$1')
  http.set('Location', post?.redirect(location) ?? location)
  http.status = 303
}

function showFaults(
  http: Context,
  { system, geo }: PageServices,
  page: LivePage,
  problem: {
    fields: Fields
    form: PageForm | undefined
    faults: Faults
    pass: string | undefined
  },
): void {
  const { fields, form, pass } = problem
  const texts = textsIn(page.compiled.language)
  const faults = new Map([...problem.faults].map(([name, fault]) => [name, shownFault(texts, fault)]))
  if (!form) {
    const { language } = texts
    sendMessage(http, 422, { language, title: texts.text('fault.title'), sentence: [...faults.values()].join(' ') })
    return
  }
  // Shows only typed values, never stored data of a contact.
  const values = pageValues(page.facts, {
    language: page.compiled.language,
    person: undefined,
    now: system.clock.now(),
    place: () => geo((name) => http.get(name), http.ip),
  })
  http.set({ ...pageHeaders(page), 'Cache-Control': 'no-store' })
  http.status = 422
  http.type = 'text/html; charset=utf-8'
  http.body = page.compiled.render({ values, form: form.key, answers: fields, faults, pass })
}

function invalidValues({ faults }: FormFaultError): HttpProblem {
  const details = Object.fromEntries([...faults].map(([name, fault]) => [name || 'form', [sentenceOf(fault)]]))
  return new HttpProblem(422, 'Please check your answers', 'The submitted values are invalid.', details)
}
