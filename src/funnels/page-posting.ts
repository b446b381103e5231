import { createHash } from 'node:crypto'
import { contactList } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { orders } from '../finance/index.ts'
import {
  type Consent,
  type Identity,
  type KnownContact,
  knownContactAfterSave,
  type Question,
  readTypedFields,
  type Submission,
  submissions,
  type Touches,
  type TypedFields,
} from '../forms/index.ts'
import { attributionKeys } from '../kernel/attribution.ts'
import { Refusal } from '../kernel/errors.ts'
import type { PageForm } from './page/compile.ts'
import { type Fields, nameOf, type Posting, readPosting, sentence } from './page-posted.ts'
import type { ShownPage } from './page-store.ts'

/** Who posts, and what the door knows of it. */
export interface Poster {
  readonly identity: Identity
  readonly touches: Touches
  readonly ip: string
}

/** What came of a post. */
export interface Posted {
  readonly submission: Submission
  /** What the visitor has typed of itself. */
  readonly typed: TypedFields
  /**
   * The contact whose address was typed, if the browser may be known as that one from now on; undefined if no address was
   * typed, so that the browser stays who it is.
   */
  readonly known: KnownContact | null | undefined
  /** Whether the visitor is asked by e-mail to confirm. */
  readonly isToConfirm: boolean
}

/** What was posted breaks a rule: what is wrong, by the name of the field; '' is the form as a whole. */
export class Faulty extends Error {
  readonly faults: ReadonlyMap<string, string>
  constructor(faults: ReadonlyMap<string, string>) {
    super('What was posted breaks a rule.')
    this.faults = faults
  }
}

/** The same post of the same visitor within this time is one: a button was pressed twice. */
const sameMilliseconds = 60_000

/**
 * Takes what was posted to a page, all of it or nothing: completes the submission of the step's form, makes or changes its
 * contact, records the consent, brings what the step brings, and records a waiting order where something is sold. Safe to
 * repeat under one `client_submission_id`.
 *
 * Announces what all these announce. Throws Faulty, and Refusal where the form takes no submissions.
 */
export async function post(
  ctx: Ctx,
  page: ShownPage,
  form: PageForm | undefined,
  fields: Fields,
  poster: Poster,
): Promise<Posted> {
  const posting = readPosting(fields, page.questions, form)
  const { faults } = posting
  if (form?.product && addressOf(page, posting) === undefined && !faults.size) {
    throw new Faulty(new Map([['', 'An e-mail address is needed to buy.']]))
  }
  if (faults.size > 0) throw new Faulty(faults)
  try {
    return await inTransaction(ctx, (tx) => keep(tx, page, form, fields, poster, posting))
  } catch (error) {
    throw error instanceof Refusal && error.code === 'VALIDATION_ERROR' ? faulty(error, page, form) : error
  }
}

async function keep(
  tx: Ctx,
  page: ShownPage,
  form: PageForm | undefined,
  fields: Fields,
  { identity, touches, ip }: Poster,
  posting: Posting,
): Promise<Posted> {
  const { facts } = page
  const source = `funnel:${facts.funnelId}/${facts.path}`
  const address = addressOf(page, posting)
  const isUnproven = facts.doubleOptIn && address !== undefined && !(await isProven(tx, identity, address))
  const consent: Consent | undefined =
    form?.consentText && posting.isAgreed ? { source, text: form.consentText.slice(0, 5_000), ip } : undefined
  const asked = form?.fields.flatMap(({ questionId }) => (questionId === null ? [] : questionId))
  const { submission, isCreated, isOwn } = await submissions.save(tx, {
    formId: facts.formId,
    clientSubmissionId: await submissionName(tx, page, fields, identity.visitorId),
    answers: posting.answers,
    ...(address === undefined && identity.contactId !== null && { contact: { id: identity.contactId } }),
    touches,
    complete: true,
    askedQuestionIds: asked,
    visitorDetails: { ...posting.person, consent },
    isUnproven,
    identity,
  })
  if (form?.product && address !== undefined) {
    const isStranger = !(isOwn && (identity.isProven || identity.trustsTyped))
    await order(tx, page, form.product, { submission, posting, address, touches, isStranger })
  }
  return {
    submission,
    typed: await readTypedFields(tx, page.questions, posting.answers, posting.person),
    known:
      address === undefined
        ? undefined
        : knownContactAfterSave(identity, { contactId: isUnproven ? null : submission.contactId, isCreated, isOwn }),
    // Also if nobody is asked: over the quota, or too often. Whoever types an address must not learn of it.
    isToConfirm: isUnproven,
  }
}

