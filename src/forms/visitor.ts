import { randomBytes } from 'node:crypto'
import { type Attribution, type AttributionKey, attributionKeys, attributionLength } from '../kernel/attribution.ts'
import type { Signer } from '../kernel/signer.ts'

/** A browser that looks at an account's pages; the contact is set once it has told who it is. */
export interface Visitor {
  readonly accountId: number
  /** 22 characters, drawn at random. */
  readonly id: string
  readonly contactId: number | null
}

/** A visitor who has not been here before. */
export function newVisitor(accountId: number): Visitor {
  return { accountId, id: randomBytes(16).toString('base64url'), contactId: null }
}

/** What a visitor's cookie holds: who it is, signed, so that nobody can say to be another contact. */
export function writeVisitor(signer: Signer, visitor: Visitor): string {
  const { id, contactId } = visitor
  return `${id}.${contactId ?? 0}.${signer.sign(signed(visitor))}`
}

/** The visitor of a cookie, or undefined where we did not write it, or not for this account. */
export function readVisitor(signer: Signer, accountId: number, cookie: string | undefined): Visitor | undefined {
  const [, id, contact, signature] = /^([\w-]{22})\.(0|[1-9]\d{0,9})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
  if (id === undefined || contact === undefined || signature === undefined) return undefined
  const visitor = { accountId, id, contactId: contact === '0' ? null : Number(contact) }
  return signer.isSigned(signed(visitor), signature) ? visitor : undefined
}

function signed({ accountId, id, contactId }: Visitor): string {
  return `visitor ${accountId} ${id} ${contactId ?? 0}`
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
