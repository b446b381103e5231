import type { Context, Middleware } from 'koa'
import getRawBody from 'raw-body'
import type { System } from '../db/context.ts'
import { plainAddress } from '../kernel/address.ts'
import { type Details, Refusal } from '../kernel/errors.ts'
import type { Limiters } from '../kernel/limiter.ts'
import type { PerMinute } from '../kernel/per-minute.ts'
import { openForm } from './form-door.ts'
import { contentSecurityPolicy, sentencePage } from './form-page/page.ts'
import { type Posted, readFields, readJson } from './form-page/posted.ts'
import { take } from './form-page/take.ts'
import { type Guest, type Reply, show } from './form-page/visit.ts'
import { secondsToWait } from './post-limits.ts'

/** More than the answers of any form that people fill in. */
const longestBody = 256 * 1024

const methods = 'GET, HEAD, POST, OPTIONS'

/** What pages of other sites may do: ask and post as anybody could, without the cookies of this one. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': 'Content-Type, Accept',
  'Access-Control-Expose-Headers': 'Retry-After',
  'Access-Control-Max-Age': '86400',
}

/** A request that is not taken, in words for who sent it. */
class NotTaken extends Error {
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
 * `/f/<form id>`: a published form. GET shows it to a visitor, one question after another, or as JSON to a program; POST
 * takes answers, as fields or as JSON. Drafts, archived forms and those that are not there are the same 404.
 */
export function formPages(system: System, limiters: Pick<Limiters, 'posts'>, looks: PerMinute): Middleware {
  return async (http, next) => {
    const address = /^\/f\/([^/]+)$/.exec(http.path)?.[1]
    if (address === undefined) return next()
    http.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
      Vary: 'Accept, Cookie',
      ...crossOrigin,
    })
    try {
      send(http, await replyTo(http, system, { ...limiters, looks }, address))
    } catch (error) {
      sendFault(http, system, error)
    }
  }
}

async function replyTo(
  http: Context,
  system: System,
  limiters: Pick<Limiters, 'posts'> & { readonly looks: PerMinute },
  address: string,
): Promise<Reply | undefined> {
  if (http.method === 'OPTIONS') return undefined
  if (!['GET', 'HEAD', 'POST'].includes(http.method)) {
    http.set('Allow', methods)
    throw new NotTaken(405, 'This does not work here', `Only ${methods} do.`)
  }
  const { signer } = system
  if (!signer) throw new Error('Forms are shown where cookies can be signed.')
  const open = await openForm(system, address)
  if (!open) throw notFound()
  const ip = plainAddress(http.ip)
  const guest: Guest = { ...open, door: http, signer, ip, isProgram: isProgram(http), looks: limiters.looks }
  if (http.method !== 'POST') return show(guest)
  const { accountId, id: formId } = open.form
  const wait = await secondsToWait(limiters, { accountId, formId, ip })
  if (wait !== undefined) {
    http.set('Retry-After', String(wait))
    throw new NotTaken(429, 'One moment, please', `Too much was sent from here. Please try again in ${wait} seconds.`)
  }
  return take(guest, await readPosted(http))
}

/** A program says that it reads JSON, or writes it; a browser asks for HTML. */
function isProgram(http: Context): boolean {
  if (http.get('accept').includes('text/html')) return false
  return http.accepts('html', 'json') === 'json' || Boolean(http.is('json', '+json'))
}

async function readPosted(http: Context): Promise<Posted> {
  if (http.get('content-encoding') !== '' && http.get('content-encoding') !== 'identity') throw otherType()
  const kind = http.is('urlencoded', 'json', '+json')
  if (kind === false) throw otherType()
  const body = await getRawBody(http.req, { limit: longestBody, encoding: 'utf8' })
  if (kind === null || kind === 'urlencoded') return readFields(body)
  try {
    return readJson(body)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new NotTaken(400, 'This cannot be read', 'The body must be an object of JSON.')
  }
}

function otherType(): NotTaken {
  return new NotTaken(
    415,
    'This cannot be read',
    'The body must be application/x-www-form-urlencoded or application/json, not compressed.',
  )
}

function notFound(): NotTaken {
  return new NotTaken(404, 'There is no such form', 'It may have been closed, or the address may have been mistyped.')
}

function send(http: Context, reply: Reply | undefined): void {
  if (!reply) {
    http.status = 204
  } else if ('location' in reply) {
    http.status = 303
    http.set('Location', reply.location)
    http.type = 'text/plain; charset=utf-8'
    http.body = 'Go on here.'
  } else if ('page' in reply) {
    http.status = reply.status
    http.type = 'text/html; charset=utf-8'
    http.body = reply.page
  } else {
    http.status = reply.status
    http.body = reply.json
  }
}

function sendFault(http: Context, system: System, error: unknown): void {
  const { status, title, message, details } = faultOf(error)
  if (status === 503) system.log.error({ err: error }, 'a form could not be served')
  // A body that nobody reads any more holds the connection up.
  if (status === 413) http.set('Connection', 'close')
  http.status = status
  if (isProgram(http)) {
    http.body = { message, ...(details && { details }) }
  } else {
    http.type = 'text/html; charset=utf-8'
    http.body = sentencePage(title, message)
  }
}

function faultOf(error: unknown): Pick<NotTaken, 'status' | 'title' | 'message' | 'details'> {
  if (error instanceof NotTaken) return error
  if (error instanceof Refusal) {
    if (error.code !== 'VALIDATION_ERROR') return notFound()
    return new NotTaken(422, 'This cannot be taken', error.message.replaceAll('clientSubmissionId', nameOutside), {
      ...renamed(error.details),
    })
  }
  const { status } = error as { status?: unknown }
  if (status === 413) return new NotTaken(413, 'This is too long', `There may be ${longestBody / 1024} kB at most.`)
  if (status === 400) return new NotTaken(400, 'This cannot be read', 'The request broke off.')
  return new NotTaken(503, 'This did not work', 'Please try again in a moment.')
}

const nameOutside = 'client_submission_id'

/** The names of what was sent, as they are outside. */
function renamed(details: Details = {}): Details {
  return Object.fromEntries(
    Object.entries(details).map(([field, messages]) => [
      field === 'clientSubmissionId' ? nameOutside : field,
      messages,
    ]),
  )
}
