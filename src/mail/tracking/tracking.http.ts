import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { type HttpRequest, httpRoute } from '../../kernel/web/http-route.ts'
import { type LinkRef, readClickToken, readOpenToken, readViewToken } from '../messages/message-tokens.ts'
import { renderMessagePage } from '../messages/messages.ts'
import type { ReactionQueue } from './reaction-queue.ts'
import { isBotRequest, type LinkTarget, recordClick, recordOpen, resolveLink } from './tracking.ts'

/** A transparent GIF of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** Cookies that identify a browser as a contact, on the hosts of funnel pages. */
export interface VisitorCookies {
  /** Returns whether a host serves funnel pages and is another one than this server's, so that only it can set cookies. */
  isOwnHost(host: string): boolean
  /** Remembers the browser as the contact whose link it clicked: the click proves access to the mailbox. */
  remember(http: Context, contact: { accountId: number; contactId: number }): Promise<void>
}

interface TrackingServices {
  readonly system: System
  readonly cookies: VisitorCookies
  readonly reactions: ReactionQueue
  readonly targets: LinkTargets
}

type TokenRequest = HttpRequest<{ readonly token: string }>

async function open({ http, params }: TokenRequest, { system, reactions }: TrackingServices): Promise<void> {
  const ref = readOpenToken(system.signer.secret, params.token)
  if (!ref) return
  const ctx = newCtx(system, ref)
  const input = { ...requestOf(http), recipientId: ref.recipientId }
  if (http.method !== 'HEAD')
    await reactions.add(keyOf(ref), 'open', () => record(system, () => recordOpen(ctx, input)))
  http.status = 200
  http.type = 'image/gif'
  http.body = pixel
}

/**
 * Redirects to the target of a link. If the target is a funnel page on another host, redirects to the same link on that host
 * first, because only it can set the visitor cookie.
 */
async function click({ http, params }: TokenRequest, services: TrackingServices): Promise<void> {
  const { system, cookies, reactions } = services
  const ref = readClickToken(system.signer.secret, params.token)
  const ctx = ref && newCtx(system, ref)
  const target = ctx && (await findTarget(ctx, ref, params.token, services))
  if (!target) return
  const { recipientId, accountId } = ref
  const { address, url, contactId } = target
  // Only once: behind a proxy, the host of the request may never be that of the URL.
  const isElsewhere = !http.search && address.hostname !== http.hostname && cookies.isOwnHost(address.hostname)
  const request = requestOf(http)
  if (!isElsewhere && http.method !== 'HEAD') {
    const write = () => record(system, () => recordClick(ctx, { ...request, recipientId, url }))
    const recorded = reactions.add(keyOf(ref), `click ${ref.linkId}`, write)
    if (recorded && contactId !== null && !isBotRequest(request)) {
      await reactions.run(() => record(system, () => cookies.remember(http, { accountId, contactId })))
    }
    await recorded
  }
  http.status = 302
  http.set('Location', isElsewhere ? `${address.origin}${http.path}?there` : address.href)
  http.body = null
  // Setting the body to null has changed the status to 204.
  http.status = 302
}

/** Serves a message as a page. Its content is untrusted, so the page is sandboxed without scripts and same-origin access. */
async function view({ http, params }: TokenRequest, { system }: TrackingServices): Promise<void> {
  const ref = readViewToken(system.signer.secret, params.token)
  if (!ref) return
  const { recipientId } = ref
  const html =
    recipientId === 0n
      ? 'This link belongs to a test message.'
      : await renderMessagePage(newCtx(system, ref), recipientId)
  if (html === undefined) return
  http.set({
    'Content-Security-Policy': 'sandbox allow-popups allow-popups-to-escape-sandbox',
    'X-Content-Type-Options': 'nosniff',
  })
  http.status = 200
  http.type = 'text/html; charset=utf-8'
  http.body = html
}

const link = {
  area: { sandbox: 'allow-popups allow-popups-to-escape-sandbox' },
  methods: ['GET'],
  headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' },
  limiter: 'none',
} as const

/** HEAD requests are not recorded. A token without a valid signature returns 404. Links of deleted messages still redirect. */
export const trackingRoutes = [
  httpRoute('/t/o/:token', { ...link, summary: 'The open pixel of a message.', handle: open }),
  httpRoute('/t/c/:token', {
    ...link,
    summary: 'A tracked link of a message. Redirects to its target.',
    handle: click,
  }),
  // Unlike the others, it costs as much as a page, and a refused reader can try again.
  httpRoute('/t/v/:token', { ...link, limiter: 'visitors', summary: 'A message as a page.', handle: view }),
]

/** Targets without merge fields that were clicked lately, by token, so that a repeated click reads nothing. */
export type LinkTargets = LRUCache<string, LinkTarget>

/** Creates the cache of a process. */
export function newLinkTargets(): LinkTargets {
  return new LRUCache({ max: 5_000, ttl: 10_000, ttlResolution: 1_000 })
}

async function findTarget(
  ctx: Ctx,
  ref: LinkRef,
  token: string,
  { reactions, targets }: TrackingServices,
): Promise<LinkTarget | undefined> {
  const known = targets.get(token)
  if (known) return known
  const target = await reactions.run(() => resolveLink(ctx, ref))
  if (target?.isPlain) targets.set(token, target)
  return target
}

const keyOf = ({ accountId, recipientId }: { accountId: number; recipientId: bigint }) => `${accountId} ${recipientId}`

/** Records an open or a click. Failures are logged only, so that pixel and redirect work nevertheless. */
async function record({ log }: System, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof Refusal)) log.error({ err: error }, 'an open or a click could not be recorded')
  }
}

function requestOf(http: Context): { userAgent: string; isPrefetch: boolean } {
  const purposes = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].map((name) => http.get(name)).join(' ')
  return { userAgent: http.get('user-agent'), isPrefetch: /prefetch|prerender|preview/i.test(purposes) }
}
