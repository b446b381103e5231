import { z } from 'zod'
import type { FormType } from '../../prisma/generated/client/client.ts'
import { announcePageChange } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { check, name, sent } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { decimal } from '../kernel/money.ts'
import { type Form, formColumns, lock, notFound } from './form-list.ts'
import * as outcomes from './outcomes.ts'
import { read } from './question-list.ts'
import { isScore } from './question-rules.ts'
import { takesAnswer } from './question-types.ts'
import * as questions from './questions.ts'
import type { Thresholds } from './scoring.ts'

const mostScore = 1_000_000_000
const threshold = z
  .string()
  .refine(
    (value) => isScore(value, mostScore),
    `must be between -${mostScore} and ${mostScore}, with 2 decimals at most`,
  )
const NewForm = z.object({
  name: name(255),
  type: z.enum(['OPTIN', 'QUIZ', 'SURVEY', 'CHECKOUT']).default('QUIZ'),
  warmFrom: threshold.optional(),
  hotFrom: threshold.optional(),
})
const FormChange = z.object({ name: name(255), warmFrom: threshold, hotFrom: threshold }).partial()

/** Without thresholds of its own, any point makes a submission warm and ten make it hot. */
const usual: Thresholds = { warmFrom: '1', hotFrom: '10' }

export interface FormDetails {
  name?: string | null | undefined
  warmFrom?: string | null | undefined
  hotFrom?: string | null | undefined
}

export interface NewForm extends FormDetails {
  name: string
  type?: FormType | null | undefined
  questions?: readonly questions.NewQuestion[] | null | undefined
  outcomes?: readonly outcomes.OutcomeDetails[] | null | undefined
}

/** Makes a form, as a draft, with its first questions and outcomes. Fails with VALIDATION_ERROR, and NOT_FOUND for a custom field. */
export async function create(ctx: Ctx, input: NewForm): Promise<{ form: Form }> {
  const { questions: asked, outcomes: ends, ...rest } = input
  const given = check(NewForm, sent(rest))
  const thresholds = thresholdsOver(usual, given)
  return inTransaction(ctx, async (tx) => {
    const form = await insert(tx, { ...given, ...thresholds, status: 'DRAFT' })
    await questions.addAll(tx, form.id, asked ?? [])
    await outcomes.addAll(tx, form.id, ends ?? [])
    return { form }
  })
}

/**
 * Changes a form: only what is sent. Other thresholds count for submissions that are saved from now on. Fails with NOT_FOUND
 * and VALIDATION_ERROR.
 */
export async function update(ctx: Ctx, input: FormDetails & { id: string | number }): Promise<{ form: Form }> {
  const { id, ...rest } = input
  const change = sent(check(FormChange, sent(rest)))
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id)
    const form = { ...before, ...change, ...thresholdsOver(before, change) }
    return { form: await write(tx, form) }
  })
}

/**
 * Opens a draft or an archived form to submissions. Fails with NOT_FOUND for one that is open already, and with
 * VALIDATION_ERROR where it has no question that takes an answer.
 */
export async function publish(ctx: Ctx, input: { id: string | number }): Promise<{ form: Form }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status === 'PUBLISHED') throw notFound('There is no such form that is a draft or archived.')
    const asked = await read(tx, before.id)
    if (!asked.some(({ type }) => takesAnswer(type))) {
      throw invalid({ questions: ['must have at least one that takes an answer'] })
    }
    const publishedAt = before.publishedAt ?? tx.clock.now()
    return { form: await write(tx, { ...before, status: 'PUBLISHED', publishedAt }) }
  })
}

/** Closes a published form: it takes no submissions any more, and keeps those it has. Fails with NOT_FOUND for any other. */
export async function archive(ctx: Ctx, input: { id: string | number }): Promise<{ form: Form }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status !== 'PUBLISHED') throw notFound('There is no such published form.')
    return { form: await write(tx, { ...before, status: 'ARCHIVED' }) }
  })
}

/**
 * Makes the form of a funnel step that people opt in on: published, for it is reached as its page is, and asking for an
 * e-mail address and a first name. Fails with VALIDATION_ERROR for the name.
 */
export async function createForStep(tx: Ctx, input: { name: string }): Promise<Form> {
  const given = check(z.object({ name: name(255) }), input)
  const form = await insert(tx, { ...given, ...usual, type: 'OPTIN', status: 'PUBLISHED' })
  await questions.addAll(tx, form.id, [
    { label: 'E-mail', type: 'EMAIL', required: true },
    { label: 'First name', type: 'SHORT_TEXT', contactField: 'FIRST_NAME' },
  ])
  return form
}

/** What becomes of forms whose steps have gone: those without submissions go too, the others are archived. */
export async function leaveSteps(tx: Ctx, formIds: readonly number[]): Promise<void> {
  // Locked in the order of their ids, so that two who take the same ones never wait for each other.
  await tx.sql`
    SELECT FROM form f WHERE f.account_id = ${tx.sql.account} AND f.id = ANY(${formIds}::int[]) ORDER BY f.id FOR UPDATE`
  await tx.sql`
    DELETE FROM form f WHERE f.account_id = ${tx.sql.account} AND f.id = ANY(${formIds}::int[]) AND NOT EXISTS (
      SELECT FROM submission s WHERE s.account_id = f.account_id AND s.form_id = f.id)`
  await tx.sql`
    UPDATE form SET status = 'ARCHIVED', updated_at = ${tx.clock.now()}::timestamptz
    WHERE account_id = ${tx.sql.account} AND id = ANY(${formIds}::int[]) AND status = 'PUBLISHED'`
}

async function insert(
  tx: Ctx,
  given: Thresholds & { name: string; type: FormType; status: Form['status'] },
): Promise<Form> {
  const now = tx.clock.now()
  const [form] = await tx.sql<Form>`
    INSERT INTO form AS f (account_id, type, name, status, warm_from, hot_from, created_at, updated_at, published_at)
    VALUES (${tx.sql.account}::int, ${given.type}::form_type, ${given.name}, ${given.status}::form_status,
      ${given.warmFrom}::numeric, ${given.hotFrom}::numeric, ${now}::timestamptz, ${now}::timestamptz,
      ${given.status === 'PUBLISHED' ? now : null}::timestamptz)
    RETURNING ${formColumns}`
  return form as Form
}

/** Changes a form whose row the caller has locked. */
async function write(tx: Ctx, { id, name: called, status, warmFrom, hotFrom, publishedAt }: Form): Promise<Form> {
  announcePageChange(tx)
  const [form] = await tx.sql<Form>`
    UPDATE form f SET name = ${called}, status = ${status}::form_status, warm_from = ${warmFrom}::numeric,
      hot_from = ${hotFrom}::numeric, published_at = ${publishedAt}::timestamptz, updated_at = ${tx.clock.now()}::timestamptz
    WHERE f.account_id = ${tx.sql.account} AND f.id = ${id} RETURNING ${formColumns}`
  return form as Form
}

/** Thresholds laid over those that are kept. */
function thresholdsOver(
  kept: Thresholds,
  given: { warmFrom?: string | undefined; hotFrom?: string | undefined },
): Thresholds {
  const { warmFrom = kept.warmFrom, hotFrom = kept.hotFrom } = given
  if (decimal(warmFrom).gt(decimal(hotFrom)))
    throw invalid({ warmFrom: [`must not be above hotFrom, which is ${hotFrom}`] })
  return { warmFrom, hotFrom }
}
