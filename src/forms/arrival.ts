import { newCtx, type System } from '../db/context.ts'
import type { Attribution } from '../kernel/attribution.ts'
import type { Signer } from '../kernel/signer.ts'
import { endClaim } from './identify.ts'
import { attributionOf, newVisitor, readVisitor, shortened, type Visitor, writeVisitor } from './visitor.ts'

/** How long a browser keeps who it is, in milliseconds: 400 days, which is the most that browsers allow. */
const cookieLife = 400 * 24 * 60 * 60 * 1_000

/** What of a request tells who is at the door: Koa's context has all of it. */
export interface Door {
  readonly path: string
  readonly host: string
  readonly querystring: string
  /** Whether the browser speaks to us, or to who stands in front of us, by https. */
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

/** A visitor at the door of one account's pages. */
export interface Arrival {
  readonly visitor: Visitor
  /** Whether the browser brought no good cookie. */
  readonly isNew: boolean
  /** Where it came from, where this request tells: empty for who goes on from one page to the next. */
  readonly touch: Attribution
}

/** Who is at the door, by the account's cookie. */
export function arrivalOf(door: Door, signer: Signer, accountId: number): Arrival {
  const known = readVisitor(signer, accountId, door.cookies.get(cookieName(accountId)))
  const visitor = known ?? newVisitor(accountId)
  return { visitor, isNew: known === undefined, touch: touchOf(door, known === undefined) }
}

/** Lets the browser keep who it is. */
export function keepVisitor(door: Door, signer: Signer, visitor: Visitor): void {
  door.cookies.set(cookieName(visitor.accountId), writeVisitor(signer, visitor), {
    httpOnly: true,
    sameSite: 'lax',
    secure: door.secure,
    maxAge: cookieLife,
    overwrite: true,
  })
}

/** Lets the browser be known as a contact from now on, whose address was just proven to be its visitor's own. */
export async function keepProven(
  door: Door,
  system: System,
  whom: { accountId: number; contactId: number },
): Promise<void> {
  const { accountId, contactId } = whom
  const { signer } = system
  if (!signer) throw new Error('Visitors are known where cookies can be signed.')
  const { visitor } = arrivalOf(door, signer, accountId)
  await endClaim(newCtx(system, { accountId }), contactId)
  keepVisitor(door, signer, { ...visitor, known: { contactId, by: 'PROOF' }, typed: null })
}

/**
 * Whether a post comes from a page of this very host, or from no page at all. One that another site makes a browser send
 * is taken as anybody's: it must not make that browser a contact of the other site's choice.
 */
export function isFromOurPage(door: Pick<Door, 'get' | 'host'>): boolean {
  const site = door.get('sec-fetch-site')
  if (site !== '') return site === 'same-origin' || site === 'none'
  const origin = door.get('origin')
  return origin === '' || (URL.canParse(origin) && new URL(origin).host === door.host)
}

/** An account sees its own cookie only: who is a contact of one is nobody to another. */
function cookieName(accountId: number): string {
  return `campanile_${accountId}`
}

/** A first visit always comes from somewhere; later ones do where the address or another site's link says so. */
function touchOf(door: Door, isFirst: boolean): Attribution {
  const said = attributionOf(new URLSearchParams(door.querystring))
  const from = referrerOf(door)
  if (!isFirst && from === undefined && Object.keys(said).length === 0) return {}
  const facts = { ...(from !== undefined && { referrer: from }), landing_page: shortened(door.path) }
  return { ...said, ...facts }
}

/** The page of another site that led here, without its query, which may hold what is nobody's business. */
function referrerOf(door: Door): string | undefined {
  const given = door.get('referer')
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.host === door.host) return undefined
  return shortened(url.origin + url.pathname)
}
