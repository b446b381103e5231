import { z } from 'zod'
import type { ContactRef } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { type Attribution, type AttributionKey, GivenAttribution } from '../kernel/attribution.ts'
import { check, name, sent } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { decimal, sum } from '../kernel/money.ts'
import { type Answered, faultsOf, type GivenAnswer, type Merged, mergeAnswers, missingOf } from './answering.ts'
import { ofSubmission, write as writeAnswers } from './answers.ts'
import { type Form, hold, notFound } from './form-list.ts'
import type { Identity } from './identify.ts'
import { ofForm as outcomesOf } from './outcome-list.ts'
import { ports } from './ports.ts'
import { type Question, read as readQuestions } from './question-list.ts'
import { bucketOf, outcomeOf } from './scoring.ts'
import { holdContacts, isTheirs, link, type Person } from './submission-contact.ts'
import { type Submission, submissionColumns } from './submission-list.ts'
import type { Touches } from './visitors.ts'

/** How many answers one save can have: as many as a form can have questions. */
const mostAnswers = 500

const Save = z
  .object({
    clientSubmissionId: name(128),
    answers: z.array(z.unknown()).max(mostAnswers, `must be ${mostAnswers} at most`),
    attribution: GivenAttribution,
    complete: z.boolean(),
  })
  .partial()

export interface SaveInput {
  formId: string | number
  /** The submission to go on with. */
  id?: string | number | null | undefined
  /** The visitor's own name for the submission: the first save with it starts one, the others go on with that. */
  clientSubmissionId?: string | null | undefined
  answers?: readonly GivenAnswer[] | null | undefined
  contact?: ContactRef | null | undefined
  attribution?: readonly { key: AttributionKey; value: string }[] | null | undefined
  /** What is known of the way that the visitor came; `attribution` stands above the last of it. */
  touches?: Touches | undefined
  complete?: boolean | null | undefined
  /** Which questions were asked, where a page asks only some: the others need no answer. */
  asked?: readonly number[] | undefined
  /** What a page knows of the visitor beside the answers. */
  person?: Person | undefined
  /** Whether it is yet to be proven that the address is the visitor's own: a consent waits until then. */
  isUnproven?: boolean | undefined
  /** Who saves through a public page; absent for the account's own clients, which may change every contact. */
  identity?: Identity | undefined
}

/** A submission as a save leaves it, with what the save was to its contact. */
export interface Saved {
  readonly submission: Submission
  /** Whether this save created the contact. */
  readonly isCreated: boolean
  /** Whether the visitor may be shown what is stored of the contact. */
  readonly isOwn: boolean
}

/**
 * Keeps what a visitor has answered so far: starts a submission, goes on with one, completes it, or all of these at once.
 * Answers are laid over those that are there, and one without a value is taken away. Safe to repeat under one
 * `clientSubmissionId`, however many do so at once. A completed submission stays as it is: the same answers again change
 * nothing, and other ones are refused.
 *
 * The submission is linked to the contact that is given, or to the one with the address that an e-mail question was
 * answered with, made where there is none and the quota allows; other answers fill the fields of that contact.
 *
 * Announces `form_submission.started`, `.updated` and `.completed`, and what happens to the contact. Fails with NOT_FOUND
 * for a form that takes no submissions, a submission, a question or a contact that is not there, and with VALIDATION_ERROR
 * naming `answers.<questionId>`.
 */
export async function save(ctx: Ctx, input: SaveInput): Promise<Saved> {
  const { clientSubmissionId, attribution, complete = false } = check(Save, sent(input))
  if (input.id != null && clientSubmissionId !== undefined) {
    throw invalid({ clientSubmissionId: ['does not go with the id of a submission'] })
  }
  const ways = { first: known(input.touches?.first) ?? attribution, last: attribution ?? known(input.touches?.last) }
  // Locked in this order by everyone: form, contacts by id, submission, as whoever deletes a contact does; a contact that
  // only an answer names comes after, and the account's quota of contacts last.
  return inTransaction(ctx, async (tx) => {
    const form = await hold(tx, input.formId, 'formId')
    if (form.status !== 'PUBLISHED') throw notFound('There is no such form that takes submissions.')
    const which = whichOne(input.id, clientSubmissionId)
    const given = await holdContacts(tx, input.contact, which && (await find(tx, form, which, empty))?.contactId)
    const { submission: before, isNew } =
      input.id == null
        ? await start(tx, form, clientSubmissionId ?? null)
        : { submission: await lock(tx, form, which as Sql), isNew: false }
    const questions = await readQuestions(tx, form.id)
    const merged = mergeAnswers(questions, await tx.load(ofSubmission, before.id), input.answers ?? [])
    if (before.status === 'COMPLETED') {
      mustBeSame(merged)
      const { contactId } = before
      const isOwn = contactId !== null && (await isTheirs(tx, contactId, before, input.identity))
      return { submission: before, isCreated: false, isOwn }
    }
    if (complete) {
      const { asked } = input
      mustBeComplete(asked ? questions.filter(({ id }) => asked.includes(id)) : questions, merged.answered)
    }
    await writeAnswers(tx, before.id, merged.changed)
    const { person = {}, isUnproven = false, identity } = input
    const { contactId, isCreated, isOwn } = await link(tx, form, before, merged, {
      given,
      person,
      isUnproven,
      identity,
    })
    const { consent, ...typed } = person
    const after = await settled(tx, form, before, { merged, contactId, ...ways, typed, complete })
    const submission = after === before ? before : await write(tx, after)
    const data = { submissionId: submission.id, formId: form.id }
    if (isNew) await emit(tx, 'form_submission.started', data)
    if (complete) await emit(tx, 'form_submission.completed', data)
    else if (!isNew && after !== before) await emit(tx, 'form_submission.updated', data)
    if (complete) {
      const isStranger = identity !== undefined && !isCreated && !(isOwn && identity.isProven)
      await ports.completed(tx, { ...data, contactId: submission.contactId, isUnproven, isStranger, consent })
    }
    return { submission, isCreated, isOwn }
  })
}

