import { z } from 'zod'
import type { FormType } from '../../../prisma/generated/client/client.ts'
import { announcePageChange } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit, emitAll } from '../../events/index.ts'
import { invalid, invalidStored, refuseValue } from '../../kernel/errors.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { decimal } from '../../kernel/values/money.ts'
import { canonicalLocale, localeMessage } from '../../kernel/values/regions.ts'
import { emails } from '../../mail/index.ts'
import { type Form, formTable, lock } from './form-list.ts'
import * as outcomes from './outcomes.ts'
import { readQuestions } from './question-list.ts'
import { isScore } from './question-rules.ts'
import { takesAnswer } from './question-types.ts'
import * as questions from './questions.ts'
import type { Thresholds } from './scoring.ts'

const maxThreshold = 1_000_000_000
const threshold = z
  .string()
  .refine(
    (value) => isScore(value, maxThreshold),
    `must be between -${maxThreshold} and ${maxThreshold}, with at most 2 decimals`,
  )
/** A language tag in its canonical form, or empty. */
const language = z
  .string()
  .refine((tag) => tag === '' || (tag.length <= 35 && canonicalLocale(tag) !== undefined), localeMessage)
  .transform((tag) => (tag === '' ? '' : (canonicalLocale(tag) ?? '')))
const NewForm = z.object({
  name: name(255),
  language: language.default(''),
  type: z.enum(['OPTIN', 'QUIZ', 'SURVEY', 'CHECKOUT']).default('QUIZ'),
  warmFrom: threshold.optional(),
  hotFrom: threshold.optional(),
})
const FormChange = z.object({ name: name(255), language, warmFrom: threshold, hotFrom: threshold }).partial()

/** By default one point makes a submission warm, and ten points make it hot. */
const defaultThresholds: Thresholds = { warmFrom: '1', hotFrom: '10' }

interface FormInput {
  name?: string | null | undefined
  /** Empty for that of the visitor. */
  language?: string | null | undefined
  warmFrom?: string | null | undefined
  hotFrom?: string | null | undefined
}

interface NewForm extends FormInput {
  name: string
  type?: FormType | null | undefined
  questions?: readonly questions.NewQuestion[] | null | undefined
  outcomes?: readonly outcomes.OutcomeInput[] | null | undefined
}

/**
 * Creates a draft form with its questions and outcomes.
 *
 * **Emits** `form.created`. **Throws** VALIDATION_ERROR, and NOT_FOUND if a custom field does not exist.
 */
export async function create(ctx: Ctx, input: NewForm): Promise<{ form: Form }> {
  const { questions: newQuestions, outcomes: newOutcomes, ...rest } = input
  const values = check(NewForm, sent(rest))
  const thresholds = mergeThresholds(defaultThresholds, values)
  return inTransaction(ctx, async (tx) => {
    const form = await insert(tx, { ...values, ...thresholds, status: 'DRAFT' })
    await questions.addAll(tx, form.id, newQuestions ?? [])
    await outcomes.addAll(tx, form.id, newOutcomes ?? [])
    return { form }
  })
}

/**
 * Updates the fields of a form that the input contains. Changed thresholds apply to submissions that are saved afterwards.
 *
 * **Emits** `form.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(ctx: Ctx, input: FormInput & { id: string | number }): Promise<{ form: Form }> {
  const { id, ...rest } = input
  const change = sent(check(FormChange, sent(rest)))
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id)
    const form = { ...before, ...change, ...mergeThresholds(before, change) }
    return { form: await write(tx, form) }
  })
}

/**
 * Publishes a draft, so that it accepts submissions.
 *
 * **Emits** `form.updated`. **Throws** INVALID_STATE if the form is no draft, and VALIDATION_ERROR if it has no question that
 * takes an answer.
 */
export async function publish(ctx: Ctx, input: { id: string | number }): Promise<{ form: Form }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status !== 'DRAFT') throw refuseValue('id', 'INVALID_STATE', 'There is no such draft.')
    return { form: await open(tx, before) }
  })
}

/**
 * Restores an archived form, so that it accepts submissions again. Idempotent.
 *
 * **Emits** `form.updated`. **Throws** VALIDATION_ERROR if it has no question that takes an answer.
 */
export async function restore(ctx: Ctx, input: { id: string | number }): Promise<{ form: Form }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    return { form: before.status === 'ARCHIVED' ? await open(tx, before) : before }
  })
}

async function open(tx: Ctx, before: Form): Promise<Form> {
  const current = await readQuestions(tx, before.id)
  if (!current.some(({ type }) => takesAnswer(type))) {
    throw invalidStored('id', { questions: ['must contain at least one question that takes an answer'] })
  }
  const publishedAt = before.publishedAt ?? tx.clock.now()
  return write(tx, { ...before, status: 'PUBLISHED', publishedAt, archivedAt: null })
}

/**
 * Archives a published form. It keeps its submissions and accepts no new ones.
 *
 * **Emits** `form.updated`. **Throws** INVALID_STATE if the form is not published.
 */
