import type { Context, Middleware } from 'koa'
import { newCtx } from '../db/context.ts'
import { identifyVisitor, readVisit, setVisitorCookie, type Visit, type Visitor } from '../forms/index.ts'
import { plainAddress } from '../kernel/address.ts'
import type { Person } from '../kernel/merge-fields.ts'
import { isAhead, isBot } from './bots.ts'
import { type Asked, isPage, readAddress } from './page-address.ts'
import { headersOf, type PagesDoor } from './page-door.http.ts'
import { tagOf } from './page-etag.ts'
import { firstPathOf } from './page-list.ts'
import { takePost } from './page-post.http.ts'
import type { ShownPage } from './page-store.ts'
import { pageValues, personIn, personOf, withTyped } from './page-values.ts'
import { say, sayBroken, sayMissing } from './plain-page.http.ts'

/**
 * The pages of funnels: `/p/<subdomain>/<funnel>/<path>`, or `/<funnel>/<path>` on an account's own host. GET shows one and
 * counts the visit, POST is an opt-in; the funnel alone leads to its first page. What is not there, or not published, is the
 * same plain 404.
 */
export function pages(door: PagesDoor): Middleware {
  return async (http, next) => {
    const asked = readAddress(http.hostname.toLowerCase(), http.path, door.ownHost())
    if (asked === undefined) return next()
    if (asked === 'nowhere') return sayMissing(http)
    if (!['GET', 'HEAD', 'POST'].includes(http.method)) {
      http.set('Allow', 'GET, HEAD, POST')
      http.status = 405
      return
    }
    http.state['route'] = {
      door: 'page',
      path: isPage(asked) ? '/p/:subdomain/:funnel/:path' : '/p/:subdomain/:funnel',
    }
    try {
      await serve(http, door, asked)
    } catch (error) {
      door.system.log.error({ err: error }, 'a page failed')
      sayBroken(http)
    }
  }
}

async function serve(http: Context, door: PagesDoor, asked: Asked): Promise<void> {
  if (!isPage(asked)) return leadToFirst(http, door, asked)
  const page = await door.store.find(asked)
  if (!page) return sayMissing(http)
  if (http.method === 'POST') return takePost(http, door, page)
  const { thanks } = http.query
  if (thanks !== undefined) return say(http, 200, thanks === 'mail' ? checkMail : thanked)
  await show(http, door, page)
}

const thanked = { title: 'Thank you', sentence: 'It has arrived.' }
const checkMail = {
  title: 'Please check your e-mail',
  sentence: 'We have sent you a message. Open the link in it to confirm your address: then you are in.',
}

async function leadToFirst(http: Context, { system }: PagesDoor, asked: Asked): Promise<void> {
  const path = http.method === 'POST' ? undefined : await firstPathOf(system, asked)
  if (path === undefined) return sayMissing(http)
  // What the address says of its reader, and of where they come from, goes along.
  http.set({ Location: `${http.path.replace(/\/$/, '')}/${path}${http.search}`, 'Cache-Control': 'no-cache' })
  http.status = 302
}

async function show(http: Context, door: PagesDoor, page: ShownPage): Promise<void> {
  const { system, geo } = door
  const { facts, compiled } = page
  const arrival = readVisit(http, system.signer, facts.accountId)
  const { known, typed } = arrival.visitor
  const inQuery = http.search === '' ? undefined : personIn(new URLSearchParams(http.querystring))
  const stored = known && compiled.isPersonal ? await storedOf(door, page, arrival.visitor) : undefined
  // What a link says of its reader is laid over what was typed, and both over a contact that was never proven.
  const isOver = stored !== undefined && known?.source !== 'CREATION'
  const values = pageValues(facts, {
    person: isOver ? stored : withTyped(stored, typed, inQuery),
    now: system.clock.now(),
    place: () => geo((name) => http.get(name), http.ip),
  })
  const isCounted = await count(http, door, page, arrival)
  http.set(headersOf(page))
  http.status = 200
  const html = compiled.render({ values })
  if (known || typed || inQuery) http.set('Cache-Control', 'private, no-store')
  else {
    http.set('Cache-Control', isCounted && arrival.isNew ? 'private, no-cache' : 'public, no-cache')
    http.etag = tagOf(page, html)
    if (http.fresh) {
      http.status = 304
      return
    }
  }
  http.type = 'text/html; charset=utf-8'
  http.body = html
}

/** What is stored of the contact that the browser is known as; undefined if that does not hold any more. */
async function storedOf({ system }: PagesDoor, { facts }: ShownPage, visitor: Visitor): Promise<Person | undefined> {
  const ctx = newCtx(system, { accountId: facts.accountId })
  const { contactId } = await identifyVisitor(ctx, visitor, facts.trustTypedAddresses && !facts.doubleOptIn)
  return contactId === null ? undefined : personOf(ctx, contactId)
}

/**
 * Notes the visit, and lets the browser keep who it is; answers whether anybody looks. A HEAD is none; what machines ask
 * for, or browsers before anybody wants it, is kept as theirs. Of too many looks from one address the last are not kept.
 */
async function count(http: Context, door: PagesDoor, { facts }: ShownPage, arrival: Visit): Promise<boolean> {
  if (http.method === 'HEAD') return false
  const isMachine = isBot(http.get('user-agent')) || isAhead((name) => http.get(name))
  const { visitor, isNew, touch } = arrival
  if (isNew && !isMachine) setVisitorCookie(http, door.system.signer, visitor)
  const { accountId, funnelId, stepId } = facts
  if (!door.looks.take(accountId, plainAddress(http.ip))) return !isMachine
  const seen = {
    visitorId: visitor.id,
    contactId: visitor.known?.contactId ?? null,
    isBot: isMachine,
    touch,
    at: door.system.clock.now(),
  }
  await door.visits.add({ accountId, funnelId, stepId, ...seen })
  return !isMachine
}
