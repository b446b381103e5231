import { z } from 'zod'
import type { Bucket } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { invalid } from '../../kernel/errors.ts'
import { check, name, sent, text } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { type Form, lock, markUpdated } from './form-list.ts'
import { byId, notFound, type Outcome, ofForm } from './outcome-list.ts'

/** Maximum number of outcomes of a form. */
export const maxOutcomes = 100

const buckets = ['HOT', 'WARM', 'COLD'] as const
const NewOutcome = z.object({
  key: name(64).regex(
    /^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$/,
    'must consist of letters and digits, with single - or _ between them',
  ),
  title: name(255),
  text: text(10_000).default(''),
  bucket: z.enum(buckets),
})
const OutcomeChange = NewOutcome.extend({ text: text(10_000) }).partial()

/** Input of an outcome. */
export interface OutcomeInput {
  key: string
  title: string
  text?: string | null | undefined
  bucket: Bucket
}

/**
 * Adds an outcome to the end of the outcomes of a form.
 *
 * **Emits** `form.updated`. **Throws** NOT_FOUND, and VALIDATION_ERROR, also if another outcome of the form has the key.
 */
export async function create(
  ctx: Ctx,
  input: OutcomeInput & { formId: string | number },
): Promise<{ outcome: Outcome }> {
  const { formId, ...rest } = input
  const values = check(NewOutcome, sent(rest))
  return inTransaction(ctx, async (tx) => {
    const form = await lock(tx, formId, 'formId')
    const before = await read(tx, form.id)
    mustHaveFreeKey(before, values.key)
    await insert(tx, form.id, [values])
    await markUpdated(tx, form.id)
    return { outcome: (await read(tx, form.id)).at(-1) as Outcome }
  })
}

/**
 * Updates the fields of an outcome that the input contains. Submissions that ended with the outcome keep its former key and
 * title.
 *
 * **Emits** `form.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: { [Key in keyof OutcomeInput]?: OutcomeInput[Key] | null | undefined } & { id: string | number },
): Promise<{ outcome: Outcome }> {
  const { id, ...rest } = input
  const change = sent(check(OutcomeChange, sent(rest)))
  return inTransaction(ctx, async (tx) => {
    const { form, outcome, all } = await lockOutcome(tx, id)
    if (change.key !== undefined)
      mustHaveFreeKey(
        all.filter((each) => each.id !== outcome.id),
        change.key,
      )
    const where = { accountId_id: { accountId: tx.accountId, id: outcome.id } }
    await tx.db.outcome.update({ where, data: { ...change, updatedAt: tx.clock.now() } })
    await markUpdated(tx, form.id)
    return { outcome: await reload(tx, outcome) }
  })
}

/**
 * Moves an outcome to another position, starting at 1. **Emits** `form.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function move(
  ctx: Ctx,
  { id, position }: { id: string | number; position: number },
): Promise<{ outcome: Outcome }> {
  return inTransaction(ctx, async (tx) => {
    const { form, outcome, all } = await lockOutcome(tx, id)
    if (position < 1 || position > all.length) throw invalid({ position: [`must be between 1 and ${all.length}`] })
    await moveTo(tx, outcome, position)
    await markUpdated(tx, form.id)
    return { outcome: await reload(tx, outcome) }
  })
}

/**
 * Deletes an outcome. Submissions that ended with it keep its key and title. **Emits** `form.updated`. **Throws** NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number; form: Form }> {
  return inTransaction(ctx, async (tx) => {
    const { form, outcome } = await lockOutcome(tx, input.id)
    await tx.db.outcome.delete({ where: { accountId_id: { accountId: tx.accountId, id: outcome.id } } })
    await tx.sql`
      UPDATE outcome SET position = position - 1
      WHERE account_id = ${tx.sql.account} AND form_id = ${form.id} AND position > ${outcome.position}`
    return { databaseId: outcome.id, form: await markUpdated(tx, form.id) }
  })
}

/** Adds the outcomes of a new form. **Throws** VALIDATION_ERROR. */
export async function addAll(tx: Ctx, formId: number, inputs: readonly OutcomeInput[]): Promise<void> {
  const { outcomes } = check(z.object({ outcomes: z.array(NewOutcome).max(maxOutcomes, tooMany) }), {
    outcomes: inputs.map((each) => sent(each)),
  })
  if (new Set(outcomes.map(({ key }) => key)).size < outcomes.length)
    throw invalid({ outcomes: ['must have different keys'] })
  await insert(tx, formId, outcomes)
}

const tooMany = `must be at most ${maxOutcomes}`

async function insert(tx: Ctx, formId: number, outcomes: readonly z.output<typeof NewOutcome>[]): Promise<void> {
  const { length: before } = await read(tx, formId)
  if (before + outcomes.length > maxOutcomes) throw invalid({ outcomes: [tooMany] })
  const common = { accountId: tx.accountId, formId, updatedAt: tx.clock.now() }
  await tx.db.outcome.createMany({
    data: outcomes.map((each, index) => ({ ...each, ...common, position: before + index + 1 })),
  })
}

async function moveTo(tx: Ctx, { id, formId, position: from }: Outcome, to: number): Promise<void> {
  await tx.sql`
    UPDATE outcome SET position = CASE
      WHEN id = ${id} THEN ${to}::int
      WHEN position > ${from} AND position <= ${to} THEN position - 1
      WHEN position < ${from} AND position >= ${to} THEN position + 1
      ELSE position END
    WHERE account_id = ${tx.sql.account} AND form_id = ${formId}`
}

/** Returns an outcome and locks its form. **Throws** NOT_FOUND. */
export async function lockOne(tx: Ctx, { id }: { id: string | number }): Promise<Outcome> {
  return (await lockOutcome(tx, id)).outcome
}

/** Locks the form of an outcome. Returns the form, the outcome and all outcomes of the form. */
async function lockOutcome(
  tx: Ctx,
  idInput: string | number,
): Promise<{ form: Form; outcome: Outcome; all: Outcome[] }> {
  const id = idOf('Outcome', idInput)
  const seen = await tx.load(byId, id)
  if (!seen) throw notFound()
  const form = await lock(tx, seen.formId)
  const all = await read(tx, form.id)
  const outcome = all.find((each) => each.id === id)
  if (!outcome) throw notFound()
  return { form, outcome, all }
}

async function reload(tx: Ctx, { id, formId }: Outcome): Promise<Outcome> {
  return (await read(tx, formId)).find((each) => each.id === id) as Outcome
}

async function read(tx: Ctx, formId: number): Promise<Outcome[]> {
  tx.load.clear()
  return tx.load(ofForm, formId)
}

function mustHaveFreeKey(others: readonly Outcome[], key: string): void {
  if (others.some((each) => each.key === key))
    throw invalid({ key: ['must differ from the keys of the other outcomes of the form'] })
}
