import type { Attribution } from '../../contacts/index.ts'
import type { Signer } from '../../kernel/web/signer.ts'
import { newVisitor, readAttribution, sealVisitor, toAttributionText, unsealVisitor, type Visitor } from './visitor.ts'

/** 400 days, the longest time that browsers allow. */
const cookieMaxAgeMs = 400 * 24 * 60 * 60 * 1_000

/** The parts of a request to a public page that identify its visitor. Koa's context has all of them. */
export interface PageRequest {
  readonly path: string
  readonly host: string
  readonly querystring: string
  /** Whether the browser uses HTTPS, to this server or to the proxy in front of it. */
  readonly secure: boolean
  readonly cookies: {
    get(name: string): string | undefined
    set(name: string, value: string, options: CookieOptions): unknown
  }
  get(header: string): string
}

interface CookieOptions {
  httpOnly: boolean
  sameSite: 'lax'
  secure: boolean
  maxAge: number
  overwrite: boolean
  path?: string
}

/** A request of a visitor to a public page of an account. */
export interface Visit {
  readonly visitor: Visitor
  /** Whether the browser sent no valid visitor cookie. */
  readonly isNew: boolean
  /** Attribution of this request; empty if the visitor came from another page of the account. */
  readonly touch: Attribution
}

/** Returns the visitor of the account's cookie, or a new one, with the attribution of the request. */
export function readVisit(request: PageRequest, signer: Signer, accountId: number): Visit {
  const stored = unsealVisitor(signer, accountId, request.cookies.get(cookieName(accountId)))
  const isNew = stored === undefined
  return { visitor: stored ?? newVisitor(accountId), isNew, touch: readTouch(request, isNew) }
}

/** Sets the visitor cookie. */
export function setVisitorCookie(request: PageRequest, signer: Signer, visitor: Visitor): void {
  request.cookies.set(cookieName(visitor.accountId), sealVisitor(signer, visitor), {
    httpOnly: true,
    sameSite: 'lax',
    secure: request.secure,
    maxAge: cookieMaxAgeMs,
    overwrite: true,
  })
}

/**
 * Returns whether a POST comes from a page of this host, or from no page at all. Cookies must not be set for other posts,
 * because another site could make a browser post an address of the site's choice.
 */
export function isSameOriginPost(request: Pick<PageRequest, 'get' | 'host'>): boolean {
  const site = request.get('sec-fetch-site')
  if (site !== '') return site === 'same-origin' || site === 'none'
  const origin = request.get('origin')
  return origin === '' || (URL.canParse(origin) && new URL(origin).host === request.host)
}

/** Returns a request as it is if another site sends it: without cookies, and not from a page of this host. */
export function asForeign(request: PageRequest): PageRequest {
  const { path, host, querystring, secure, cookies } = request
  return {
    ...{ path, host, querystring, secure },
    cookies: { get: () => undefined, set: (name, value, options) => cookies.set(name, value, options) },
    get: (header) => (header === 'sec-fetch-site' ? 'cross-site' : request.get(header)),
  }
}

/** Each account has its own cookie, so that no account learns the contacts of another. */
function cookieName(accountId: number): string {
  return `campanile_${accountId}`
}

/** The first visit always has a touch. Later visits have one if the URL or another site's link contains attribution. */
export function readTouch(request: PageRequest, isFirst: boolean): Attribution {
  const fromQuery = readAttribution(new URLSearchParams(request.querystring))
  const referrer = readReferrer(request)
  if (!isFirst && referrer === undefined && Object.keys(fromQuery).length === 0) return {}
  return { ...fromQuery, ...(referrer !== undefined && { referrer }), landing_page: toAttributionText(request.path) }
}

/** Returns the page of another site that linked here, without its query, which may contain private data. */
function readReferrer(request: PageRequest): string | undefined {
  const header = request.get('referer')
  const url = URL.canParse(header) ? new URL(header) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.host === request.host) return undefined
  return toAttributionText(url.origin + url.pathname)
}
