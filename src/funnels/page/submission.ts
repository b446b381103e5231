import { createHash } from 'node:crypto'
import { ownAccount, refusedDomainOf } from '../../account/index.ts'
import { type AcceptedTerms, attributionKeys, newAcceptedTerms } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { orders } from '../../finance/index.ts'
import {
  type Consent,
  type Identity,
  type KnownContact,
  knownContactAfterSave,
  passName,
  proofName,
  type Question,
  readTypedFields,
  type Submission,
  submissions,
  type Touches,
  type TypedFields,
  type VisitorDetails,
} from '../../forms/index.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import type { BoxName, PageForm } from '../html/elements/model.ts'
import { type Fault, type Faults, type Fields, nameOf, type PageFormData, parseFormData } from './form-data.ts'
import type { LivePage } from './page-store.ts'

/** The visitor who submits a form. */
export interface PageVisitor {
  readonly identity: Identity
  readonly touches: Touches
  readonly ip: string
  /** Time zone and language of the browser; undefined for a program. */
  readonly observed: VisitorDetails['observed']
  /** Whether the address must be confirmed by e-mail, unless the browser has. */
  readonly requiresProof: boolean
}

/** Result of a submission. */
export interface PageSubmission {
  readonly submission: Submission
  /** Contact fields that the visitor typed. */
  readonly typed: TypedFields
  /**
   * The contact with which the browser may be identified from now on; null for none. Undefined if no address was typed: the
   * identity of the browser then does not change.
   */
  readonly known: KnownContact | null | undefined
  /** Whether a confirmation by e-mail is required. */
  readonly isToConfirm: boolean
}

/** The submitted values are invalid. */
export class FormFaultError extends Error {
  readonly faults: Faults
  constructor(faults: Faults) {
    super('The submitted values are invalid.')
    this.faults = faults
  }
}

/** Identical submissions of a visitor within this time are one submission, because a button can be pressed twice. */
const duplicateWindowMs = 60_000

/** The values of a submitted form, and the e-mail address among them. */
export interface PageInput {
  readonly form: PageForm | undefined
  readonly fields: Fields
  readonly data: PageFormData
  readonly address: string | undefined
}

/** Reads the values of a submitted form. **Throws** `FormFaultError` for values that are invalid by themselves. */
export function readPageInput(page: LivePage, form: PageForm | undefined, fields: Fields): PageInput {
  const data = parseFormData(fields, page.questions, form)
  const { faults } = data
  const address = addressOf(page, data)
  if (form?.product && address === undefined && !faults.size) {
    throw new FormFaultError(new Map([['', { problem: 'order needs an e-mail address' }]]))
  }
  if (faults.size > 0) throw new FormFaultError(faults)
  return { form, fields, data, address }
}

/**
 * Processes the input of a page in one transaction: completes the submission of the step's form, creates or updates the
 * contact, records the consent and the accepted terms, applies the opt-in of the step, and records a waiting order for an order
 * form. Idempotent for
 * the same `client_submission_id`.
 *
 * **Emits** the events of these changes. **Throws** `FormFaultError` for invalid values, and `Refusal` if the form accepts no
 * submissions.
 */
export async function submitPage(
  ctx: Ctx,
  page: LivePage,
  input: PageInput,
  visitor: PageVisitor,
): Promise<PageSubmission> {
  const refusedDomains = page.facts.refusesDomains ? (await ownAccount(ctx)).refusedDomains : []
  try {
    return await inTransaction(ctx, (tx) => storeSubmission(tx, page, input, { ...visitor, refusedDomains }))
  } catch (error) {
    throw error instanceof Refusal && error.code === 'VALIDATION_ERROR' ? formFaults(error, page, input.form) : error
  }
}

async function storeSubmission(
  tx: Ctx,
  page: LivePage,
  { form, fields, data, address }: PageInput,
  visitor: PageVisitor & { readonly refusedDomains: readonly string[] },
): Promise<PageSubmission> {
  const { identity, touches, ip, observed, requiresProof, refusedDomains } = visitor
  const { facts } = page
  const source = `funnel:${facts.funnelId}/${facts.path}`
  const textOf = (box: BoxName) =>
    data.ticked.has(box) ? form?.boxes.find(({ name }) => name === box)?.text.slice(0, 5_000) : undefined
  const [consentText, termsText] = [textOf('consent'), textOf('terms')]
  const consent: Consent | undefined = consentText === undefined ? undefined : { source, text: consentText, ip }
  const acceptedTerms =
    termsText === undefined
      ? undefined
      : newAcceptedTerms({ source, text: termsText, version: facts.version, ip }, tx.clock.now())
  const isOrder = form?.product != null
  const requiredIds = new Set(form?.fields.flatMap(({ questionId, required }) => (required ? (questionId ?? []) : [])))
  const askedQuestionIds = form && [...requiredIds]
  const { submission, isCreated, isOwn, isUnproven } = await submissions.save(tx, {
    formId: facts.formId,
    clientSubmissionId: await submissionName(tx, page, fields, identity.visitorId),
    answers: data.answers,
    ...(address === undefined && identity.contactId !== null && { contact: { id: identity.contactId } }),
    touches,
    complete: true,
    askedQuestionIds,
    visitorDetails: { ...data.person, consent, observed },
    ip,
    acceptedTerms: isOrder ? undefined : acceptedTerms,
    isOrder,
    requiresProof,
    refusedDomains,
    identity,
  })
  if (form?.product && address !== undefined) {
    const isStranger = !(isOwn && (identity.isProven || identity.trustsTyped))
    await recordOrder(tx, page, form.product, {
      submission,
      data,
      address,
      touches,
      isStranger,
      refusedDomains,
      acceptedTerms,
    })
  }
  return {
    submission,
    typed: await readTypedFields(tx, page.questions, data.answers, data.person),
    known:
      address === undefined
        ? undefined
        : knownContactAfterSave(identity, { contactId: isUnproven ? null : submission.contactId, isCreated, isOwn }),
    // True even if no e-mail is sent because of a limit, so that the response does not reveal whether the address is known.
    isToConfirm: isUnproven,
  }
}

