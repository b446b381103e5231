import type { Ctx } from '../db/context.ts'
import { addTyped, type TypedFields } from './typed.ts'
import type { Known, Visitor } from './visitor.ts'

/** Who saves through a public page, and what that lets it do to a contact. */
export interface Identity {
  readonly visitorId: string
  /** The contact that the browser is known as. Its stored fields may be shown here, and changed from here. */
  readonly contactId: number | null
  /** Whether the address of that contact was proven to be the visitor's own. */
  readonly isProven: boolean
  /** Whether the account takes every address that is typed for the visitor's own. */
  readonly trustsTyped: boolean
}

/**
 * Returns the contact that a browser is known as, if that still holds: the contact exists, the account still trusts typed
 * addresses, and no other browser has typed the address of a contact that this one created. One statement at most.
 */
export async function identify(ctx: Ctx, { id, known }: Visitor, trustsTyped: boolean): Promise<Identity> {
  const nobody: Identity = { visitorId: id, contactId: null, isProven: false, trustsTyped }
  if (!known || (known.by === 'TRUST' && !trustsTyped)) return nobody
  const [contact] = await ctx.sql<{ isClaimed: boolean }>`
    SELECT EXISTS (SELECT FROM contact_claim k WHERE k.account_id = c.account_id AND k.contact_id = c.id
      AND k.visitor_id = ${id}) AS "isClaimed"
    FROM contact c WHERE c.account_id = ${ctx.sql.account} AND c.id = ${known.contactId}::int`
  if (!contact || (known.by === 'CREATION' && !contact.isClaimed && !trustsTyped)) return nobody
  return { ...nobody, contactId: known.contactId, isProven: known.by === 'PROOF' }
}

/** What a save that typed an address makes a browser known as: null if that address is still to be proven. */
export function knownBy(
  { contactId: before, isProven, trustsTyped }: Identity,
  { contactId, isCreated, isOwn }: { contactId: number | null; isCreated: boolean; isOwn: boolean },
): Known | null {
  if (contactId === null || !(isCreated || isOwn)) return null
  if (isProven && contactId === before) return { contactId, by: 'PROOF' }
  return { contactId, by: trustsTyped && !isCreated ? 'TRUST' : 'CREATION' }
}

/**
 * The visitor after a post: `known` is undefined if no address was typed. A contact that this browser created is shown to it
 * with what was typed laid over, so what does not fit into the cookie leaves it unknown: nothing must tell the two apart.
 */
export function afterPost(
  visitor: Visitor,
  { typed: said, known = visitor.known }: { typed: TypedFields; known: Known | null | undefined },
  now: Date,
): Visitor {
  if (known?.by === 'PROOF') return { ...visitor, known, typed: null }
  const { typed, isWhole } = addTyped(visitor.typed, said, now)
  return { ...visitor, known: known?.by === 'CREATION' && !isWhole ? null : known, typed }
}

/** Who created a contact by typing its address: a browser, with the submission that did so. */
interface Claim {
  readonly visitorId: string
  readonly submissionId: number
}

/** Keeps on record who created a contact. */
export async function claim(tx: Ctx, contactId: number, { visitorId, submissionId }: Claim): Promise<void> {
  await tx.sql`
    INSERT INTO contact_claim (account_id, contact_id, visitor_id, submission_id)
    VALUES (${tx.sql.account}::int, ${contactId}::int, ${visitorId}, ${submissionId}::int)
    ON CONFLICT (account_id, contact_id) DO NOTHING`
}

/** Whether all that was typed of a contact came from this browser, or by this submission. */
export async function isClaimedBy(tx: Ctx, contactId: number, { visitorId, submissionId }: Claim): Promise<boolean> {
  const found = await tx.sql`
    SELECT 1 FROM contact_claim WHERE account_id = ${tx.sql.account} AND contact_id = ${contactId}::int
      AND (visitor_id = ${visitorId} OR submission_id = ${submissionId}::int)`
  return found.length > 0
}

/**
 * Ends the claim on a contact: its address was proven, or another browser has typed it. From then on the browser that
 * created the contact is known as nobody until it proves the address.
 */
export async function endClaim(tx: Ctx, contactId: number): Promise<void> {
  await tx.sql`DELETE FROM contact_claim WHERE account_id = ${tx.sql.account} AND contact_id = ${contactId}::int`
}
