import { newCtx, type System } from '../../db/context.ts'
import { endClaim } from './identity.ts'
import { sealTransfer, unsealPass, unsealTransfer } from './pass.ts'
import { passName } from './pass-name.ts'
import { isSameOriginPost, type PageRequest, readTouch, readVisit, setVisitorCookie, type Visit } from './visit.ts'
import type { Visitor } from './visitor.ts'

type Services = Pick<System, 'signer' | 'clock'>

/** The visitor of a POST from a public page, by cookie or by the pass of the page. */
export interface VisitorPost {
  readonly visit: Visit
  /** Whether one of the account's pages on this server sent the POST. */
  readonly isOwnPage: boolean
  /** The submission that the pass names. */
  readonly clientSubmissionId: string | undefined
  /** Remembers the visitor in the browser, unless another site sent the POST. */
  remember(visitor: Visitor): void
  /** Returns the location of the redirect that answers the POST. It transfers the visitor if no cookie could be set. */
  redirect(location: string): string
}

/**
 * Reads the visitor of a POST. A page in a sandbox posts without cookies, and another site can post a pass that it received
 * itself. So a POST with a pass sets no cookie: the redirect does, if the browser is the one to which the page was shown.
 */
export function readVisitorPost(
  request: PageRequest,
  { signer, clock }: Services,
  accountId: number,
  sealed: string | undefined,
): VisitorPost {
  const visit = readVisit(request, signer, accountId)
  const isSameOrigin = isSameOriginPost(request)
  const found = unsealPass(signer, accountId, { sealed, now: clock.now() })
  const pass = found && (visit.isNew || visit.visitor.id === found.visitor.id) ? found : undefined
  let remembered: Visitor | undefined
  return {
    visit: pass && visit.isNew ? { visitor: pass.visitor, isNew: false, touch: readTouch(request, false) } : visit,
    isOwnPage: isSameOrigin || pass !== undefined,
    clientSubmissionId: pass?.clientSubmissionId,
    remember(visitor) {
      if (isSameOrigin) setVisitorCookie(request, signer, visitor)
      else if (pass) remembered = visitor
    },
    redirect: (location) =>
      remembered ? `?${passName}=${sealTransfer(signer, { visitor: remembered, location }, clock.now())}` : location,
  }
}

/**
 * Receives the visitor that a POST transfers: sets the cookie if the browser already has that of the same visitor. Returns the
 * location to redirect to. Returns undefined if the request transfers no visitor.
 */
export function receiveVisitor(
  request: PageRequest,
  { signer, clock }: Services,
  accountId: number,
): string | undefined {
  const sealed = new URLSearchParams(request.querystring).get(passName) ?? undefined
  const transfer = unsealTransfer(signer, accountId, { sealed, now: clock.now() })
  if (!transfer) return undefined
  const { visitor, isNew } = readVisit(request, signer, accountId)
  if (!isNew && !transfer.isExpired && visitor.id === transfer.visitor.id)
    setVisitorCookie(request, signer, transfer.visitor)
  return transfer.location
}

/** Returns the visitor as a contact whose e-mail address the visitor has just confirmed. */
export async function verifyVisitor(
  system: System,
  { visitor }: Visit,
  { accountId, contactId }: { accountId: number; contactId: number },
): Promise<Visitor> {
  await endClaim(newCtx(system, { accountId }), contactId)
  return { ...visitor, known: { contactId, source: 'PROOF' }, typed: null }
}
