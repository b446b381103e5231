import type { Context } from 'koa'
import { newCtx } from '../db/context.ts'
import {
  countPost,
  identifyVisitor,
  isSameOriginPost,
  readVisit,
  setVisitorCookie,
  visitorAfterPost,
  visitors,
} from '../forms/index.ts'
import { plainAddress } from '../kernel/address.ts'
import { Refusal } from '../kernel/errors.ts'
import type { PageForm } from './page/compile.ts'
import { BodyError, readFields } from './page-body.http.ts'
import { headersOf, type PagesDoor } from './page-door.http.ts'
import { type Fields, isTrapped } from './page-posted.ts'
import { Faulty, type Posted, post } from './page-posting.ts'
import type { ShownPage } from './page-store.ts'
import { pageValues } from './page-values.ts'
import { say, sayMissing, sayWait } from './plain-page.http.ts'

/**
 * Takes a post to a page: an opt-in, or a purchase. A browser is led on (303), or sees the page again with what it typed and
 * what is wrong with it (422); who posts JSON gets JSON. What fills the field that people do not see gets the same answer as
 * a success, and nothing is kept.
 */
export async function takePost(http: Context, door: PagesDoor, page: ShownPage): Promise<void> {
  const { accountId, formId } = page.facts
  const isJson = Boolean(http.is('json'))
  http.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
  const ip = plainAddress(http.ip)
  const seconds = await countPost(door.limiters, { accountId, formId, ip })
  if (seconds !== undefined) {
    if (!isJson) return sayWait(http, seconds)
    http.set('Retry-After', String(seconds))
    return answer(http, 429, { message: `Too many posts: try again in ${seconds} seconds.` })
  }
  try {
    const fields = await readFields(http)
    const form = formOf(page, fields)
    if (isTrapped(fields)) return leadOn(http, page, form, { isJson, isToConfirm: false })
    await take(http, door, page, { fields, form, isJson, ip })
  } catch (error) {
    if (error instanceof BodyError) return refuseBody(http, error, isJson)
    if (error instanceof Refusal) return isJson ? answer(http, 404, { message: error.message }) : sayMissing(http)
    throw error
  }
}

interface Taken {
  readonly fields: Fields
  readonly form: PageForm | undefined
  readonly isJson: boolean
  readonly ip: string
}

async function take(
  http: Context,
  door: PagesDoor,
  page: ShownPage,
  { fields, form, isJson, ip }: Taken,
): Promise<void> {
  const { system, visits } = door
  const { accountId, doubleOptIn, trustTypedAddresses } = page.facts
  const ctx = newCtx(system, { accountId })
  const { visitor, touch } = readVisit(http, system.signer, accountId)
  // What led the visitor here may have been seen a moment ago.
  await visits.flush(accountId)
  await visitors.recordTouches(ctx, [{ visitorId: visitor.id, attribution: touch, at: system.clock.now() }])
  const touches = await visitors.findTouches(ctx, visitor.id)
  const identity = await identifyVisitor(ctx, visitor, trustTypedAddresses && !doubleOptIn)
  let posted: Posted
  try {
    posted = await post(ctx, page, form, fields, { identity, touches, ip })
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    return isJson ? refuseJson(http, error) : showAgain(http, door, page, { fields, form, faults: error.faults })
  }
  const { isToConfirm, submission } = posted
  // A browser that another site makes post this stays who it is: it must not become somebody of that site's choice.
  // Whether the address was known must not be seen, so the cookie is set in any case.
  if (isSameOriginPost(http))
    setVisitorCookie(http, system.signer, visitorAfterPost(visitor, posted, system.clock.now()))
  leadOn(http, page, form, { isJson, isToConfirm, name: submission.clientSubmissionId })
}

/** The form that was posted: the one it names, or, where it names none, the first that sells nothing. */
function formOf({ compiled }: ShownPage, fields: Fields): PageForm | undefined {
  const key = fields.get('form')?.[0]
  if (key !== undefined && compiled.forms.has(key)) return compiled.forms.get(key)
  if (key !== undefined) throw new BodyError(409, 'is of a form that this page has no more')
  return [...compiled.forms.values()].find(({ product }) => product === null)
}

function leadOn(
  http: Context,
  { facts }: ShownPage,
  form: PageForm | undefined,
  { isJson, isToConfirm, name = null }: { isJson: boolean; isToConfirm: boolean; name?: string | null },
): void {
  const thanks = `./${facts.path}?thanks${isToConfirm ? '=mail' : ''}`
  const target = form?.action ?? (facts.next === null ? thanks : `./${facts.next}`)
  if (isJson) {
    answer(http, 200, { message: 'Taken.', next: target, to_confirm: isToConfirm, client_submission_id: name })
    return
  }
  http.set('Location', encodeURI(target).replace(/%25([0-9a-f]{2})/gi, '%$1'))
  http.status = 303
}

function showAgain(
  http: Context,
  { system, geo }: PagesDoor,
  page: ShownPage,
  { fields, form, faults }: { fields: Fields; form: PageForm | undefined; faults: ReadonlyMap<string, string> },
): void {
  if (!form) {
    say(http, 422, { title: 'Something is missing', sentence: [...faults.values()].join(' ') })
    return
  }
  // Only what was typed is shown again: nothing that is stored of anybody.
  const values = pageValues(page.facts, {
    person: undefined,
    now: system.clock.now(),
    place: () => geo((name) => http.get(name), http.ip),
  })
  http.set({ ...headersOf(page), 'Cache-Control': 'no-store' })
  http.status = 422
  http.type = 'text/html; charset=utf-8'
  http.body = page.compiled.render({ values, form: form.key, answers: fields, faults })
}

function refuseJson(http: Context, { faults }: Faulty): void {
  const details = Object.fromEntries([...faults].map(([name, message]) => [name || 'form', [message]]))
  answer(http, 422, { message: 'What was posted breaks a rule.', details })
}

function refuseBody(http: Context, { status, message }: BodyError, isJson: boolean): void {
  // What was not read to its end would be taken for the next request.
  if (status === 413 || status === 415) http.set('Connection', 'close')
  const title = status === 409 ? 'This page has changed' : 'This cannot be read'
  const sentence = status === 409 ? 'Please open it again and send it once more.' : `What was sent ${message}.`
  if (isJson) answer(http, status, { message: `The body ${message}.` })
  else say(http, status, { title, sentence })
}

function answer(http: Context, status: number, body: object): void {
  http.status = status
  http.body = body
}