/** Whether the browser has proven that this address is its visitor's own. */
async function isProven(tx: Ctx, { contactId, isProven: has }: Identity, address: string): Promise<boolean> {
  return has && (await contactList.find(tx, { email: address }))?.id === contactId
}

/** What was answered to the question that asks for a field of the contact. */
function told(page: ShownPage, { answers }: Posting, field: Question['contactField']): string | undefined {
  const question = page.questions.find(({ contactField }) => contactField === field)
  return answers.find(({ questionId }) => questionId === question?.id)?.values?.find((each) => each !== '')
}

/** Records what is bought, once for each submission. What it costs is what the page says, whatever was posted. */
async function order(
  tx: Ctx,
  page: ShownPage,
  product: NonNullable<PageForm['product']>,
  bought: { submission: Submission; posting: Posting; address: string; touches: Touches; isStranger: boolean },
): Promise<void> {
  const { submission, posting, address, touches, isStranger } = bought
  const idOrder = `funnel-${submission.id}`
  const known = await tx.sql`
    SELECT 1 FROM "order" o WHERE o.account_id = ${tx.sql.account} AND o.id_order = ${idOrder}`
  if (known.length > 0) return
  const { person } = posting
  const customer = {
    email: address,
    firstName: told(page, posting, 'FIRST_NAME') ?? person.firstName,
    lastName: told(page, posting, 'LAST_NAME') ?? person.lastName,
    companyName: told(page, posting, 'COMPANY_NAME') ?? person.companyName,
  }
  const { last } = touches
  await orders.record(tx, {
    idOrder,
    customer,
    keepsCustomer: isStranger,
    createContact: true,
    amount: product.amount,
    currency: product.currency,
    stepId: page.facts.stepId,
    attribution: attributionKeys.flatMap((key) => (last[key] === undefined ? [] : { key, value: last[key] })),
  })
}

/** The address that was posted, whatever asked for it. */
function addressOf(page: ShownPage, { answers, person }: Posting): string | undefined {
  const question = page.questions.find(({ type, contactField }) => contactField === 'EMAIL' || type === 'EMAIL')
  const answer = answers.find(({ questionId }) => questionId === question?.id)
  return answer?.values?.find((value) => value.trim() !== '')?.trim() ?? person.email
}

/**
 * The visitor's own name for the submission, where the post says one, or one that is the same for the same post within a
 * minute.
 */
async function submissionName(tx: Ctx, page: ShownPage, fields: Fields, visitorId: string): Promise<string> {
  const given = fields.get('client_submission_id')?.[0]
  if (given) return given
  const said = JSON.stringify([visitorId, [...fields].sort(([one], [other]) => (one < other ? -1 : 1))])
  const now = tx.clock.now().getTime()
  const minute = Math.floor(now / sameMilliseconds)
  const nameIn = (at: number) => createHash('sha256').update(`${at} ${said}`).digest('base64url')
  // Two presses may stand on both sides of the minute.
  const [before] = await tx.sql<{ name: string }>`
    SELECT s.client_submission_id AS name FROM submission s
    WHERE s.account_id = ${tx.sql.account} AND s.form_id = ${page.facts.formId}::int
      AND s.client_submission_id = ${nameIn(minute - 1)} AND s.created_at > ${new Date(now - sameMilliseconds)}::timestamptz`
  return before?.name ?? nameIn(minute)
}

/** What operations refuse, by the names of the fields. */
function faulty(refusal: Refusal, page: ShownPage, form: PageForm | undefined): Faulty {
  const shown = new Set(form ? form.fields.map(({ name }) => name) : page.questions.map(({ id }) => nameOf(id)))
  const faults = new Map<string, string>()
  for (const [field, [message = 'is not right']] of Object.entries(refusal.details ?? {})) {
    const name = field.startsWith('answers.') ? nameOf(Number(field.slice('answers.'.length))) : field
    if (shown.has(name)) faults.set(name, sentence(message))
    else faults.set('', `${wordsOf(page, name)} ${message}.`)
  }
  return new Faulty(faults)
}

/** What people know a field by that the form does not show. */
function wordsOf(page: ShownPage, name: string): string {
  return page.questions.find(({ id }) => nameOf(id) === name)?.label ?? name
}
