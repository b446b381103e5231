import type { Contact } from '../../../prisma/generated/client/client.ts'
import { use } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Refusal, refuseValue } from '../../kernel/errors.ts'
import { check, checkAt, sent } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { ConsentSource, consentChanges, isWithdrawn, recordAll } from '../consents/consents.ts'
import { type CustomFieldInput, setAll } from '../custom-fields/custom-field-values.ts'
import { ports } from '../ports.ts'
import { announceCreated, announceUpdated } from '../record/change-log.ts'
import { ContactChange, type Details, NewContact } from '../record/contact-details.ts'
import { type ContactRef, contactColumns, lock } from '../record/contact-lookup.ts'
import { type ContactChanges, changesOf } from '../record/regional.ts'
import { addAll } from '../tags/contact-tags.ts'
import { optOutAll, removeAll } from './batch-changes.ts'
import { insertRows, updateLocked, updateRows } from './contact-rows.ts'

type Nullish<Shape> = { [Key in keyof Shape]?: Shape[Key] | null | undefined }

/** Fields of a contact. A field that is absent or null keeps its value, or has its default in a new contact. */
type ContactDetails = Nullish<Details>

/** Records to link to a contact in the same operation. Tags and sequences are added, never removed. */
export interface ContactLinks {
  addTagIds?: readonly (string | number)[] | null | undefined
  addSequenceIds?: readonly (string | number)[] | null | undefined
  customFields?: readonly CustomFieldInput[] | null | undefined
  consent?: Nullish<ConsentSource> | null | undefined
}

type ContactInput = ContactDetails & ContactLinks & { email: string }

/** What a change must not overwrite, for a sender who has not proven to own the e-mail address. */
export interface KeepOptions {
  /** Keeps fields that are not empty. */
  readonly keepsFields?: boolean
  /** Keeps a withdrawal of the consent to e-mail marketing. */
  readonly keepsWithdrawal?: boolean
}

/**
 * Creates a contact. Skips unknown tags, unknown sequences and sequences without stages.
 *
 * **Emits** `contact.created`. **Throws** CONTACT_EXISTS if a contact of the account has the e-mail address in
 * any of its spellings, VALIDATION_ERROR and QUOTA_EXCEEDED.
 */
export async function create(ctx: Ctx, input: ContactInput): Promise<{ contact: Contact }> {
  const details = check(NewContact, sent(input))
  return inTransaction(ctx, async (tx) => {
    const contact = await insert(tx, details)
    if (!contact) throw emailTaken(details.email)
    await finishCreation(tx, contact, input)
    return { contact }
  })
}

/**
 * Creates a contact, or updates the contact that has the e-mail address. Concurrent calls for one address create one
 * contact. `keep` applies to an existing contact.
 *
 * **Emits** `contact.created`, or the events of `update`. **Throws** VALIDATION_ERROR and QUOTA_EXCEEDED.
 */
export async function upsert(
  ctx: Ctx,
  input: ContactInput,
  keep: KeepOptions = {},
): Promise<{ contact: Contact; created: boolean }> {
  const details = check(NewContact, sent(input))
  return inTransaction(ctx, async (tx) => {
    for (;;) {
      // An insert that meets the contact would cost an id and more than this lookup.
      const [existing] = await tx.sql<Contact>`
        SELECT ${contactColumns} FROM contact c
        WHERE c.account_id = ${tx.sql.account} AND address_key(c.email) = address_key(${details.email}) FOR UPDATE`
      if (existing) {
        const { email: _email, ...change } = details
        const contact = await applyChange(tx, existing, await withoutKept(tx, existing, change, keep), input)
        return { contact, created: false }
      }
      // A concurrent call may create the contact first. The loop then finds it, unless it is deleted again.
      const inserted = await insert(tx, details)
      if (!inserted) continue
      await finishCreation(tx, inserted, input)
      return { contact: inserted, created: true }
    }
  })
}

/**
 * Updates a contact. Fields that are absent, null or protected by `keep` stay unchanged. If the change withdraws the
 * consent to e-mail marketing, the contact leaves all sequences.
 *
 * **Emits** `contact.updated` if a field changes, and `contact.unsubscribed` or `contact.resubscribed` if the consent to
 * e-mail marketing changes. **Throws** NOT_FOUND, VALIDATION_ERROR, and CONTACT_EXISTS if another contact has the address.
 */
export async function update(
  ctx: Ctx,
  input: ContactDetails & ContactLinks & { contact: ContactRef; email?: string | null | undefined },
  keep: KeepOptions = {},
): Promise<{ contact: Contact }> {
  const { contact: ref, ...rest } = input
  const change = check(ContactChange, sent(rest))
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, ref)
    return { contact: await applyChange(tx, before, await withoutKept(tx, before, change, keep), rest) }
  })
}

/**
 * Withdraws a contact's consent to e-mail marketing and removes the contact from all sequences. Idempotent.
 *
 * **Emits** `contact.updated` and `contact.unsubscribed` if the consent changes. **Throws** NOT_FOUND.
 */
