import { z } from 'zod'
import {
  type AcceptedTerms,
  type Attribution,
  type AttributionKey,
  type ContactRef,
  GivenAttribution,
  recordActivity,
} from '../../contacts/index.ts'
import type { Ctx, Loader } from '../../db/context.ts'
import { readParts, replaceParts } from '../../db/figures/figure-parts.ts'
import { addFigures, figureObject } from '../../db/figures/figures.ts'
import { empty, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type EventData, emit } from '../../events/index.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { inOrder } from '../../kernel/in-order.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { sum } from '../../kernel/values/money.ts'
import { type AnswerInput, type AnswerMerge, mergeAnswers } from '../answers/answer-merge.ts'
import { ofSubmission, writeAnswers } from '../answers/answers.ts'
import { type Form, lockShared } from '../form/form-list.ts'
import { type Outcome, ofForm as outcomesOf } from '../form/outcome-list.ts'
import { ofForm as questionsOf } from '../form/question-list.ts'
import { bucketOf, outcomeOf } from '../form/scoring.ts'
import { ports } from '../ports.ts'
import type { VisitorDetails } from '../visitors/contact-details.ts'
import { claim, type Identity, mustConfirm } from '../visitors/identity.ts'
import type { Touches } from '../visitors/touches.ts'
import { acceptTerms } from './accepted-terms.ts'
import { consentIn, isOwnContact, linkContact, lockContacts, typedAddressOf } from './submission-contact.ts'
import type { Submission } from './submission-list.ts'
import { submissionParts } from './submission-parts.ts'
import { findSubmission, insertSubmission, newSubmission, updateSubmission } from './submission-rows.ts'
import { mustBeAccepted, mustBeComplete, mustBeSame } from './submission-rules.ts'

/** Maximum number of answers in one save. Equals the maximum number of questions of a form. */
const maxAnswers = 500

const Save = z
  .object({
    clientSubmissionId: name(128),
    answers: z.array(z.unknown()).max(maxAnswers, `must be at most ${maxAnswers}`),
    attribution: GivenAttribution,
    complete: z.boolean(),
  })
  .partial()

interface SaveInput {
  formId: string | number
  /** The submission to continue. */
  id?: string | number | null | undefined
  /** Identifier that the client chooses. The first save with it starts a submission, and later saves continue it. */
  clientSubmissionId?: string | null | undefined
  answers?: readonly AnswerInput[] | null | undefined
  contact?: ContactRef | null | undefined
  attribution?: readonly { key: AttributionKey; value: string }[] | null | undefined
  /** Touches of the visitor. `attribution` takes precedence over the last touch. */
  touches?: Touches | undefined
  complete?: boolean | null | undefined
  /** The questions of the page. Other required questions need no answer. Defaults to all questions. */
  askedQuestionIds?: readonly number[] | undefined
  /** Contact data that a page received outside the answers. */
  visitorDetails?: VisitorDetails | undefined
  /** Whether a visitor must confirm the address of the contact, unless the browser has. Consents are not recorded until then. */
  requiresProof?: boolean | undefined
  /** IP address of the visitor, as proof of what the answers declare. */
  ip?: string | undefined
  /** Terms of the page that the visitor accepted, which are stored with the submission. */
  acceptedTerms?: AcceptedTerms | undefined
  /** Whether it is sent with an order form: an order and no opt-in. */
  isOrder?: boolean | undefined
  /** E-mail domains of which the account accepts no new addresses from visitors. */
  refusedDomains?: readonly string[] | undefined
  /** Identity of the browser on a public page; absent for API clients, which may change every contact. */
  identity?: Identity | undefined
}

/** The saved submission, and the relation of the client to its contact. */
export interface SaveResult {
  readonly submission: Submission
  /** Whether this save created the contact. */
  readonly isCreated: boolean
  /** Whether the visitor may see the stored fields of the contact. */
  readonly isOwn: boolean
  /** Whether the visitor must still confirm the address. */
  readonly isUnproven: boolean
}