/** Returns the answer to the question for a contact field. */
function answerFor(page: LivePage, { answers }: PageFormData, field: Question['contactField']): string | undefined {
  const question = page.questions.find(({ contactField }) => contactField === field)
  return answers.find(({ questionId }) => questionId === question?.id)?.values?.find((each) => each !== '')
}

interface Purchase {
  readonly submission: Submission
  readonly data: PageFormData
  readonly address: string
  readonly touches: Touches
  readonly isStranger: boolean
  readonly refusedDomains: readonly string[]
  readonly acceptedTerms: AcceptedTerms | undefined
}

/**
 * Records the order of a submission once, with the product as its line. The price is that of the page document; submitted prices
 * are ignored. It is what the visitor pays, so the line has no VAT on top of it.
 */
async function recordOrder(
  tx: Ctx,
  page: LivePage,
  product: NonNullable<PageForm['product']>,
  purchase: Purchase,
): Promise<void> {
  const { submission, data, address, touches, isStranger, refusedDomains, acceptedTerms } = purchase
  const idOrder = `funnel-${submission.id}`
  const known = await tx.sql`
    SELECT 1 FROM "order" o WHERE o.account_id = ${tx.sql.account} AND o.id_order = ${idOrder}`
  if (known.length > 0) return
  const domain = refusedDomainOf(refusedDomains, address)
  if (domain !== undefined) throw invalid({ email: [`must not be an address at ${domain}`] })
  const { person } = data
  const customer = {
    email: address,
    firstName: answerFor(page, data, 'FIRST_NAME') ?? person.firstName,
    lastName: answerFor(page, data, 'LAST_NAME') ?? person.lastName,
    companyName: answerFor(page, data, 'COMPANY_NAME') ?? person.companyName,
  }
  const { last } = touches
  await orders.record(tx, {
    idOrder,
    customer,
    keepsCustomer: isStranger,
    createContact: true,
    lines: [{ name: titleOf(product.name), unitPrice: product.amount }],
    currency: product.currency,
    stepId: page.facts.stepId,
    acceptedTerms: acceptedTerms ? [acceptedTerms] : [],
    attribution: attributionKeys.flatMap((key) => (last[key] === undefined ? [] : { key, value: last[key] })),
  })
}

/** Returns the name of a product as the name of a line of an order. */
function titleOf(name: string): string {
  return name.trim().slice(0, 255).trim() || 'Product'
}

/** Returns the submitted e-mail address, from a question or a contact field. */
function addressOf(page: LivePage, { answers, person }: PageFormData): string | undefined {
  const question = page.questions.find(({ type, contactField }) => contactField === 'EMAIL' || type === 'EMAIL')
  const answer = answers.find(({ questionId }) => questionId === question?.id)
  return answer?.values?.find((value) => value.trim() !== '')?.trim() ?? person.email
}

/** Returns the submitted `client_submission_id`, or a hash that is the same for identical submissions within a minute. */
async function submissionName(tx: Ctx, page: LivePage, fields: Fields, visitorId: string): Promise<string> {
  const clientId = fields.get('client_submission_id')?.[0]
  if (clientId) return clientId
  const content = JSON.stringify([
    visitorId,
    [...fields]
      .filter(([name]) => name !== passName && name !== proofName)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  ])
  const now = tx.clock.now().getTime()
  const minute = Math.floor(now / duplicateWindowMs)
  const nameIn = (at: number) => createHash('sha256').update(`${at} ${content}`).digest('base64url')
  // The first of two identical submissions may be in the previous minute.
  const [before] = await tx.sql<{ name: string }>`
    SELECT s.client_submission_id AS name FROM submission s
    WHERE s.account_id = ${tx.sql.account} AND s.form_id = ${page.facts.formId}::int
      AND s.client_submission_id = ${nameIn(minute - 1)} AND s.created_at > ${new Date(now - duplicateWindowMs)}::timestamptz`
  return before?.name ?? nameIn(minute)
}

/** Maps a validation error of an operation to the field names of the form. */
function formFaults(refusal: Refusal, page: LivePage, form: PageForm | undefined): FormFaultError {
  const visibleNames = new Set(form ? form.fields.map(({ name }) => name) : page.questions.map(({ id }) => nameOf(id)))
  const faults = new Map<string, Fault>()
  for (const [field, [message = 'is invalid']] of Object.entries(refusal.details ?? {})) {
    const name = field.startsWith('answers.') ? nameOf(Number(field.slice('answers.'.length))) : field
    if (visibleNames.has(name)) faults.set(name, { problem: message })
    else faults.set('', { label: labelOf(page, name), problem: message })
  }
  return new FormFaultError(faults)
}

/** Returns the label of a field that the form does not contain. */
function labelOf(page: LivePage, name: string): string {
  return page.questions.find(({ id }) => nameOf(id) === name)?.label ?? name
}
