import type { Contact } from '../../prisma/generated/client/client.ts'
import {
  type ContactRef,
  consents,
  contactFields as contactCustomFields,
  contactList,
  contacts,
} from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { inSavepoint } from '../db/transaction.ts'
import { Refusal, refuse } from '../kernel/errors.ts'
import type { Answered, Merged } from './answering.ts'
import { ofSubmission } from './answers.ts'
import { type Form, byId as formOf } from './form-list.ts'
import { claim, endClaim, type Identity, isClaimedBy } from './identify.ts'
import { ofForm, type Question } from './question-list.ts'
import { type ContactField, contactFields } from './question-types.ts'
import { type Submission, byId as submissionOf } from './submission-list.ts'

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

/** How a save reaches a contact. */
export interface Reach {
  /** The contact that the save names. */
  readonly given: number | undefined
  readonly person: Person
  /** Whether a consent waits until the address is confirmed. */
  readonly isUnproven: boolean
  /** Who saves through a public page; absent for the account's own clients, which may change every contact. */
  readonly identity: Identity | undefined
}

/** The contact that a submission is linked to. */
export interface Linked {
  readonly contactId: number | null
  /** Whether this save created it. */
  readonly isCreated: boolean
  /** Whether the visitor may be shown what is stored of it, and may change that. */
  readonly isOwn: boolean
}

/**
 * Links a submission to a contact: the one that is given; else the one with the address that was answered just now, or
 * that the page knows, found or created; else the one that it was linked to before. What was answered fills the contact's
 * fields: everything if the link is new, and afterwards what has changed.
 *
 * A visitor who has not proven the address of an existing contact fills its empty fields only, and never takes a
 * withdrawal of consent back. A consent is recorded with the words of its question, or of the page; one that the contact
 * had given before is recorded again if the page asks.
 *
 * Over the quota no contact is created, and the submission goes on without one.
 */
export async function link(
  tx: Ctx,
  form: Form,
  submission: Submission,
  { changed, answered }: Merged,
  reach: Reach,
): Promise<Linked> {
  const { given, person, identity } = reach
  const answers = await toldIn(tx, form, answered)
  const isChanged = new Set(changed.map(({ questionId }) => questionId))
  const news = (contactId: number | undefined) =>
    contactId === submission.contactId ? answers.filter(({ question }) => isChanged.has(question.id)) : answers

  const addressed = answers.find(({ question }) => question.contactField === 'EMAIL' && isChanged.has(question.id))
  const email = given === undefined ? (addressed?.answer.values[0] ?? person.email) : undefined
  const linkedId = given ?? submission.contactId
  if (email === undefined && linkedId === null) return { contactId: null, isCreated: false, isOwn: false }
  const before =
    email === undefined ? await tx.load(contactList.byId, linkedId ?? 0) : await contactList.find(tx, { email })
  // It was deleted since: the submission keeps its number.
  if (email === undefined && !before) return { contactId: linkedId, isCreated: false, isOwn: false }
  const isOwn = before != null && (await isTheirs(tx, before.id, submission, identity))
  const reserve = { keepsFields: !isOwn, keepsWithdrawal: identity !== undefined && !(isOwn && identity.isProven) }
  const told = news(before?.id)
  const details = detailsOf(form, told, person, reach.isUnproven)
  const { contactId, isCreated } =
    email === undefined
      ? { contactId: await change(tx, linkedId ?? 0, details, reserve), isCreated: false }
      : await create(tx, email, details, reserve)
  if (contactId === null) return { contactId, isCreated, isOwn: false }
  if (before?.emailMarketing) await agreeAgain(tx, contactId, person, reach.isUnproven)
  await fill(tx, told, contactId, !isOwn && !isCreated)
  if (identity && isCreated) await claim(tx, contactId, { visitorId: identity.visitorId, submissionId: submission.id })
  if (identity && !isCreated && !isOwn) await endClaim(tx, contactId)
  return { contactId, isCreated, isOwn }
}

/**
 * Applies all that was typed in a submission to its contact, whose address was proven to be the visitor's own. Consents
 * are not among it.
 */
export async function applyTyped(tx: Ctx, submissionId: number, contactId: number): Promise<void> {
  const submission = await tx.load(submissionOf, submissionId)
  const form = submission && (await tx.load(formOf, submission.formId))
  if (!form) return
  const answered = new Map((await tx.load(ofSubmission, submissionId)).map((answer) => [answer.questionId, answer]))
  const told = await toldIn(tx, form, answered)
  await change(tx, contactId, detailsOf(form, told, submission.typed, true), {})
  await fill(tx, told, contactId, false)
  await endClaim(tx, contactId)
}

async function toldIn(tx: Ctx, form: Form, answered: Merged['answered']): Promise<Told[]> {
  const questions = await tx.load(ofForm, form.id)
  return questions.flatMap((question) => {
    const answer = answered.get(question.id)
    return answer ? [{ question, answer }] : []
  })
}

/** Whether what is stored of a contact is for whoever saves to change. */
export async function isTheirs(
  tx: Ctx,
  contactId: number,
  submission: Submission,
  identity: Identity | undefined,
): Promise<boolean> {
  if (!identity || identity.trustsTyped || identity.contactId === contactId) return true
  return isClaimedBy(tx, contactId, { visitorId: identity.visitorId, submissionId: submission.id })
}

/** Records the words that a contact agreed to once more. */
async function agreeAgain(tx: Ctx, contactId: number, { consent }: Person, isUnproven: boolean): Promise<void> {
  if (!consent || isUnproven) return
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

/** The contact with this address, found or created, with the details laid over it; null if the quota allows no more. */
async function create(
  tx: Ctx,
  email: string,
  details: Details,
  reserve: contacts.KeepOptions,
): Promise<{ contactId: number | null; isCreated: boolean }> {
  try {
    const { contact, created } = await inSavepoint(tx, (inner) =>
      contacts.upsert(inner, { email, ...details }, reserve),
    )
    return { contactId: contact.id, isCreated: created }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'QUOTA_EXCEEDED') return { contactId: null, isCreated: false }
    throw error
  }
}

async function change(tx: Ctx, contactId: number, details: Details, reserve: contacts.KeepOptions): Promise<number> {
  if (Object.keys(details).length > 0) await contacts.update(tx, { contact: { id: contactId }, ...details }, reserve)
  return contactId
}

/** Sets the contact's custom fields that the answers are for: all, or those without a value. */
async function fill(tx: Ctx, told: readonly Told[], contactId: number, keepsFields: boolean): Promise<void> {
  const filling = told.filter(({ question }) => question.customFieldId !== null)
  if (filling.length === 0) return
  const kept = keepsFields ? ((await contactCustomFields.ofContact.batch(tx, [contactId])).get(contactId) ?? []) : []
  const isKept = new Set(kept.map(({ customFieldId }) => customFieldId))
  for (const { question, answer } of filling) {
    const id = question.customFieldId
    if (id !== null && !isKept.has(id)) await setCustomField(tx, contactId, id, answer)
  }
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
