import { randomBytes } from 'node:crypto'
import { type Attribution, type AttributionKey, attributionKeys, attributionLength } from '../../contacts/index.ts'
import type { Signer } from '../../kernel/web/signer.ts'
import type { RememberedFields } from './typed-fields.ts'

/**
 * Reason why a browser belongs to a contact: the browser created the contact, the account trusts typed addresses, or the
 * visitor confirmed the address.
 */
type KnownContactSource = 'CREATION' | 'TRUST' | 'PROOF'

/** The last contact of a browser. `identifyVisitor` checks whether it is still valid. */
export interface KnownContact {
  readonly contactId: number
  readonly source: KnownContactSource
}

/** A browser that visits the pages of an account. */
export interface Visitor {
  readonly accountId: number
  /** 22 random characters. */
  readonly id: string
  /** Null as long as the browser belongs to no contact. */
  readonly known: KnownContact | null
  /** Contact data that was typed in this browser; null if there is none. */
  readonly typed: RememberedFields | null
}

/** Returns a visitor with a random ID. */
export function newVisitor(accountId: number): Visitor {
  return { accountId, id: randomBytes(16).toString('base64url'), known: null, typed: null }
}

const sourceLetters = { CREATION: 'c', TRUST: 't', PROOF: 'p' } as const
const sourceByLetter: Readonly<Record<string, KnownContactSource>> = { c: 'CREATION', t: 'TRUST', p: 'PROOF' }

/**
 * Encrypts a visitor for its cookie. The length must not depend on whether the visitor belongs to a contact, because it would
 * reveal whether the account knows a typed address.
 */
export function sealVisitor(signer: Signer, visitor: Visitor): string {
  return signer.seal(sealPurpose(visitor.accountId), toVisitorText(visitor))
}

/** Returns a visitor as a text to encrypt. Its length does not depend on whether the visitor belongs to a contact. */
export function toVisitorText({ id, known, typed }: Visitor): string {
  const contact = String(known?.contactId ?? 0).padStart(10, '0')
  return `${id}${known ? sourceLetters[known.source] : '-'}${contact}${typed ? JSON.stringify(typed) : ''}`
}

/** Parses the text of a visitor. */
export function parseVisitorText(accountId: number, text: string): Visitor {
  const [id, letter = '', contactId, typed] = [text.slice(0, 22), text[22], Number(text.slice(23, 33)), text.slice(33)]
  const source = sourceByLetter[letter]
  return { accountId, id, known: source ? { contactId, source } : null, typed: typed === '' ? null : JSON.parse(typed) }
}

/** Returns the visitor of a cookie; undefined if the cookie is absent, forged or of another account. */
export function unsealVisitor(signer: Signer, accountId: number, cookie: string | undefined): Visitor | undefined {
  if (cookie === undefined || cookie.length > maxCookieLength) return undefined
  const text = signer.unseal(sealPurpose(accountId), cookie)
  return text === undefined ? undefined : parseVisitorText(accountId, text)
}

/** In characters. A sealed visitor is much shorter. */
const maxCookieLength = 4_096

function sealPurpose(accountId: number): string {
  return `visitor ${accountId}`
}

/**
 * Reads attribution from a query. Values are truncated to the storable length. The referrer and the landing page are ignored,
 * because they come from the request itself.
 */
export function readAttribution(query: URLSearchParams): Attribution {
  const attribution: Partial<Record<AttributionKey, string>> = {}
  for (const key of attributionKeys) {
    if (key === 'referrer' || key === 'landing_page') continue
    const value = toAttributionText(query.get(key) ?? '')
    if (value !== '') attribution[key] = value
  }
  return attribution
}

/** Maximum number of code units that are read of an attribution value. The stored ones have at most two for each character. */
const attributionUnits = 4_096

/** Converts a text to an attribution value: without control characters, and truncated to the storable length. */
export function toAttributionText(value: string): string {
  const start = value.trimStart().slice(0, attributionUnits)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters.
  const storable = start.toWellFormed().replace(/[\u0000-\u001f\u007f]+/g, ' ')
  return [...storable.trim()].slice(0, attributionLength).join('')
}
