import type { Contact } from '../../../prisma/generated/client/client.ts'
import { use } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { emitAll } from '../../events/index.ts'
import { type ConsentSource, consentChanges, recordAll, withdrawnAmong } from '../consents/consents.ts'
import { ports } from '../ports.ts'
import { announceUpdated } from '../record/change-log.ts'
import type { Details } from '../record/contact-details.ts'
import { changesOf } from '../record/regional.ts'
import { updateRows } from './contact-rows.ts'
import { keepCounted } from './figures.ts'

/** New fields of a contact whose row is locked. */
interface DetailsChange {
  readonly before: Contact
  readonly details: Details
}

/**
 * Updates the fields of contacts that differ. Contacts whose consent to e-mail marketing is withdrawn leave all sequences.
 * Returns the ids of the contacts that changed.
 *
 * **Emits** the events of `contacts.update`.
 */
export async function updateDetails(
  tx: Ctx,
  given: readonly DetailsChange[],
  consent: ConsentSource,
): Promise<ReadonlySet<number>> {
  const changes = given.flatMap(({ before, details }) => {
    const changed = changesOf(before, details)
    return Object.keys(changed).length > 0 ? [{ contactId: before.id, before, changed }] : []
  })
  await updateRows(
    tx,
    changes.map(({ contactId, changed }) => ({ id: contactId, ...changed })),
    sql`c.id`,
  )
  await recordAll(
    tx,
    changes.flatMap(({ contactId, changed }) => consentChanges(contactId, changed)),
    consent,
  )
  const withdrawn = changes.filter(({ changed }) => changed.emailMarketing === false)
  if (withdrawn.length > 0) await ports.leaveAll(tx, withdrawn.map(toContactId))
  await announceUpdated(tx, changes)
  return new Set(changes.map(toContactId))
}

/**
 * Unsubscribes contacts whose rows are locked. Records the withdrawal also for a contact that never gave the consent, so that
 * `isWithdrawn` is true for it. Returns the ids of the contacts that changed or left a sequence.
 *
 * **Emits** the events of `contacts.unsubscribe`.
 */
export async function optOutAll(
  tx: Ctx,
  contacts: readonly Contact[],
  consent: ConsentSource,
): Promise<ReadonlySet<number>> {
  const left = await ports.leaveAll(tx, contacts.map(toId))
  const recorded = await recordRefusals(tx, contacts, consent)
  const changes = contacts.map((before) => ({ before, details: { emailMarketing: false } }))
  const changed = await updateDetails(tx, changes, consent)
  return new Set([...left, ...recorded, ...changed])
}

/**
 * Records that those of the contacts refused marketing e-mail that do not have the consent and did not withdraw it before.
 * Returns their ids.
 */
export async function recordRefusals(tx: Ctx, contacts: readonly Contact[], consent: ConsentSource): Promise<number[]> {
  const without = contacts.filter(({ emailMarketing }) => !emailMarketing).map(toId)
  const withdrawn = without.length > 0 ? await withdrawnAmong(tx, without) : new Set()
  const recorded = without.filter((id) => !withdrawn.has(id))
  await recordAll(
    tx,
    recorded.map((contactId) => ({ contactId, kind: 'EMAIL_MARKETING', granted: false })),
    consent,
  )
  return recorded
}

/**
 * Deletes contacts whose rows are locked, as `contacts.remove` describes. A contact that orders or transactions refer to is
 * kept and unsubscribed. Returns the reasons by the ids of the contacts that were kept.
 *
 * **Emits** `contact.deleted`, or the events of `optOutAll`.
 */
export async function removeAll(
  tx: Ctx,
  contacts: readonly Contact[],
  consent: ConsentSource,
): Promise<ReadonlyMap<number, string>> {
  const reasons = await ports.reasonsToKeep(tx, contacts.map(toId))
  const kept = contacts.filter(({ id }) => reasons.has(id))
  const removed = contacts.filter(({ id }) => !reasons.has(id)).map(toId)
  if (kept.length > 0) await optOutAll(tx, kept, consent)
  if (removed.length > 0) await removeLocked(tx, removed)
  return reasons
}

/** Deletes contacts whose rows are locked, and redacts what statistics count. **Emits** `contact.deleted`. */
export async function removeLocked(tx: Ctx, ids: readonly number[]): Promise<void> {
  await ports.redact(tx, ids)
  await removeRows(tx, ids)
}

/** Deletes the rows of contacts, with their tags, custom field values and consents. **Emits** `contact.deleted`. */
export async function removeRows(tx: Ctx, ids: readonly number[]): Promise<void> {
  await keepCounted(tx, ids)
  await tx.sql`DELETE FROM contact WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[])`
  await emitAll(
    tx,
    'contact.deleted',
    ids.map((contactId) => ({ contactId })),
  )
  await use(tx, 'contacts', -ids.length)
}

const toId = ({ id }: Contact) => id
const toContactId = ({ contactId }: { contactId: number }) => contactId