/**
 * Saves the answers of a visitor. One call can start a submission, continue it and complete it. New answers replace earlier
 * ones, and an answer without a value is removed. Repeated and concurrent calls with one `clientSubmissionId` save one
 * submission. A completed submission no longer changes: a repeat of its answers has no effect.
 *
 * The submission is linked to the contact of the input, or to the contact with the answered e-mail address, which is created
 * if the quota allows. The other answers fill the fields of the contact.
 *
 * **Emits** `form_submission.started`, `form_submission.updated` and `form_submission.completed`, and the events of the
 * contact.
 *
 * **Throws** INVALID_STATE if the form is not published, and NOT_FOUND if the submission, a question or the contact does not
 * exist. **Throws** VALIDATION_ERROR with the member `answers.<questionId>` for each answer, also for new answers to a completed
 * submission, and for an address of a refused domain.
 */
export async function save(ctx: Ctx, input: SaveInput): Promise<SaveResult> {
  const { clientSubmissionId, attribution, complete = false } = check(Save, sent(input))
  if (input.id != null && clientSubmissionId !== undefined) {
    throw invalid({ clientSubmissionId: ['must not be combined with id'] })
  }
  const attributions = {
    first: nonEmpty(input.touches?.first) ?? attribution,
    last: attribution ?? nonEmpty(input.touches?.last),
  }
  // All transactions lock in this order, also the deletion of a contact: form, contacts by ID, submission. A contact that only
  // an answer names is locked after a submission that exists, but before one that is inserted. The contact quota of the account
  // is last.
  return inTransaction(ctx, async (tx) => {
    tx.load.clear()
    const formId = idOf('Form', input.formId, 'formId')
    const earlier = { id: input.id, clientSubmissionId }
    const [form, questions, outcomes, finish, found] = await inOrder([
      lockPublished(tx, formId),
      readAllOf(tx, questionsOf, formId),
      complete ? readAllOf(tx, outcomesOf, formId) : Promise.resolve([]),
      complete ? ports.completing(tx, formId) : Promise.resolve(undefined),
      findSubmission(tx, formId, earlier, empty),
    ])
    const namedContactId = await lockContacts(tx, input.contact, found?.contactId)
    const existing = (found || input.id != null) && (await findSubmission(tx, formId, earlier, sql`FOR UPDATE`))
    if (input.id != null && !existing) throw refuseValue('id', 'NOT_FOUND', 'There is no such submission of this form.')
    // A submission that was just deleted with its contact is started again.
    const before = existing || newSubmission(tx, form, clientSubmissionId ?? null)
    const isNew = !existing
    const answers = input.answers ?? []
    const stored = isNew ? [] : await tx.load(ofSubmission, before.id)
    const merged = mergeAnswers(questions, stored, answers)
    if (before.status === 'COMPLETED') {
      mustBeSame(merged, stored, answers)
      const { contactId } = before
      const isOwn = contactId !== null && (await isOwnContact(tx, contactId, before, input.identity))
      const isUnproven = contactId !== null && mustConfirm(input.requiresProof === true, input.identity, contactId)
      return { submission: before, isCreated: false, isOwn, isUnproven }
    }
    if (complete) {
      const { askedQuestionIds: asked } = input
      mustBeComplete(asked ? questions.filter(({ id }) => asked.includes(id)) : questions, merged.answered, answers)
    }
    const { visitorDetails = {}, requiresProof = false, refusedDomains = [], identity, ip = '' } = input
    if (namedContactId === undefined)
      mustBeAccepted(refusedDomains, typedAddressOf(questions, merged, visitorDetails), answers)
    const facts = submissionParts(sql`s.account_id = ${tx.sql.account} AND s.id = ${before.id}`)
    const counted = isNew ? [] : await readParts(tx, facts)
    if (!isNew) await writeAnswers(tx, before.id, merged.changed)
    const options = { namedContactId, visitorDetails, requiresProof, identity, ip }
    const link = await linkContact(tx, form, questions, before, merged, options)
    const { contactId, isCreated, isOwn, isUnproven } = link
    const { consent, observed: _observed, ...typed } = visitorDetails
    const { isOrder = before.isOrder } = input
    const acceptedTerms = acceptTerms(tx, before, questions, merged, input)
    const change = { merged, contactId, ...attributions, typed, acceptedTerms, isOrder, complete, outcomes }
    const after = applyChange(tx, form, before, change)
    const submission = isNew
      ? await insertSubmission(tx, after, questions, merged.changed)
      : after === before
        ? before
        : await updateSubmission(tx, after)
    if (!isNew && after !== before) await replaceParts(tx, counted, facts)
    if (identity && isCreated && contactId !== null) {
      await claim(tx, contactId, { visitorId: identity.visitorId, submissionId: submission.id })
    }
    if (complete && !isOrder) {
      const object = figureObject('Form', form.id)
      await addFigures(tx, [{ figure: 'OPT_INS', object, at: tx.clock.now(), value: 1 }])
    }
    await recordActivity(tx, [submission.contactId])
    const data = eventDataOf(submission)
    const isUpdated = !complete && !isNew && after !== before
    await emit(
      tx,
      [
        ...(isNew ? (['form_submission.started'] as const) : []),
        ...(complete ? (['form_submission.completed'] as const) : []),
        ...(isUpdated ? (['form_submission.updated'] as const) : []),
      ],
      data,
    )
    if (finish) {
      const isStranger = identity !== undefined && !isCreated && !(isOwn && identity.isProven)
      const given = consent ?? consentIn(form.id, [...merged.answered.values()], ip)
      await finish({ ...data, contactId: submission.contactId, isUnproven, isStranger, consent: given })
    }
    return { submission, isCreated, isOwn, isUnproven }
  })
}

