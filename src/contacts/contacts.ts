import { z } from 'zod'
import type { Contact } from '../../prisma/generated/client/client.ts'
import { use } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { check, email, sent, text } from '../kernel/check.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { ConsentSource, isWithdrawn, record } from './consents.ts'
import { type FieldInput, setAll } from './contact-fields.ts'
import { type ContactRef, contactColumns, lock } from './contact-list.ts'
import { addAll } from './contact-tags.ts'
import { ports } from './ports.ts'

const details = z
  .object({
    firstName: text(255),
    lastName: text(255),
    phone: text(64),
    companyName: text(255),
    city: text(255),
    country: text(255),
    emailMarketing: z.boolean(),
    gdpr: z.boolean(),
  })
  .partial()
/** The rules for what a new contact has. */
export const NewContact = details.extend({ email })
const ContactChange = details.extend({ email: email.optional() })

type Given<Shape> = { [Key in keyof Shape]?: Shape[Key] | null | undefined }

/** What a client can say of a contact; a field that is absent or null is left as it is, or at its default. */
export type ContactDetails = Given<z.output<typeof details>>

/** What a client can hang onto a contact in the same breath: tags and sequences are added, never removed. */
export interface ContactLinks {
  tagIds?: readonly (string | number)[] | null | undefined
  sequenceIds?: readonly (string | number)[] | null | undefined
  customFields?: readonly FieldInput[] | null | undefined
  consent?: Given<ConsentSource> | null | undefined
}

export type ContactInput = ContactDetails & ContactLinks & { email: string }

/** What a change leaves alone because nobody has proven that the address is theirs. */
export interface Reserve {
  /** Fields that have a value. */
  readonly keepsFields?: boolean
  /** A consent to e-mail marketing that was withdrawn. */
  readonly keepsWithdrawal?: boolean
}

/**
 * Adds a contact. Unknown tags, unknown sequences and sequences without stages are skipped.
 *
 * Announces `contact.created`. Fails with CONTACT_EXISTS where the account has the address in whatever case, with
 * VALIDATION_ERROR, and with QUOTA_EXCEEDED.
 */
export async function create(ctx: Ctx, input: ContactInput): Promise<{ contact: Contact }> {
  const given = check(NewContact, sent(input))
  return inTransaction(ctx, async (tx) => {
    const contact = await insert(tx, given)
    if (!contact) throw refuse('CONTACT_EXISTS', `A contact with the e-mail address ${given.email} exists already.`)
    await settle(tx, contact, input)
    return { contact }
  })
}

/**
 * Adds a contact, or changes the one that has the address: only what is sent. However many do so at once, one contact
 * comes of it. `reserve` leaves alone what an existing contact has.
 *
 * Announces `contact.created` or what `update` announces. Fails with VALIDATION_ERROR and QUOTA_EXCEEDED.
 */
export async function upsert(
  ctx: Ctx,
  input: ContactInput,
  reserve: Reserve = {},
): Promise<{ contact: Contact; created: boolean }> {
  const given = check(NewContact, sent(input))
  return inTransaction(ctx, async (tx) => {
    for (;;) {
      const inserted = await insert(tx, given)
      if (inserted) {
        await settle(tx, inserted, input)
        return { contact: inserted, created: true }
      }
      // Someone has the address; unless that contact is deleted in this very moment, it is there to be locked.
      const [existing] = await tx.sql<Contact>`
        SELECT ${contactColumns} FROM contact c
        WHERE c.account_id = ${tx.sql.account} AND lower(c.email) = lower(${given.email}) FOR UPDATE`
      if (!existing) continue
      const { email: _address, ...change } = given
      return {
        contact: await apply(tx, existing, await reserved(tx, existing, change, reserve), input),
        created: false,
      }
    }
  })
}

/**
 * Changes a contact: only what is sent, and of that not what `reserve` leaves alone. A contact whose marketing consent is
 * withdrawn by this leaves all sequences; one that had not consented before keeps them.
 *
 * Announces `contact.updated` where something changed, and `contact.unsubscribed` or `contact.resubscribed` with the
 * marketing consent. Fails with NOT_FOUND, VALIDATION_ERROR, and CONTACT_EXISTS for an address that another contact has.
 */
export async function update(
  ctx: Ctx,
  input: ContactDetails & ContactLinks & { contact: ContactRef; email?: string | null | undefined },
  reserve: Reserve = {},
): Promise<{ contact: Contact }> {
  const { contact: ref, ...rest } = input
  const change = check(ContactChange, sent(rest))
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, ref)
    return { contact: await apply(tx, before, await reserved(tx, before, change, reserve), rest) }
  })
}

/**
 * Takes a contact out of all e-mail marketing and all sequences, whatever its consent was before. Safe to repeat. Announces `contact.unsubscribed` if the consent has changed. Fails with NOT_FOUND.
 */
export async function unsubscribe(
  ctx: Ctx,
  input: { contact: ContactRef } & ContactLinks,
): Promise<{ contact: Contact }> {
  return inTransaction(ctx, async (tx) => ({
    contact: await optOut(tx, await lock(tx, input.contact), { consent: input.consent }),
  }))
}

/**
 * Ends marketing and all sequences of a contact whose row is locked. Keeps on record that e-mail marketing was refused, also by
 * a contact that had never agreed to it.
 */
async function optOut(tx: Ctx, before: Contact, links: ContactLinks): Promise<Contact> {
  await ports.leaveAll(tx, [before.id])
  if (!before.emailMarketing && !(await isWithdrawn(tx, before.id))) {
    await record(tx, before.id, { EMAIL_MARKETING: false }, check(ConsentSource, sent(links.consent ?? {})))
  }
  return apply(tx, before, { emailMarketing: false }, links)
}

