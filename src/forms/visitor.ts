import { randomBytes } from 'node:crypto'
import { type Attribution, type AttributionKey, attributionKeys, attributionLength } from '../kernel/attribution.ts'
import type { Signer } from '../kernel/signer.ts'
import type { Typed } from './typed.ts'

/**
 * Why a browser is known as a contact: its opt-in created the contact, the account trusts the addresses that are typed, or
 * the address was proven to be the visitor's own.
 */
export type Knowledge = 'CREATION' | 'TRUST' | 'PROOF'

/** The contact that a browser was last known as. What that is worth now is for `identify` to say. */
export interface Known {
  readonly contactId: number
  readonly by: Knowledge
}

/** A browser that looks at an account's pages. */
export interface Visitor {
  readonly accountId: number
  /** 22 characters, drawn at random. */
  readonly id: string
  /** Null until it is known as a contact. */
  readonly known: Known | null
  /** What was typed in this browser; null until something was. */
  readonly typed: Typed | null
}

/** A visitor who has not been here before. */
export function newVisitor(accountId: number): Visitor {
  return { accountId, id: randomBytes(16).toString('base64url'), known: null, typed: null }
}

const letters = { CREATION: 'c', TRUST: 't', PROOF: 'p' } as const
const knowledge: Readonly<Record<string, Knowledge>> = { c: 'CREATION', t: 'TRUST', p: 'PROOF' }

/**
 * What a visitor's cookie holds, sealed. Whether it names a contact must not be seen, not even by its length: that would
 * tell whoever types an address whether the account knows it.
 */
export function writeVisitor(signer: Signer, { accountId, id, known, typed }: Visitor): string {
  const contact = String(known?.contactId ?? 0).padStart(10, '0')
  const text = `${id}${known ? letters[known.by] : '-'}${contact}${typed ? JSON.stringify(typed) : ''}`
  return signer.seal(aboutOf(accountId), text)
}

/** The visitor of a cookie, or undefined if we did not write it, or not for this account. */
export function readVisitor(signer: Signer, accountId: number, cookie: string | undefined): Visitor | undefined {
  if (cookie === undefined || cookie.length > longestCookie) return undefined
  const text = signer.unseal(aboutOf(accountId), cookie)
  if (text === undefined) return readSigned(signer, accountId, cookie)
  const [id, letter = '', contactId, typed] = [text.slice(0, 22), text[22], Number(text.slice(23, 33)), text.slice(33)]
  const by = knowledge[letter]
  return { accountId, id, known: by ? { contactId, by } : null, typed: typed === '' ? null : JSON.parse(typed) }
}

/**
 * The visitor of a cookie of version 0.1. It keeps its id, and so its first visit. It is not known as the contact that the
 * cookie names: whoever typed an address got such a cookie.
 */
function readSigned(signer: Signer, accountId: number, cookie: string): Visitor | undefined {
  const [, id, contact, signature] = /^([\w-]{22})\.(0|[1-9]\d{0,9})\.([\w-]{43})$/.exec(cookie) ?? []
  if (id === undefined || signature === undefined) return undefined
  const isOurs = signer.isSigned(`visitor ${accountId} ${id} ${contact}`, signature)
  return isOurs ? { accountId, id, known: null, typed: null } : undefined
}

/** Far more than a sealed visitor takes. */
const longestCookie = 4_096

function aboutOf(accountId: number): string {
  return `visitor ${accountId}`
}

/**
 * What an address says of where its reader came from. Values are cut to what is kept, and what cannot be stored is left
 * out; the referrer and the landing page are facts of the request, never of its query.
 */
export function attributionOf(query: URLSearchParams): Attribution {
  const said: Partial<Record<AttributionKey, string>> = {}
  for (const key of attributionKeys) {
    if (key === 'referrer' || key === 'landing_page') continue
    const value = shortened(query.get(key) ?? '')
    if (value !== '') said[key] = value
  }
  return said
}

/** A text as attribution keeps it. */
export function shortened(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const storable = value.toWellFormed().replace(/[\u0000-\u001f\u007f]+/g, ' ')
  return [...storable.trim()].slice(0, attributionLength).join('')
}