export async function archive(ctx: Ctx, input: { id: string | number }): Promise<{ form: Form }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status !== 'PUBLISHED') throw refuseValue('id', 'INVALID_STATE', 'There is no such published form.')
    return { form: await write(tx, { ...before, status: 'ARCHIVED', archivedAt: tx.clock.now() }) }
  })
}

/**
 * Creates the opt-in form of a funnel step, with questions for an e-mail address and a first name. The form is published at
 * once, because visitors reach it through the page of the step.
 *
 * **Emits** `form.created`. **Throws** VALIDATION_ERROR for the name.
 */
export async function createForStep(tx: Ctx, input: { name: string }): Promise<Form> {
  const values = check(z.object({ name: name(255) }), input)
  const form = await insert(tx, { ...values, ...defaultThresholds, language: '', type: 'OPTIN', status: 'PUBLISHED' })
  await questions.addAll(tx, form.id, [
    { label: 'E-mail', type: 'EMAIL', required: true },
    { label: 'First name', type: 'SHORT_TEXT', contactField: 'FIRST_NAME' },
  ])
  return form
}

/**
 * Deletes the forms of deleted steps if they have no submissions, and archives them otherwise.
 *
 * **Emits** `form.deleted` or `form.updated` for each changed form.
 */
export async function retireStepForms(tx: Ctx, formIds: readonly number[]): Promise<void> {
  // Locks in the order of the IDs prevent deadlocks.
  await tx.sql`
    SELECT FROM form f WHERE f.account_id = ${tx.sql.account} AND f.id = ANY(${formIds}::int[]) ORDER BY f.id FOR UPDATE`
  const deleted = await tx.sql<{ formId: number; emailId: number | null }>`
    DELETE FROM form f WHERE f.account_id = ${tx.sql.account} AND f.id = ANY(${formIds}::int[]) AND NOT EXISTS (
      SELECT FROM submission s WHERE s.account_id = f.account_id AND s.form_id = f.id)
    RETURNING f.id AS "formId", f.confirmation_email_id AS "emailId"`
  await emails.remove(
    tx,
    deleted.flatMap(({ emailId }) => emailId ?? []),
  )
  const archived = await tx.sql<{ formId: number }>`
    UPDATE form SET status = 'ARCHIVED', updated_at = ${tx.clock.now()}::timestamptz, archived_at = ${tx.clock.now()}::timestamptz
    WHERE account_id = ${tx.sql.account} AND id = ANY(${formIds}::int[]) AND status = 'PUBLISHED'
    RETURNING id AS "formId"`
  await emitAll(
    tx,
    'form.deleted',
    deleted.map(({ formId }) => ({ formId })),
  )
  await emitAll(tx, 'form.updated', archived)
}

async function insert(
  tx: Ctx,
  values: Thresholds & Pick<Form, 'name' | 'language' | 'type' | 'status'>,
): Promise<Form> {
  const now = tx.clock.now()
  const [form] = await tx.sql<Form>`
    INSERT INTO form AS f (account_id, type, name, status, language, warm_from, hot_from, created_at, updated_at, published_at)
    VALUES (${tx.sql.account}::int, ${values.type}::form_type, ${values.name}, ${values.status}::form_status,
      ${values.language}, ${values.warmFrom}::numeric, ${values.hotFrom}::numeric, ${now}::timestamptz, ${now}::timestamptz,
      ${values.status === 'PUBLISHED' ? now : null}::timestamptz)
    RETURNING ${formTable.columns}`
  await emit(tx, 'form.created', { formId: (form as Form).id })
  return form as Form
}

/** Updates a form. The caller must have locked the row. **Emits** `form.updated`. */
async function write(tx: Ctx, form: Form): Promise<Form> {
  const { id, name: newName, status, language: newLanguage, warmFrom, hotFrom, publishedAt, archivedAt } = form
  await announcePageChange(tx)
  await emit(tx, 'form.updated', { formId: id })
  const [written] = await tx.sql<Form>`
    UPDATE form f SET name = ${newName}, status = ${status}::form_status, language = ${newLanguage}, warm_from = ${warmFrom}::numeric,
      hot_from = ${hotFrom}::numeric, published_at = ${publishedAt}::timestamptz,
      archived_at = ${archivedAt}::timestamptz, updated_at = ${tx.clock.now()}::timestamptz
    WHERE f.account_id = ${tx.sql.account} AND f.id = ${id} RETURNING ${formTable.columns}`
  return written as Form
}

/** Merges new thresholds into the stored ones. **Throws** VALIDATION_ERROR if `warmFrom` is above `hotFrom`. */
function mergeThresholds(
  stored: Thresholds,
  input: { warmFrom?: string | undefined; hotFrom?: string | undefined },
): Thresholds {
  const { warmFrom = stored.warmFrom, hotFrom = stored.hotFrom } = input
  if (decimal(warmFrom).gt(decimal(hotFrom)))
    throw invalid({ warmFrom: [`must not be above hotFrom, which is ${hotFrom}`] })
  return { warmFrom, hotFrom }
}