export interface Removed {
  databaseId: number
  deleted: boolean
  /** Why the contact was kept. */
  reason: string | null
  contact: Contact | null
}

/**
 * Deletes a contact with everything that belongs to it alone. Figures do not change: its messages, enrolments, submissions
 * and visits stay with its bare id and without personal values. One that other records need (orders, transactions) is kept
 * and unsubscribed instead. Emits `contact.deleted`, or `contact.unsubscribed`. Throws NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { contact: ContactRef }): Promise<Removed> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const databaseId = contact.id
    const reason = await ports.mayDelete(tx, databaseId)
    if (reason !== undefined) {
      const kept = await optOut(tx, contact, {})
      return { databaseId, deleted: false, reason, contact: kept }
    }
    await ports.redact(tx, databaseId)
    await tx.db.contact.delete({ where: { accountId_id: { accountId: tx.accountId, id: databaseId } } })
    await emit(tx, 'contact.deleted', { contactId: databaseId })
    await use(tx, 'contacts', -1)
    return { databaseId, deleted: true, reason: null, contact: null }
  })
}

/** The new row, or undefined where the address is taken. Waits for whoever is adding the same address at this moment. */
async function insert(tx: Ctx, given: z.output<typeof NewContact>): Promise<Contact | undefined> {
  const now = tx.clock.now()
  const [contact] = await tx.sql<Contact>`
    INSERT INTO contact AS c (account_id, email, first_name, last_name, phone, company_name, city, country, email_marketing,
      gdpr, created_at, updated_at)
    VALUES (${tx.sql.account}::int, ${given.email}, ${given.firstName ?? ''}, ${given.lastName ?? ''}, ${given.phone ?? ''},
      ${given.companyName ?? ''}, ${given.city ?? ''}, ${given.country ?? ''}, ${given.emailMarketing ?? false},
      ${given.gdpr ?? false}, ${now}::timestamptz, ${now}::timestamptz)
    ON CONFLICT (account_id, lower(email)) DO NOTHING RETURNING ${contactColumns}`
  return contact
}

/** Everything that comes with a new contact; the quota last, for its row is the one that others wait for. */
async function settle(tx: Ctx, contact: Contact, links: ContactInput): Promise<void> {
  const consents = { ...(contact.emailMarketing && { EMAIL_MARKETING: true }), ...(contact.gdpr && { GDPR: true }) }
  await record(tx, contact.id, consents, check(ConsentSource, sent(links.consent ?? {})))
  await ports.linkByAddress(tx, [contact.id])
  await emit(tx, 'contact.created', { contactId: contact.id })
  await link(tx, contact.id, links)
  await use(tx, 'contacts', 1)
}

/** The part of a change that may be made to a contact, whose row is locked. */
async function reserved(
  tx: Ctx,
  before: Contact,
  change: z.output<typeof ContactChange>,
  { keepsFields = false, keepsWithdrawal = false }: Reserve,
): Promise<z.output<typeof ContactChange>> {
  const isKept = async (key: string) => {
    const value = before[key as keyof Contact]
    if (keepsFields && typeof value === 'string' && value !== '') return true
    return keepsWithdrawal && key === 'emailMarketing' && value === false && (await isWithdrawn(tx, before.id))
  }
  const made: [string, unknown][] = []
  for (const entry of Object.entries(change)) if (!(await isKept(entry[0]))) made.push(entry)
  return Object.fromEntries(made)
}

async function apply(
  tx: Ctx,
  before: Contact,
  change: z.output<typeof ContactChange>,
  links: ContactLinks,
): Promise<Contact> {
  const changed = Object.fromEntries(
    Object.entries(change).filter(([key, value]) => value !== undefined && value !== before[key as keyof Contact]),
  ) as typeof change
  const contact = Object.keys(changed).length === 0 ? before : await write(tx, before.id, changed)
  await record(
    tx,
    contact.id,
    {
      ...(changed.emailMarketing !== undefined && { EMAIL_MARKETING: changed.emailMarketing }),
      ...(changed.gdpr !== undefined && { GDPR: changed.gdpr }),
    },
    check(ConsentSource, sent(links.consent ?? {})),
  )
  if (changed.emailMarketing === false) await ports.leaveAll(tx, [contact.id])
  if (changed.email !== undefined) await ports.linkByAddress(tx, [contact.id])
  if (contact !== before) await emit(tx, 'contact.updated', { contactId: contact.id })
  if (changed.emailMarketing === false) await emit(tx, 'contact.unsubscribed', { contactId: contact.id })
  if (changed.emailMarketing === true) await emit(tx, 'contact.resubscribed', { contactId: contact.id })
  await link(tx, contact.id, links)
  return contact
}

async function write(tx: Ctx, id: number, changed: z.output<typeof ContactChange>): Promise<Contact> {
  const data = { ...sent(changed), updatedAt: tx.clock.now() }
  try {
    return await tx.db.contact.update({ where: { accountId_id: { accountId: tx.accountId, id } }, data })
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002') {
      throw refuse('CONTACT_EXISTS', `A contact with the e-mail address ${changed.email} exists already.`)
    }
    throw error
  }
}

async function link(tx: Ctx, contactId: number, { tagIds, sequenceIds, customFields }: ContactLinks): Promise<void> {
  if (tagIds)
    await addAll(
      tx,
      [contactId],
      tagIds.map((id) => idOf('Tag', id, 'tagIds')),
    )
  if (customFields) await setAll(tx, contactId, customFields)
  if (sequenceIds)
    await ports.enrol(
      tx,
      contactId,
      sequenceIds.map((id) => idOf('Sequence', id, 'sequenceIds')),
    )
}