/** A new submission, or the one that has the visitor's name for it, locked. Waits for whoever starts it at this moment. */
async function start(
  tx: Ctx,
  form: Form,
  clientSubmissionId: string | null,
): Promise<{ submission: Submission; isNew: boolean }> {
  const now = tx.clock.now()
  for (;;) {
    const [submission] = await tx.sql<Submission>`
      INSERT INTO submission AS s (account_id, form_id, client_submission_id, status, bucket, started_at, created_at, updated_at)
      VALUES (${tx.sql.account}::int, ${form.id}::int, ${clientSubmissionId}, 'IN_PROGRESS',
        ${bucketOf(decimal(0), form)}::bucket, ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz)
      ON CONFLICT (account_id, form_id, client_submission_id) DO NOTHING RETURNING ${submissionColumns}`
    if (submission) return { submission, isNew: true }
    // It was there: unless it goes in this very moment with its contact, it is there to be locked.
    const existing = await find(tx, form, sql`s.client_submission_id = ${clientSubmissionId}`, sql`FOR UPDATE`)
    if (existing) return { submission: existing, isNew: false }
  }
}

async function lock(tx: Ctx, form: Form, which: Sql): Promise<Submission> {
  const submission = await find(tx, form, which, sql`FOR UPDATE`)
  if (!submission) throw refuse('NOT_FOUND', 'There is no such submission of this form.')
  return submission
}

async function find(tx: Ctx, form: Form, which: Sql, locking: Sql): Promise<Submission | undefined> {
  const [row] = await tx.sql<Submission>`
    SELECT ${submissionColumns} FROM submission s
    WHERE s.account_id = ${tx.sql.account} AND s.form_id = ${form.id} AND ${which} ${locking}`
  return row
}

/** How the submission is told that a save goes on with; undefined where it can only be a new one. */
function whichOne(id: string | number | null | undefined, clientSubmissionId: string | undefined): Sql | undefined {
  if (id != null) return sql`s.id = ${idOf('Submission', id)}`
  return clientSubmissionId === undefined ? undefined : sql`s.client_submission_id = ${clientSubmissionId}`
}

interface Change {
  readonly merged: Merged
  readonly contactId: number | null
  /** What led the visitor here, at first and the last time, where this save tells. */
  readonly first: Attribution | undefined
  readonly last: Attribution | undefined
  readonly typed: Submission['typed']
  readonly complete: boolean
}

/** The submission as the change leaves it: itself where nothing has changed. */
async function settled(tx: Ctx, form: Form, before: Submission, change: Change): Promise<Submission> {
  const { merged, contactId, complete } = change
  const attribution = change.last ?? before.attribution
  const firstAttribution = isEqual(before.firstAttribution, {}) ? (change.first ?? {}) : before.firstAttribution
  const typed = { ...before.typed, ...change.typed }
  const isTouched =
    complete ||
    merged.changed.length > 0 ||
    contactId !== before.contactId ||
    !isEqual(attribution, before.attribution) ||
    !isEqual(firstAttribution, before.firstAttribution) ||
    !isEqual(typed, before.typed)
  if (!isTouched) return before
  const score = sum([...merged.answered.values()].map((answer) => answer.score))
  const bucket = bucketOf(score, form)
  const now = tx.clock.now()
  const facts = { contactId, attribution, firstAttribution, typed, score: score.toFixed(2), bucket, updatedAt: now }
  const after = { ...before, ...facts }
  if (!complete) return after
  const outcome = outcomeOf(await tx.load(outcomesOf, form.id), bucket)
  const [outcomeKey, outcomeTitle] = [outcome?.key ?? null, outcome?.title ?? null]
  return { ...after, status: 'COMPLETED', completedAt: now, outcomeKey, outcomeTitle }
}

async function write(tx: Ctx, after: Submission): Promise<Submission> {
  const [row] = await tx.sql<Submission>`
    UPDATE submission s SET contact_id = ${after.contactId}::int, status = ${after.status}::submission_status,
      score = ${after.score}::numeric, bucket = ${after.bucket}::bucket, outcome_key = ${after.outcomeKey},
      outcome_title = ${after.outcomeTitle}, attribution = ${JSON.stringify(after.attribution)}::jsonb,
      first_attribution = ${JSON.stringify(after.firstAttribution)}::jsonb, typed = ${JSON.stringify(after.typed)}::jsonb,
      completed_at = ${after.completedAt}::timestamptz, updated_at = ${after.updatedAt}::timestamptz
    WHERE s.account_id = ${tx.sql.account} AND s.id = ${after.id} RETURNING ${submissionColumns}`
  return row as Submission
}

function mustBeSame({ changed }: Merged): void {
  if (changed.length === 0) return
  throw invalid(faultsOf(changed.map(({ questionId }) => [questionId, 'cannot change: the submission is completed'])))
}

function mustBeComplete(questions: readonly Question[], answered: ReadonlyMap<number, Answered>): void {
  const missing = missingOf(questions, answered)
  if (missing.length > 0) throw invalid(faultsOf(missing))
}

/** Nothing is known where the visitor was never led here by anything. */
function known(attribution: Attribution | undefined): Attribution | undefined {
  return attribution && Object.keys(attribution).length > 0 ? attribution : undefined
}

function isEqual(one: object, other: object): boolean {
  const facts = (each: object) => JSON.stringify(Object.entries(each).sort())
  return facts(one) === facts(other)
}
