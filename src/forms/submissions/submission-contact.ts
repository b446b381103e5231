import {
  type ContactRef,
  consents,
  contactList,
  contacts,
  customFieldValues,
  type TextKey,
  textFields,
} from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inSavepoint } from '../../db/transaction.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { AnswerMerge, CurrentAnswer } from '../answers/answer-merge.ts'
import { ofSubmission } from '../answers/answers.ts'
import { type Form, byId as formOf } from '../form/form-list.ts'
import { ofForm, type Question } from '../form/question-list.ts'
import type { Consent } from '../ports.ts'
import type { VisitorDetails } from '../visitors/contact-details.ts'
import { endClaim, type Identity, isClaimedBy, mustConfirm } from '../visitors/identity.ts'
import { type Submission, byId as submissionOf } from './submission-list.ts'

/**
 * Locks the contact of the input and the contact of the submission. Returns the ID of the former.
 *
 * **Throws** NOT_FOUND if the contact of the input does not exist.
 */
export async function lockContacts(
  tx: Ctx,
  input: ContactRef | null | undefined,
  linkedId: number | null | undefined,
): Promise<number | undefined> {
  if (linkedId == null) return input == null ? undefined : (await contactList.lock(tx, input)).id
  const contact = input == null ? null : await contactList.find(tx, input)
  const ids = [contact?.id, linkedId].filter((id) => id != null)
  const locked = await tx.sql<{ id: number }>`
    SELECT c.id FROM contact c WHERE c.account_id = ${tx.sql.account} AND c.id = ANY(${ids}::int[]) ORDER BY c.id FOR UPDATE`
  if (input != null && !locked.some(({ id }) => id === contact?.id))
    throw contactList.notFound(contactList.pathOf(input))
  return contact?.id
}

/** Options of the link between a submission and a contact. */
interface LinkOptions {
  /** ID of the contact that the input names. */
  readonly namedContactId: number | undefined
  readonly visitorDetails: VisitorDetails
  /** Whether a visitor must confirm the address of the contact, unless the browser has. Consents are not recorded until then. */
  readonly requiresProof: boolean
  /** Identity of the browser on a public page; absent for API clients, which may change every contact. */
  readonly identity: Identity | undefined
  /** IP address of the visitor. Empty if unknown. */
  readonly ip: string
}

/** Result of linking a submission to a contact. */
interface ContactLink {
  readonly contactId: number | null
  /** Whether this save created the contact. */
  readonly isCreated: boolean
  /** Whether the visitor may see and change the stored fields of the contact. */
  readonly isOwn: boolean
  /** Whether the visitor must still confirm the address. */
  readonly isUnproven: boolean
}

/** An e-mail address of a new answer or of a field of the page. */
interface TypedAddress {
  readonly email: string
  /** The question whose answer it is. */
  readonly questionId?: number
}

/** Returns the address of the contact to which a save links its submission, if the save has one. */
export function typedAddressOf(
  questions: readonly Question[],
  { changed, answered }: AnswerMerge,
  { email }: VisitorDetails,
): TypedAddress | undefined {
  const changedIds = new Set(changed.map(({ questionId }) => questionId))
  const addressed = questionAnswers(questions, answered).find(
    ({ question }) => question.contactField === 'EMAIL' && changedIds.has(question.id),
  )
  const [answer] = addressed?.answer.values ?? []
  if (addressed && answer !== undefined) return { email: answer, questionId: addressed.question.id }
  return email === undefined ? undefined : { email }
}

/**
 * Links a submission to a contact: the contact of the input, or else the contact with the address in the new answers or in
 * `visitorDetails`, which is created if necessary, or else the contact of the submission. Answers fill the fields of the
 * contact: all answers if the link is new, and otherwise the changed ones.
 *
 * A visitor who has not confirmed the address of an existing contact only fills empty fields, and cannot revoke a withdrawal
 * of consent. A consent is recorded with the wording of its question or page, each time.
 *
 * If the contact quota is exhausted, no contact is created, and the submission has no contact.
 */
export async function linkContact(
  tx: Ctx,
  form: Form,
  questions: readonly Question[],
  submission: Submission,
  merged: AnswerMerge,
  options: LinkOptions,
): Promise<ContactLink> {
  const { changed, answered } = merged
  const { namedContactId, visitorDetails, requiresProof, identity, ip } = options
  const answers = questionAnswers(questions, answered)
  const changedIds = new Set(changed.map(({ questionId }) => questionId))
  const answersToApply = (contactId: number | undefined) =>
    contactId === submission.contactId ? answers.filter(({ question }) => changedIds.has(question.id)) : answers

  const email = namedContactId === undefined ? typedAddressOf(questions, merged, visitorDetails)?.email : undefined
  const linkedId = namedContactId ?? submission.contactId
  if (email === undefined && linkedId === null)
    return { contactId: null, isCreated: false, isOwn: false, isUnproven: false }
  const before =
    email === undefined ? await tx.load(contactList.byId, linkedId ?? 0) : await contactList.findLocked(tx, { email })
  // The contact was deleted: the submission keeps its ID.
  if (email === undefined && !before)
    return { contactId: linkedId, isCreated: false, isOwn: false, isUnproven: requiresProof }
  const isUnproven = mustConfirm(requiresProof, identity, before?.id)
  const isOwn = before != null && (await isOwnContact(tx, before.id, submission, identity))
  const reserve = { keepsFields: !isOwn, keepsWithdrawal: identity !== undefined && !(isOwn && identity.isProven) }
  const applied = answersToApply(before?.id)
  const consent = isUnproven ? undefined : (visitorDetails.consent ?? consentIn(form.id, applied.map(toAnswer), ip))
  const details = contactChanges(applied, visitorDetails, consent)
  const { contactId, isCreated } =
    before || email === undefined
      ? { contactId: await updateContact(tx, before?.id ?? 0, details, reserve), isCreated: false }
      : await upsertContact(tx, email, details, reserve)
  if (contactId === null) return { contactId, isCreated, isOwn: false, isUnproven }
  if (before?.emailMarketing && consent) await consents.record(tx, contactId, { EMAIL_MARKETING: true }, consent)
  await fillCustomFields(tx, applied, contactId, !isOwn && !isCreated)
  if (identity && !isCreated && !isOwn) await endClaim(tx, contactId)
  return { contactId, isCreated, isOwn, isUnproven }
}

