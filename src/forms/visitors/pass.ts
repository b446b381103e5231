import type { Signer } from '../../kernel/web/signer.ts'
import { parseVisitorText, toVisitorText, type Visitor } from './visitor.ts'

/** Maximum age of a pass whose visitor keeps its contact, in milliseconds. */
const identityMaxAgeMs = 24 * 60 * 60 * 1_000

/** Maximum age of a transfer that changes the visitor of the browser, in milliseconds. */
const transferMaxAgeMs = 5 * 60 * 1_000

const maxLength = 8_192

/**
 * What a page sends with its own POST. A page in a sandbox needs it, because browsers send the POST of an opaque origin without
 * cookies. A pass proves which page was shown, but not to which browser: its visitor can be one of an attacker's choice.
 */
interface Pass {
  readonly visitor: Visitor
  /** The submission that the page continues. */
  readonly clientSubmissionId?: string | undefined
}

/** Encrypts a pass for a hidden field. */
export function sealPass(signer: Signer, { visitor, clientSubmissionId = '' }: Pass, now: Date): string {
  const text = JSON.stringify([now.getTime(), clientSubmissionId, toVisitorText(visitor)])
  return signer.seal(`pass ${visitor.accountId}`, text)
}

/** Returns the pass of a hidden field; undefined if it is absent, forged or of another account. */
export function unsealPass(
  signer: Signer,
  accountId: number,
  { sealed, now }: { sealed: string | undefined; now: Date },
): Pass | undefined {
  const fields = open(signer, `pass ${accountId}`, sealed)
  if (!fields) return undefined
  const [at, clientSubmissionId, text] = fields
  const visitor = parseVisitorText(accountId, text)
  const isFresh = now.getTime() - at < identityMaxAgeMs
  return {
    visitor: isFresh ? visitor : { ...visitor, known: null, typed: null },
    clientSubmissionId: clientSubmissionId || undefined,
  }
}

/** The visitor after a POST, for the GET that follows: only that has the cookies of the browser. */
interface Transfer {
  readonly visitor: Visitor
  /** Where the GET redirects to. */
  readonly location: string
}

/** Encrypts a transfer for the URL of a redirect. */
export function sealTransfer(signer: Signer, { visitor, location }: Transfer, now: Date): string {
  const text = JSON.stringify([now.getTime(), location, toVisitorText(visitor)])
  return signer.seal(`handover ${visitor.accountId}`, text)
}

/** Returns the transfer of a URL; undefined if it is absent, forged or of another account. */
export function unsealTransfer(
  signer: Signer,
  accountId: number,
  { sealed, now }: { sealed: string | undefined; now: Date },
): (Transfer & { readonly isExpired: boolean }) | undefined {
  const fields = open(signer, `handover ${accountId}`, sealed)
  if (!fields) return undefined
  const [at, location, text] = fields
  return { visitor: parseVisitorText(accountId, text), location, isExpired: now.getTime() - at > transferMaxAgeMs }
}

function open(signer: Signer, purpose: string, sealed: string | undefined): [number, string, string] | undefined {
  if (sealed === undefined || sealed.length > maxLength) return undefined
  const text = signer.unseal(purpose, sealed)
  return text === undefined ? undefined : JSON.parse(text)
}
