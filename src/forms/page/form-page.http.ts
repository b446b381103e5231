import type { Context } from 'koa'
import type { System } from '../../db/context.ts'
import { refuse } from '../../kernel/errors.ts'
import { textsIn } from '../../kernel/texts/texts.ts'
import { plainAddress } from '../../kernel/values/address.ts'
import { namesType, refusesType } from '../../kernel/web/accepted-types.ts'
import { HttpProblem, type HttpRequest, httpRoute, pageSandbox, sendJsonProblem } from '../../kernel/web/http-route.ts'
import { problemPage } from '../../kernel/web/message-page-response.ts'
import type { Absences } from '../../kernel/work/absences.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import type { PerMinute } from '../../kernel/work/view-limiter.ts'
import { countPost } from '../sign-ups/post-limits.ts'
import { type FormPost, parseFields, parseJson } from './form-post.ts'
import { contentSecurityPolicy, renderMessagePage } from './html/page.ts'
import { findPublishedForm } from './published-form.ts'
import { type FormRequest, type FormResponse, showForm } from './show-form.ts'
import { styled } from './styled-form.ts'
import { submitForm } from './submit-form.ts'

/** Pages of other sites may read and post forms, but without cookies. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Accept',
  'Access-Control-Expose-Headers': 'Retry-After',
  'Access-Control-Max-Age': '86400',
}

interface FormServices {
  readonly system: System
  readonly limiters: Pick<Limiters, 'posts'>
  /** Limits the stored touches of a client. */
  readonly looks: PerMinute
  /** Remembers addresses without a form. */
  readonly absences: Absences
}

/** GET returns HTML with one question, or JSON with all of them. POST accepts answers as form fields or as JSON. */
export const formRoutes = [
  httpRoute('/f/:form', {
    area: { sandbox: pageSandbox },
    summary:
      'A published form, as a page or as JSON. `POST` sends answers: all of them, or a part with `complete=false`.',
    methods: ['GET', 'POST', 'OPTIONS'],
    headers: {
      'Content-Security-Policy': contentSecurityPolicy(),
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
      Vary: 'Accept, Accept-Language, Cookie',
      ...crossOrigin,
    },
    limiter: 'visitors',
    maxBodyBytes: 256 * 1024,
    // The same for drafts, archived forms and unknown IDs.
    notFound: 'form.closed',
    async handle(request, services: FormServices) {
      if (request.http.method === 'OPTIONS') request.http.status = 204
      else sendResponse(request.http, await respond(request, request.params.form, services))
    },
    sendProblem,
  }),
]

async function respond(
  { http, readBody, isIsolated }: HttpRequest,
  segment: string,
  { system, limiters, looks, absences }: FormServices,
): Promise<FormResponse> {
  const { signer } = system
  const published = await findPublishedForm(system, absences, segment)
  if (!published) throw refuse('NOT_FOUND')
  const ip = plainAddress(http.ip)
  const isPost = http.method === 'POST'
  if (isPost) {
    const { accountId, id: formId } = published.form
    const retryAfterSeconds = await countPost(limiters, { accountId, formId, ip })
    if (retryAfterSeconds !== undefined) {
      http.set('Retry-After', String(retryAfterSeconds))
      throw HttpProblem.ofPage(429, 'wait', { minutes: Math.ceil(retryAfterSeconds / 60) })
    }
  }
  const isProgram = isApiClient(http)
  const texts = textsIn(published.form.language, http.get('accept-language'))
  const form = isProgram ? { ...published.form, style: '', texts } : await styled(published.ctx, published.form, texts)
  http.set('Content-Security-Policy', contentSecurityPolicy(form.style))
  const formRequest: FormRequest = {
    ...published,
    form,
    request: http,
    signer,
    ip,
    isApiClient: isProgram,
    isIsolated,
    touchLimit: looks,
    limiters,
  }
  return isPost ? submitForm(formRequest, await readPost(http, readBody)) : showForm(formRequest)
}

/** Returns whether the client prefers JSON or sends it. Browsers accept HTML. */
function isApiClient(http: Context): boolean {
  const accept = http.get('accept')
  if (namesType(accept, 'text/html')) return false
  if (http.accepts('html', 'json') === 'json') return true
  return Boolean(http.is('json', '+json')) && !refusesType(accept, 'application/json')
}

async function readPost(http: Context, readBody: HttpRequest['readBody']): Promise<FormPost> {
  const kind = http.is('urlencoded', 'json', '+json')
  if (kind === false || !['', 'identity'].includes(http.get('content-encoding'))) {
    const message = 'The body must be application/x-www-form-urlencoded or application/json, without compression.'
    throw new HttpProblem(415, 'Unsupported content type', message)
  }
  const body = await readBody()
  if (kind === null || kind === 'urlencoded') return parseFields(body)
  try {
    return parseJson(body)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new HttpProblem(400, 'Invalid request', 'The body must be a JSON object.')
  }
}

function sendResponse(http: Context, reply: FormResponse): void {
  if (reply.retryAfterSeconds !== undefined) http.set('Retry-After', String(reply.retryAfterSeconds))
  if ('location' in reply) {
    http.status = 303
    http.set('Location', reply.location)
    http.type = 'text/plain; charset=utf-8'
    http.body = 'See Location.'
  } else if ('page' in reply) {
    if (reply.csp !== undefined) http.set('Content-Security-Policy', reply.csp)
    http.status = reply.status
    http.type = 'text/html; charset=utf-8'
    http.body = reply.page
  } else {
    http.status = reply.status
    http.body = reply.json
  }
}

const postFieldName = 'client_submission_id'

/** Sends an error as JSON or as a page. Details get the names of the fields in the HTTP API. */
function sendProblem(http: Context, problem: HttpProblem): void {
  const { status, title, message, details } = problem
  if (!isApiClient(http)) {
    // The page of an error has the style of the server.
    http.set('Content-Security-Policy', contentSecurityPolicy())
    http.status = status
    http.type = 'text/html; charset=utf-8'
    http.body = renderMessagePage(problemPage(textsIn(http.get('accept-language')), problem))
    return
  }
  const rename = (text: string) => text.replaceAll('clientSubmissionId', postFieldName)
  const renamed = Object.entries(details ?? {}).map(([field, messages]) => [rename(field), messages])
  sendJsonProblem(http, new HttpProblem(status, title, rename(message), details && Object.fromEntries(renamed)))
}