/**
 * Applies the answers and the typed fields of a submission to its contact, after the visitor has confirmed the address.
 * Consents are not applied.
 */
export async function applyTypedFields(tx: Ctx, submissionId: number, contactId: number): Promise<void> {
  const submission = await tx.load(submissionOf, submissionId)
  const form = submission && (await tx.load(formOf, submission.formId))
  if (!form) return
  const answered = new Map((await tx.load(ofSubmission, submissionId)).map((answer) => [answer.questionId, answer]))
  const answers = questionAnswers(await tx.load(ofForm, form.id), answered)
  await updateContact(tx, contactId, contactChanges(answers, submission.typed, undefined), {})
  await fillCustomFields(tx, answers, contactId, false)
  await endClaim(tx, contactId)
}

function questionAnswers(questions: readonly Question[], answered: AnswerMerge['answered']): QuestionAnswer[] {
  return questions.flatMap((question) => {
    const answer = answered.get(question.id)
    return answer ? [{ question, answer }] : []
  })
}

/** Returns whether the client may change the stored fields of a contact. */
export async function isOwnContact(
  tx: Ctx,
  contactId: number,
  submission: Submission,
  identity: Identity | undefined,
): Promise<boolean> {
  if (!identity || identity.trustsTyped || identity.contactId === contactId) return true
  return isClaimedBy(tx, contactId, { visitorId: identity.visitorId, submissionId: submission.id })
}

interface QuestionAnswer {
  readonly question: Question
  readonly answer: CurrentAnswer
}

const toAnswer = ({ answer }: QuestionAnswer) => answer

/**
 * Returns the consent to marketing e-mail in answers, with the wording that was agreed to. An answer to a question that became a
 * consent later grants none.
 */
export function consentIn(formId: number, answers: readonly CurrentAnswer[], ip: string): Consent | undefined {
  const given = answers.find(({ type, values }) => type === 'CONSENT' && values[0] === 'true')
  return given && { source: `form:${formId}`, text: given.label, ip }
}

type ContactChanges = Partial<Record<Exclude<TextKey, 'email'>, string>> & {
  observed?: VisitorDetails['observed']
  emailMarketing?: true
  consent?: Consent
}

function contactChanges(
  answers: readonly QuestionAnswer[],
  visitorDetails: VisitorDetails,
  consent: Consent | undefined,
): ContactChanges {
  const { email: _email, consent: _consent, ...fields } = visitorDetails
  const details: ContactChanges = { ...fields, ...(consent && { emailMarketing: true, consent }) }
  for (const { question, answer } of answers) {
    const [value = ''] = answer.values
    const { contactField } = question
    // An answer never changes the address of a contact.
    if (contactField === null || contactField === 'EMAIL') continue
    const { key, maxLength } = textFields[contactField]
    // An option can be longer than the contact field allows.
    if ([...value].length <= maxLength) details[key] = value
  }
  return details
}

/** Creates or updates the contact with this address. `contactId` is null if the contact quota is exhausted. */
async function upsertContact(
  tx: Ctx,
  email: string,
  details: ContactChanges,
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

async function updateContact(
  tx: Ctx,
  contactId: number,
  details: ContactChanges,
  reserve: contacts.KeepOptions,
): Promise<number> {
  if (Object.keys(details).length > 0) await contacts.update(tx, { contact: { id: contactId }, ...details }, reserve)
  return contactId
}

/** Writes answers to custom fields of the contact: to all of them, or only to those without a value. */
async function fillCustomFields(
  tx: Ctx,
  answers: readonly QuestionAnswer[],
  contactId: number,
  keepsFields: boolean,
): Promise<void> {
  const withCustomField = answers.filter(({ question }) => question.customFieldId !== null)
  if (withCustomField.length === 0) return
  const existing = keepsFields ? ((await customFieldValues.ofContact.batch(tx, [contactId])).get(contactId) ?? []) : []
  const keptIds = new Set(existing.map(({ customField }) => customField.id))
  for (const { question, answer } of withCustomField) {
    const id = question.customFieldId
    if (id !== null && !keptIds.has(id)) await setCustomField(tx, contactId, id, answer)
  }
}

/** Sets a custom field. Errors are ignored, because the submission is saved even if the field rejects the value. */
async function setCustomField(
  tx: Ctx,
  contactId: number,
  customFieldId: number,
  { values }: CurrentAnswer,
): Promise<void> {
  try {
    await inSavepoint(tx, (inner) =>
      customFieldValues.set(inner, { contact: { id: contactId }, customFieldId, value: values.join(', ') }),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
