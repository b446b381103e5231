import type { Contact } from '../../prisma/generated/client/client.ts'
import {
  type ContactRef,
  consents,
  contactFields as contactCustomFields,
  contactList,
  contacts,
} from '../contacts/index.ts'
import { inSavepoint } from '../db/transaction.ts'
import type { Ctx } from '../kernel/context.ts'
import { Refusal, refuse } from '../kernel/errors.ts'
import type { Answered, Merged } from './answering.ts'
import type { Form } from './form-list.ts'
import { ofForm, type Question } from './question-list.ts'
import { type ContactField, contactFields } from './question-types.ts'
import type { Submission } from './submission-list.ts'

/** What of a contact an answer fills, by the question's word for it; an address is never changed by an answer. */
const columns = {
  FIRST_NAME: 'firstName',
  LAST_NAME: 'lastName',
  PHONE: 'phone',
  COMPANY_NAME: 'companyName',
  CITY: 'city',
  COUNTRY: 'country',
} as const satisfies Partial<Record<ContactField, keyof Contact>>

/** What a visitor agreed to: the words that were shown, where, and from which address. */
export interface Consent {
  readonly source: string
  readonly text: string
  readonly ip: string
}

/** What a page knows of its visitor beside the answers. Each is checked by who knows it. */
export type Person = {
  readonly [Key in 'email' | (typeof columns)[keyof typeof columns]]?: string
} & { readonly consent?: Consent | undefined }

/**
 * Locks the contact that is given and the one that the submission has, and answers the id of the first. Fails with
 * NOT_FOUND where a contact is given that is not there.
 */
export async function holdContacts(
  tx: Ctx,
  given: ContactRef | null | undefined,
  linkedId: number | null | undefined,
): Promise<number | undefined> {
  const contact = given == null ? null : await contactList.find(tx, given)
  const ids = [contact?.id, linkedId].filter((id) => id != null)
  const held = await tx.sql<{ id: number }>`
    SELECT c.id FROM contact c WHERE c.account_id = ${tx.sql.account} AND c.id = ANY(${ids}::int[]) ORDER BY c.id FOR UPDATE`
  if (given != null && !held.some(({ id }) => id === contact?.id))
    throw refuse('NOT_FOUND', 'There is no such contact.')
  return contact?.id
}

/**
 * Whom a submission is linked to after a save: the contact that is given; else the one with the address that was answered
 * just now, or that the page knows, found or made; else whom it was linked to before. What was answered fills the contact's
 * fields: everything when the link is new, and afterwards what has changed. A consent that was given is recorded with the
 * words of its question, or of the page; one that the contact had given before is recorded again where the page asks.
 *
 * Over the quota of contacts nobody is made, and the submission goes on without a contact.
 */
export async function link(
  tx: Ctx,
  form: Form,
  submission: Submission,
  { changed, answered }: Merged,
  { given, person, isUnproven }: { given: number | undefined; person: Person; isUnproven: boolean },
): Promise<number | null> {
  const questions = await tx.load(ofForm, form.id)
  const answers = questions.flatMap((question) => {
    const answer = answered.get(question.id)
    return answer ? [{ question, answer }] : []
  })
  const isChanged = new Set(changed.map(({ questionId }) => questionId))
  const news = (contactId: number | undefined) =>
    contactId === submission.contactId ? answers.filter(({ question }) => isChanged.has(question.id)) : answers

  const addressed = answers.find(({ question }) => question.contactField === 'EMAIL' && isChanged.has(question.id))
  const email = addressed?.answer.values[0] ?? person.email
  if (given === undefined && email !== undefined) {
    const before = await contactList.find(tx, { email })
    const told = news(before?.id)
    const details = detailsOf(form, told, person, isUnproven)
    const contactId = await reach(tx, email, details)
    if (before?.emailMarketing) await agreeAgain(tx, contactId, person, isUnproven)
    return fill(tx, told, contactId)
  }
  const contactId = given ?? submission.contactId
  if (contactId === null) return null
  const told = news(contactId)
  const details = detailsOf(form, told, person, isUnproven)
  const before = person.consent ? await tx.load(contactList.byId, contactId) : null
  if (Object.keys(details).length > 0) await contacts.update(tx, { contact: { id: contactId }, ...details })
  if (before?.emailMarketing) await agreeAgain(tx, contactId, person, isUnproven)
  return fill(tx, told, contactId)
}

/** Whoever agrees once more has agreed to these words too. */
async function agreeAgain(tx: Ctx, contactId: number | null, { consent }: Person, isUnproven: boolean): Promise<void> {
  if (contactId === null || !consent || isUnproven) return
  await consents.record(tx, contactId, { EMAIL_MARKETING: true }, consent)
}

interface Told {
  readonly question: Question
  readonly answer: Answered
}

type Details = Partial<Record<(typeof columns)[keyof typeof columns], string>> & {
  emailMarketing?: true
  consent?: { source: string; text: string; ip?: string }
}

function detailsOf(form: Form, told: readonly Told[], person: Person, isUnproven: boolean): Details {
  const { email: _address, consent, ...known } = person
  const details: Details = { ...known }
  if (consent && !isUnproven) {
    details.emailMarketing = true
    details.consent = consent
  }
  for (const { question, answer } of told) {
    const [value = ''] = answer.values
    const { type, contactField } = question
    if (type === 'CONSENT' && value === 'true' && !isUnproven) {
      details.emailMarketing = true
      details.consent ??= { source: `form:${form.id}`, text: answer.label }
    }
    // An option may be longer than the field has room for.
    if (contactField !== null && contactField !== 'EMAIL' && [...value].length <= contactFields[contactField]) {
      details[columns[contactField]] = value
    }
  }
  return details
}

/** The contact with this address, found or made, with the details laid over it; null where the quota allows no more. */
async function reach(tx: Ctx, email: string, details: Details): Promise<number | null> {
  try {
    return (await inSavepoint(tx, (inner) => contacts.upsert(inner, { email, ...details }))).contact.id
  } catch (error) {
    if (error instanceof Refusal && error.code === 'QUOTA_EXCEEDED') return null
    throw error
  }
}

/** Sets the contact's custom fields that the answers are for. */
async function fill(tx: Ctx, told: readonly Told[], contactId: number | null): Promise<number | null> {
  if (contactId === null) return null
  for (const { question, answer } of told) {
    if (question.customFieldId !== null) await setCustomField(tx, contactId, question.customFieldId, answer)
  }
  return contactId
}

/** Sets a custom field, unless it has gone since or does not take the value: the submission counts for more. */
async function setCustomField(tx: Ctx, contactId: number, customFieldId: number, { values }: Answered): Promise<void> {
  try {
    await inSavepoint(tx, (inner) =>
      contactCustomFields.set(inner, { contact: { id: contactId }, customFieldId, value: values.join(', ') }),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