export async function unsubscribe(
  ctx: Ctx,
  input: { contact: ContactRef } & ContactLinks,
): Promise<{ contact: Contact }> {
  return inTransaction(ctx, async (tx) => ({
    contact: await optOut(tx, await lock(tx, input.contact), input),
  }))
}

async function optOut(tx: Ctx, before: Contact, { consent }: ContactLinks): Promise<Contact> {
  await optOutAll(tx, [before], checkAt('consent', ConsentSource, sent(consent ?? {})))
  return lock(tx, { id: before.id })
}

interface RemoveResult {
  databaseId: number
  deleted: boolean
  /** Why the contact was kept. Null if it was deleted. */
  reason: string | null
  contact: Contact | null
}

/**
 * Deletes a contact with its tags, custom field values and consents. Statistics do not change: its messages, enrolments,
 * submissions and visits stay with its bare id and without personal values. A contact that orders or transactions refer to
 * is kept and unsubscribed instead.
 *
 * **Emits** `contact.deleted`, or the events of `unsubscribe`. **Throws** NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { contact: ContactRef }): Promise<RemoveResult> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const databaseId = contact.id
    const reasons = await removeAll(tx, [contact], ConsentSource.parse({}))
    const reason = reasons.get(databaseId) ?? null
    const kept = reason === null ? null : await lock(tx, { id: databaseId })
    return { databaseId, deleted: kept === null, reason, contact: kept }
  })
}

/** Inserts a contact. Returns undefined if the address exists. */
async function insert(tx: Ctx, details: NewContact): Promise<Contact | undefined> {
  const [contact] = await insertRows<Contact>(tx, [details], contactColumns)
  return contact
}

/** Writes the records of a new contact. Takes the quota last, because its row lock blocks all other creations. */
async function finishCreation(tx: Ctx, contact: Contact, links: ContactInput): Promise<void> {
  const given = { emailMarketing: contact.emailMarketing || undefined, gdpr: contact.gdpr || undefined }
  await recordAll(tx, consentChanges(contact.id, given), checkAt('consent', ConsentSource, sent(links.consent ?? {})))
  await ports.linkByAddress(tx, [contact.id])
  await announceCreated(tx, [contact.id])
  await addLinks(tx, contact.id, links)
  await use(tx, 'contacts', 1)
}

/** Returns a change without the fields that the options keep. The contact's row is locked. */
async function withoutKept(
  tx: Ctx,
  before: Contact,
  change: ContactChange,
  { keepsFields = false, keepsWithdrawal = false }: KeepOptions,
): Promise<ContactChange> {
  const isKept = async (key: string) => {
    const value = before[key as keyof Contact]
    if (keepsFields && key === 'observed') return true
    if (keepsFields && typeof value === 'string' && value !== '') return true
    return keepsWithdrawal && key === 'emailMarketing' && value === false && (await isWithdrawn(tx, before.id))
  }
  const remaining: [string, unknown][] = []
  for (const entry of Object.entries(change)) if (!(await isKept(entry[0]))) remaining.push(entry)
  return Object.fromEntries(remaining)
}

/** Applies a change to a contact whose row is locked: the row, consents, sequences, events and links. */
async function applyChange(tx: Ctx, before: Contact, change: ContactChange, links: ContactLinks): Promise<Contact> {
  const changed = changesOf(before, change)
  const contact = Object.keys(changed).length === 0 ? before : await updateRow(tx, before, changed)
  await recordAll(tx, consentChanges(contact.id, changed), checkAt('consent', ConsentSource, sent(links.consent ?? {})))
  if (changed.emailMarketing === false) await ports.leaveAll(tx, [contact.id])
  if (changed.email !== undefined) await ports.linkByAddress(tx, [contact.id])
  await announceUpdated(tx, [{ before, changed }])
  await addLinks(tx, contact.id, links)
  return contact
}

async function updateRow(tx: Ctx, before: Contact, changed: ContactChanges): Promise<Contact> {
  const { email, ...details } = changed
  // Only a change of the address can fail.
  if (email === undefined) return updateLocked(tx, before, details)
  try {
    const [contact] = await updateRows<Contact>(tx, [{ ...changed, id: before.id }], contactColumns)
    return contact as Contact
  } catch (error) {
    const uniqueViolation = '23505'
    if ((error as { code?: string }).code === uniqueViolation) throw emailTaken(changed.email)
    throw error
  }
}

function emailTaken(address: string | undefined): Refusal {
  return refuseValue('email', 'CONTACT_EXISTS', `A contact with the e-mail address ${address} already exists.`)
}

async function addLinks(
  tx: Ctx,
  contactId: number,
  { addTagIds, addSequenceIds, customFields }: ContactLinks,
): Promise<void> {
  if (addTagIds)
    await addAll(
      tx,
      [contactId],
      addTagIds.map((id) => idOf('Tag', id, 'addTagIds')),
      'addTagIds',
    )
  if (customFields) await setAll(tx, contactId, customFields, 'customFields')
  if (addSequenceIds)
    await ports.enrol(
      tx,
      contactId,
      addSequenceIds.map((id) => idOf('Sequence', id, 'addSequenceIds')),
      'addSequenceIds',
    )
}
