import type { Context, Middleware } from 'koa'
import getRawBody from 'raw-body'
import type { System } from '../db/context.ts'
import { plainAddress } from '../kernel/address.ts'
import { type Details, Refusal } from '../kernel/errors.ts'
import type { Limiters } from '../kernel/limiter.ts'
import type { PerMinute } from '../kernel/per-minute.ts'
import { type FormPost, parseFields, parseJson } from './form-page/form-post.ts'
import { contentSecurityPolicy, renderMessagePage } from './form-page/page.ts'
import { type FormRequest, type FormResponse, showForm } from './form-page/show-form.ts'
import { submitForm } from './form-page/submit-form.ts'
import { countPost } from './post-limits.ts'
import { findPublishedForm } from './published-form.ts'

const maxBodyBytes = 256 * 1024

const methods = 'GET, HEAD, POST, OPTIONS'

/** Pages of other sites may read and post forms, but without cookies. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': 'Content-Type, Accept',
  'Access-Control-Expose-Headers': 'Retry-After',
  'Access-Control-Max-Age': '86400',
}

/** An HTTP error response. `title` is the heading of its HTML page. */
class HttpProblem extends Error {
  readonly status: number
  readonly title: string
  readonly details: Details | undefined

  constructor(status: number, title: string, message: string, details?: Details) {
    super(message)
    this.status = status
    this.title = title
    this.details = details
  }
}

/**
 * Serves `/f/<form id>`, the page of a published form. GET returns HTML with one question, or JSON with all of them. POST
 * accepts answers as form fields or as JSON. Drafts, archived forms and unknown IDs return the same 404.
 */
export function formPages(system: System, limiters: Pick<Limiters, 'posts'>, touchLimit: PerMinute): Middleware {
  return async (http, next) => {
    const segment = /^\/f\/([^/]+)$/.exec(http.path)?.[1]
    if (segment === undefined) return next()
    http.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
      Vary: 'Accept, Cookie',
      ...crossOrigin,
    })
    try {
      sendResponse(http, await respond(http, system, { ...limiters, touchLimit }, segment))
    } catch (error) {
      sendProblem(http, system, error)
    }
  }
}

async function respond(
  http: Context,
  system: System,
  limiters: Pick<Limiters, 'posts'> & { readonly touchLimit: PerMinute },
  segment: string,
): Promise<FormResponse | undefined> {
  if (http.method === 'OPTIONS') return undefined
  if (!['GET', 'HEAD', 'POST'].includes(http.method)) {
    http.set('Allow', methods)
    throw new HttpProblem(405, 'Method not allowed', `This page supports ${methods}.`)
  }
  const { signer } = system
  const published = await findPublishedForm(system, segment)
  if (!published) throw notFound()
  const ip = plainAddress(http.ip)
  const formRequest: FormRequest = {
    ...published,
    request: http,
    signer,
    ip,
    isApiClient: isApiClient(http),
    touchLimit: limiters.touchLimit,
  }
  if (http.method !== 'POST') return showForm(formRequest)
  const { accountId, id: formId } = published.form
  const retryAfterSeconds = await countPost(limiters, { accountId, formId, ip })
  if (retryAfterSeconds !== undefined) {
    http.set('Retry-After', String(retryAfterSeconds))
    throw new HttpProblem(
      429,
      'Too many requests',
      `Too many answers were sent. Please try again in ${retryAfterSeconds} seconds.`,
    )
  }
  return submitForm(formRequest, await readPost(http))
}

/** Returns whether the client prefers JSON or sends it. Browsers accept HTML. */
function isApiClient(http: Context): boolean {
  if (http.get('accept').includes('text/html')) return false
  return http.accepts('html', 'json') === 'json' || Boolean(http.is('json', '+json'))
}

async function readPost(http: Context): Promise<FormPost> {
  if (http.get('content-encoding') !== '' && http.get('content-encoding') !== 'identity') throw unsupportedMediaType()
  const kind = http.is('urlencoded', 'json', '+json')
  if (kind === false) throw unsupportedMediaType()
  const body = await getRawBody(http.req, { limit: maxBodyBytes, encoding: 'utf8' })
  if (kind === null || kind === 'urlencoded') return parseFields(body)
  try {
    return parseJson(body)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new HttpProblem(400, 'Invalid request', 'The body must be a JSON object.')
  }
}

function unsupportedMediaType(): HttpProblem {
  return new HttpProblem(
    415,
    'Unsupported content type',
    'The body must be application/x-www-form-urlencoded or application/json, without compression.',
  )
}

function notFound(): HttpProblem {
  return new HttpProblem(404, 'Form not found', 'The form was closed, or the address is wrong.')
}

function sendResponse(http: Context, reply: FormResponse | undefined): void {
  if (!reply) {
    http.status = 204
  } else if ('location' in reply) {
    http.status = 303
    http.set('Location', reply.location)
    http.type = 'text/plain; charset=utf-8'
    http.body = 'See Location.'
  } else if ('page' in reply) {
    http.status = reply.status
    http.type = 'text/html; charset=utf-8'
    http.body = reply.page
  } else {
    http.status = reply.status
    http.body = reply.json
  }
}

function sendProblem(http: Context, system: System, error: unknown): void {
  const { status, title, message, details } = toHttpProblem(error)
  if (status === 503) system.log.error({ err: error }, 'form page failed')
  // The rest of the body is not read, so the connection cannot be reused.
  if (status === 413) http.set('Connection', 'close')
  http.status = status
  if (isApiClient(http)) {
    http.body = { message, ...(details && { details }) }
  } else {
    http.type = 'text/html; charset=utf-8'
    http.body = renderMessagePage(title, message)
  }
}

function toHttpProblem(error: unknown): Pick<HttpProblem, 'status' | 'title' | 'message' | 'details'> {
  if (error instanceof HttpProblem) return error
  if (error instanceof Refusal) {
    if (error.code !== 'VALIDATION_ERROR') return notFound()
    return new HttpProblem(422, 'Invalid answers', error.message.replaceAll('clientSubmissionId', postFieldName), {
      ...toPostFieldNames(error.details),
    })
  }
  const { status } = error as { status?: unknown }
  if (status === 413)
    return new HttpProblem(413, 'Request too large', `The body must have at most ${maxBodyBytes / 1024} kB.`)
  if (status === 400) return new HttpProblem(400, 'Invalid request', 'The request body is incomplete.')
  return new HttpProblem(503, 'Temporarily unavailable', 'Please try again in a moment.')
}

const postFieldName = 'client_submission_id'

/** Converts the names of fields in error details to the names in the HTTP API. */
function toPostFieldNames(details: Details = {}): Details {
  return Object.fromEntries(
    Object.entries(details).map(([field, messages]) => [
      field === 'clientSubmissionId' ? postFieldName : field,
      messages,
    ]),
  )
}