async function lockPublished(tx: Ctx, formId: number): Promise<Form> {
  const form = await lockShared(tx, formId, 'formId')
  if (form.status !== 'PUBLISHED') throw refuseValue('formId', 'INVALID_STATE', 'There is no such published form.')
  return form
}

/** Reads the rows of a form now, so that the statement is sent together with others. */
async function readAllOf<Row>(tx: Ctx, loader: Loader<number, Row[]>, formId: number): Promise<Row[]> {
  return (await loader.batch(tx, [formId])).get(formId) ?? []
}

interface SubmissionChange {
  readonly merged: AnswerMerge
  readonly contactId: number | null
  /** First-touch and last-touch attribution of this save; undefined if unknown. */
  readonly first: Attribution | undefined
  readonly last: Attribution | undefined
  readonly typed: Submission['typed']
  readonly acceptedTerms: Submission['acceptedTerms']
  readonly isOrder: boolean
  readonly complete: boolean
  readonly outcomes: readonly Outcome[]
}

/** Returns the changed submission, or the same object if nothing has changed. */
function applyChange(tx: Ctx, form: Form, before: Submission, change: SubmissionChange): Submission {
  const { merged, contactId, acceptedTerms, isOrder, complete } = change
  const attribution = change.last ?? before.attribution
  const firstAttribution = isEqual(before.firstAttribution, {}) ? (change.first ?? {}) : before.firstAttribution
  const typed = { ...before.typed, ...change.typed }
  const isChanged =
    complete ||
    merged.changed.length > 0 ||
    contactId !== before.contactId ||
    !isEqual(attribution, before.attribution) ||
    !isEqual(firstAttribution, before.firstAttribution) ||
    !isEqual(typed, before.typed)
  if (!isChanged) return before
  const score = sum([...merged.answered.values()].map((answer) => answer.score))
  const bucket = bucketOf(score, form)
  const now = tx.clock.now()
  const declared = { acceptedTerms, isOrder }
  const values = {
    contactId,
    attribution,
    firstAttribution,
    typed,
    ...declared,
    score: score.toFixed(2),
    bucket,
    updatedAt: now,
  }
  const after = { ...before, ...values }
  if (!complete) return after
  const outcome = outcomeOf(change.outcomes, bucket)
  const [outcomeKey, outcomeTitle] = [outcome?.key ?? null, outcome?.title ?? null]
  return { ...after, status: 'COMPLETED', completedAt: now, outcomeKey, outcomeTitle }
}

function nonEmpty(attribution: Attribution | undefined): Attribution | undefined {
  return attribution && Object.keys(attribution).length > 0 ? attribution : undefined
}

function isEqual(one: object, other: object): boolean {
  const serialise = (each: object) => JSON.stringify(Object.entries(each).sort())
  return serialise(one) === serialise(other)
}

/** Returns the data of the events of a submission. */
export function eventDataOf({
  id: submissionId,
  formId,
  status,
  bucket,
}: Submission): EventData['form_submission.updated'] {
  return { submissionId, formId, status, bucket }
}
