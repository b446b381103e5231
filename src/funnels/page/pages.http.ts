import type { Context } from 'koa'
import { type Person, personById } from '../../contacts/index.ts'
import { newCtx } from '../../db/context.ts'
import {
  identifyVisitor,
  readVisit,
  receiveVisitor,
  setVisitorCookie,
  type Visit,
  type Visitor,
} from '../../forms/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { type PageName, textsIn } from '../../kernel/texts/texts.ts'
import { plainAddress } from '../../kernel/values/address.ts'
import { httpRoute, pageSandbox, sendFresh } from '../../kernel/web/http-route.ts'
import { sendMessage, sendProblem } from '../../kernel/web/message-page-response.ts'
import { isBot, isPrefetch } from '../visits/bots.ts'
import { type FunnelAddress, isPageAddress, parseAddress } from './address.ts'
import { pageEtag } from './etag.ts'
import { isolatedView } from './isolated-view.http.ts'
import { pageValues, personIn, withTyped } from './merge-values.ts'
import type { LivePage } from './page-store.ts'
import { type PageServices, pageHeaders } from './services.http.ts'
import { handleSubmission } from './submission.http.ts'

const row = {
  area: { sandbox: pageSandbox },
  transport: 'page',
  limiter: 'visitors',
  notFound: 'notFound',
  sendProblem,
} as const

/** Unknown and unpublished pages, and those of archived funnels, return the same 404. */
export const pageRoutes = [
  httpRoute('/p/:subdomain/:funnel/:path', {
    ...row,
    summary:
      'A page of a funnel. `POST` is an opt-in or a purchase. Also `/:funnel/:path` on the host `<subdomain>.<host of BASE_URL>`.',
    methods: ['GET', 'POST'],
    maxBodyBytes: 64 * 1024,
    match(http, { ownHost }: PageServices) {
      const address = parseAddress(http.hostname.toLowerCase(), http.path, ownHost)
      return address && isPageAddress(address) ? address : undefined
    },
    async handle({ http, params, readBody, isIsolated }, services) {
      const page = await services.store.find(params)
      if (!page) throw refuse('NOT_FOUND')
      if (http.method === 'POST') return handleSubmission(http, services, page, { readBody, isIsolated })
      const { thanks } = http.query
      if (thanks !== undefined)
        return sendMessage(http, 200, textsIn(page.compiled.language).page(thanksPages.get(String(thanks)) ?? 'thanks'))
      const location = receiveVisitor(http, services.system, page.facts.accountId)
      if (location !== undefined) return redirect(http, location)
      await show(http, services, page, isIsolated)
    },
  }),
  httpRoute('/p/:subdomain/:funnel', {
    ...row,
    summary: 'The address of a funnel. Redirects to its first page. Also `/:funnel` on the host of the account.',
    methods: ['GET', 'POST'],
    match: (http, { ownHost }: PageServices) => parseAddress(http.hostname.toLowerCase(), http.path, ownHost),
    handle: ({ http, params }, services) => redirectToFirstPage(http, services, params),
  }),
  httpRoute('/p/*', {
    ...row,
    summary: 'No page: 404.',
    handle() {
      throw refuse('NOT_FOUND')
    },
  }),
]

/** The pages after a post. No payment is made on a page: its order waits until the account completes it. */
const thanksPages: ReadonlyMap<string, PageName> = new Map([
  ['mail', 'page.checkMail'],
  ['order', 'page.order'],
])

async function redirectToFirstPage(http: Context, { store }: PageServices, address: FunnelAddress): Promise<void> {
  const path = http.method === 'POST' ? undefined : await store.findFirstPath(address)
  if (path === undefined) throw refuse('NOT_FOUND')
  // The query contains merge field values and attribution parameters, so the redirect keeps it.
  redirect(http, `${http.path.replace(/\/$/, '')}/${path}${http.search}`, 'no-cache')
}

function redirect(http: Context, location: string, cacheControl = 'no-store'): void {
  http.set({ Location: location, 'Cache-Control': cacheControl })
  http.status = 302
}

async function show(http: Context, services: PageServices, page: LivePage, isIsolated: boolean): Promise<void> {
  const { system, geo } = services
  const { facts, compiled } = page
  const arrival = readVisit(http, system.signer, facts.accountId)
  const { known, typed } = arrival.visitor
  const inQuery = http.search === '' ? undefined : personIn(new URLSearchParams(http.querystring))
  const stored = known && compiled.isPersonal ? await loadPerson(services, page, arrival.visitor) : undefined
  // Values of the link override typed values. Both override a contact that the browser has only created.
  const isStoredShown = stored !== undefined && known?.source !== 'CREATION'
  const values = pageValues(facts, {
    language: compiled.language,
    person: isStoredShown ? stored : withTyped(stored, typed, inQuery),
    now: system.clock.now(),
    place: () => geo((name) => http.get(name), http.ip),
  })
  const isCounted = await recordVisit(http, services, page, arrival)
  http.set(pageHeaders(page))
  const own = isIsolated ? isolatedView(http, services, page, arrival.visitor) : undefined
  const html = compiled.render({ values, ...own })
  if (known || typed || inQuery || own) {
    http.set('Cache-Control', 'private, no-store')
    http.type = 'text/html; charset=utf-8'
    http.body = html
  } else {
    http.set('Cache-Control', isCounted && arrival.isNew ? 'private, no-cache' : 'public, no-cache')
    sendFresh(http, pageEtag(page, html), 'text/html; charset=utf-8', html)
  }
}

/** Loads the contact of the browser. Returns undefined if the browser is no longer identified as a contact. */
async function loadPerson(
  { system }: PageServices,
  { facts }: LivePage,
  visitor: Visitor,
): Promise<Person | undefined> {
  const ctx = newCtx(system, { accountId: facts.accountId })
  const { contactId } = await identifyVisitor(ctx, visitor, facts.trustTypedAddresses && !facts.doubleOptIn)
  return contactId === null ? undefined : ((await ctx.load(personById, contactId)) ?? undefined)
}

/**
 * Records the visit and sets the visitor cookie. Returns whether a person sees the page. HEAD requests are not recorded.
 * Requests of bots and prefetches are recorded as bots. Visits over the limit per IP address are not recorded.
 */
async function recordVisit(
  http: Context,
  services: PageServices,
  { facts }: LivePage,
  arrival: Visit,
): Promise<boolean> {
  if (http.method === 'HEAD') return false
  const isBotVisit = isBot(http.get('user-agent')) || isPrefetch((name) => http.get(name))
  const { visitor, isNew, touch } = arrival
  if (isNew && !isBotVisit) setVisitorCookie(http, services.system.signer, visitor)
  const { accountId, funnelId, stepId } = facts
  if (!services.looks.take(accountId, plainAddress(http.ip))) return !isBotVisit
  const visit = {
    visitorId: visitor.id,
    contactId: visitor.known?.contactId ?? null,
    isBot: isBotVisit,
    touch,
    at: services.system.clock.now(),
  }
  await services.visits.add({ accountId, funnelId, stepId, ...visit })
  return !isBotVisit
}
