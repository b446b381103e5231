import type { Ctx } from '../../db/context.ts'
import { mergeTypedFields, type TypedFields } from './typed-fields.ts'
import type { KnownContact, Visitor } from './visitor.ts'

/** The identity of a browser on a public page. It decides which contact the browser may see and change. */
export interface Identity {
  readonly visitorId: string
  /** The contact that the browser belongs to. Its stored fields may be shown to the browser and changed by it. */
  readonly contactId: number | null
  /** Whether the visitor has confirmed the e-mail address of this contact. */
  readonly isProven: boolean
  /** Whether the account treats every typed address as the visitor's own. */
  readonly trustsTyped: boolean
}

/**
 * Returns the identity of a browser. Its contact is null if the contact no longer exists, if the account no longer trusts
 * typed addresses, or if another browser has typed the address of the contact that this browser created. Runs at most one
 * statement.
 */
export async function identifyVisitor(ctx: Ctx, { id, known }: Visitor, trustsTyped: boolean): Promise<Identity> {
  const anonymous: Identity = { visitorId: id, contactId: null, isProven: false, trustsTyped }
  if (!known || (known.source === 'TRUST' && !trustsTyped)) return anonymous
  const [contact] = await ctx.sql<{ isClaimed: boolean }>`
    SELECT EXISTS (SELECT FROM contact_claim k WHERE k.account_id = c.account_id AND k.contact_id = c.id
      AND k.visitor_id = ${id}) AS "isClaimed"
    FROM contact c WHERE c.account_id = ${ctx.sql.account} AND c.id = ${known.contactId}::int`
  if (!contact || (known.source === 'CREATION' && !contact.isClaimed && !trustsTyped)) return anonymous
  return { ...anonymous, contactId: known.contactId, isProven: known.source === 'PROOF' }
}

/**
 * Returns whether a visitor must still confirm the e-mail address of a contact. `contactId` is undefined for a contact that does
 * not exist yet.
 */
export function mustConfirm(
  requiresProof: boolean,
  identity: Identity | undefined,
  contactId: number | undefined,
): boolean {
  return requiresProof && !(identity?.isProven === true && identity.contactId === contactId)
}

/** Returns the contact of a browser after a save with a typed address; null if the address must still be confirmed. */
export function knownContactAfterSave(
  { contactId: before, isProven, trustsTyped }: Identity,
  { contactId, isCreated, isOwn }: { contactId: number | null; isCreated: boolean; isOwn: boolean },
): KnownContact | null {
  if (contactId === null || !(isCreated || isOwn)) return null
  if (isProven && contactId === before) return { contactId, source: 'PROOF' }
  return { contactId, source: trustsTyped && !isCreated ? 'TRUST' : 'CREATION' }
}

/**
 * Returns the visitor after a post. `known` is undefined if no address was typed. If the typed values of a created contact do
 * not fit into the cookie, the visitor stays unknown: otherwise a page would show whether the address was known before.
 */
export function visitorAfterPost(
  visitor: Visitor,
  { typed: input, known = visitor.known }: { typed: TypedFields; known: KnownContact | null | undefined },
  now: Date,
): Visitor {
  if (known?.source === 'PROOF') return { ...visitor, known, typed: null }
  const { typed, isWhole } = mergeTypedFields(visitor.typed, input, now)
  return { ...visitor, known: known?.source === 'CREATION' && !isWhole ? null : known, typed }
}

/** The browser and the submission that created a contact by typing its address. */
interface ContactClaim {
  readonly visitorId: string
  readonly submissionId: number
}

/** Records the browser and the submission that created a contact. */
export async function claim(tx: Ctx, contactId: number, { visitorId, submissionId }: ContactClaim): Promise<void> {
  await tx.sql`
    INSERT INTO contact_claim (account_id, contact_id, visitor_id, submission_id)
    VALUES (${tx.sql.account}::int, ${contactId}::int, ${visitorId}, ${submissionId}::int)
    ON CONFLICT (account_id, contact_id) DO NOTHING`
}

/** Returns whether this browser or this submission created the contact, and no other browser typed its address since. */
export async function isClaimedBy(
  tx: Ctx,
  contactId: number,
  { visitorId, submissionId }: ContactClaim,
): Promise<boolean> {
  const rows = await tx.sql`
    SELECT 1 FROM contact_claim WHERE account_id = ${tx.sql.account} AND contact_id = ${contactId}::int
      AND (visitor_id = ${visitorId} OR submission_id = ${submissionId}::int)`
  return rows.length > 0
}

/**
 * Deletes the claim on a contact, because its address was confirmed or another browser typed it. The browser that created the
 * contact is anonymous from then on, until it confirms the address.
 */
export async function endClaim(tx: Ctx, contactId: number): Promise<void> {
  await tx.sql`DELETE FROM contact_claim WHERE account_id = ${tx.sql.account} AND contact_id = ${contactId}::int`
}
