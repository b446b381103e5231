import { z } from 'zod'
import type { Funnel, FunnelStep } from '../../../prisma/generated/client/client.ts'
import { announcePageChange } from '../../account/index.ts'
import { tags } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Announcements, emit } from '../../events/index.ts'
import { formList, forms } from '../../forms/index.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { check, name, sent, text } from '../../kernel/values/check.ts'
import { idOf, largestId } from '../../kernel/values/ids.ts'
import { sequences } from '../../sequences/index.ts'
import { removeVisitTotals } from '../visits/visit-expiry.ts'
import { enqueueVisitCleanUp } from '../visits/visit-removal.ts'
import { byId as findFunnel, lock as lockFunnel } from './funnel-list.ts'
import { freePath, maxPathLength, pathPattern, slugOf } from './slugs.ts'
import { byForm, lock, lockSteps, maxSteps } from './step-list.ts'

/** Maximum number of tags, and of sequences, of a step. */
export const maxLinks = 100

const settings = {
  name: name(255),
  type: z.int('must be a whole number').min(0, 'must not be negative').max(largestId, `must be at most ${largestId}`),
  title: text(255),
  description: text(1_000),
}
const NewStep = z.object({
  ...settings,
  type: settings.type.default(1),
  title: settings.title.default(''),
  description: settings.description.default(''),
})
const links = z.array(z.int()).max(maxLinks, `must have at most ${maxLinks} ids`)
const StepChange = z
  .object({
    ...settings,
    path: z
      .string()
      .regex(pathPattern, 'must be lowercase letters and digits, in words joined by hyphens')
      .max(maxPathLength, `must have at most ${maxPathLength} characters`),
    tagIds: links,
    sequenceIds: links,
  })
  .partial()

/** Fields of a step in inputs. Null means absent. */
interface StepDetails {
  name?: string | null | undefined
  type?: number | null | undefined
  title?: string | null | undefined
  description?: string | null | undefined
  formId?: string | number | null | undefined
}

interface StepChange extends StepDetails {
  id: string | number
  path?: string | null | undefined
  tagIds?: readonly (string | number)[] | null | undefined
  sequenceIds?: readonly (string | number)[] | null | undefined
}

/**
 * Creates a step at the end of a funnel, with an opt-in form unless the input has a form. The path is derived from the name,
 * with a number appended if another step of the funnel has it (REST specification, Funnel step).
 *
 * **Emits** `form.created` if it creates the form, and `funnel_step.created`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function create(
  ctx: Ctx,
  input: StepDetails & { funnelId: string | number; name: string },
): Promise<{ step: FunnelStep }> {
  const { funnelId, formId, ...rest } = input
  const checked = check(NewStep, sent(rest))
  return inTransaction(ctx, async (tx) => {
    const funnel = await lockFunnel(tx, funnelId, 'funnelId')
    const siblings = await lockSteps(tx, funnel.id)
    if (siblings.length >= maxSteps)
      throw invalid({ funnelId: [`has the maximum of ${maxSteps} steps`] }, 'LIMIT_REACHED')
    const form = formId == null ? await forms.createForStep(tx, { name: checked.name }) : await freeForm(tx, formId)
    const path = freePath(slugOf(checked.name), new Set(siblings.map((step) => step.path)))
    const [accountId, now] = [tx.accountId, tx.clock.now()]
    const place = { funnelId: funnel.id, formId: form.id, position: siblings.length + 1, path }
    const step = await tx.db.funnelStep.create({
      data: { ...checked, ...place, accountId, tagIds: [], sequenceIds: [], createdAt: now, updatedAt: now },
    })
    await announceChange(tx, 'funnel_step.created', step)
    return { step }
  })
}

/**
 * Updates a step. Null and absent fields stay unchanged. A form that is replaced belongs to no step afterwards.
 *
 * **Emits** `funnel_step.updated`. **Throws** NOT_FOUND for an unknown step, form, tag or sequence, PATH_TAKEN if another step
 * of the funnel has the path, and VALIDATION_ERROR.
 */
export async function update(ctx: Ctx, input: StepChange): Promise<{ step: FunnelStep }> {
  const { id, formId, ...rest } = input
  const change = check(StepChange, {
    ...sent(rest),
    tagIds: input.tagIds?.map((tagId) => idOf('Tag', tagId, 'tagIds')),
    sequenceIds: input.sequenceIds?.map((sequenceId) => idOf('Sequence', sequenceId, 'sequenceIds')),
  })
  return inTransaction(ctx, async (tx) => {
    const { step, all } = await lock(tx, id)
    if (all.some((each) => each.id !== step.id && each.path === change.path)) throw refuseValue('path', 'PATH_TAKEN')
    await mustExist(tx, change)
    const form = formId == null ? {} : { formId: (await freeForm(tx, formId, step)).id }
    const data = { ...sent(change), ...form, updatedAt: tx.clock.now() }
    if (change.tagIds) data.tagIds = [...new Set(change.tagIds)]
    if (change.sequenceIds) data.sequenceIds = [...new Set(change.sequenceIds)]
    await announceChange(tx, 'funnel_step.updated', step)
    return { step: await tx.db.funnelStep.update({ where: keyOf(step), data }) }
  })
}

/**
 * Moves a step to another position; the others shift. **Emits** `funnel_step.updated` for the moved step. **Throws** NOT_FOUND
 * and VALIDATION_ERROR.
 */
export async function move(ctx: Ctx, input: { id: string | number; position: number }): Promise<{ step: FunnelStep }> {
  return inTransaction(ctx, async (tx) => {
    const { step, all } = await lock(tx, input.id)
    const { position } = input
    if (position < 1 || position > all.length) throw invalid({ position: [`must be between 1 and ${all.length}`] })
    await tx.sql`
      UPDATE funnel_step SET position = CASE
        WHEN id = ${step.id}::int THEN ${position}::int
        WHEN position > ${step.position}::int AND position <= ${position}::int THEN position - 1
        WHEN position < ${step.position}::int AND position >= ${position}::int THEN position + 1
        ELSE position END
      WHERE account_id = ${tx.sql.account} AND funnel_id = ${step.funnelId}::int`
    await announceChange(tx, 'funnel_step.updated', step)
    return { step: { ...step, position } }
  })
}

/**
 * Deletes a step with its content; the positions of later steps decrease by 1. A form with submissions is archived. A job
 * deletes the visits. **Emits** `funnel_step.deleted`, and the events of `retireStepForms`. **Throws** NOT_FOUND.
 */
export async function remove(
  ctx: Ctx,
  input: { id: string | number },
): Promise<{ databaseId: number; funnel: Funnel }> {
  return inTransaction(ctx, async (tx) => {
    const { step } = await lock(tx, input.id)
    const funnel = (await tx.load(findFunnel, step.funnelId)) as Funnel
    await tx.db.funnelStep.delete({ where: keyOf(step) })
    await tx.sql`
      UPDATE funnel_step SET position = position - 1
      WHERE account_id = ${tx.sql.account} AND funnel_id = ${step.funnelId}::int AND position > ${step.position}::int`
    await announceChange(tx, 'funnel_step.deleted', step)
    await forms.retireStepForms(tx, [step.formId])
    await enqueueVisitCleanUp(tx, { funnelId: step.funnelId, stepId: step.id })
    await removeVisitTotals(tx, { funnelId: step.funnelId, stepId: step.id })
    return { databaseId: step.id, funnel }
  })
}

/** Emits an event of a step, and announces to the servers that pages have changed. */
export async function announceChange<Type extends `funnel_step.${string}` & keyof Announcements>(
  tx: Ctx,
  type: Type,
  { id: stepId, funnelId }: FunnelStep,
): Promise<void> {
  await emit(tx, type, { stepId, funnelId })
  await announcePageChange(tx)
}

/** Primary key of a step. */
export function keyOf({ accountId, id }: FunnelStep) {
  return { accountId_id: { accountId, id } }
}

/**
 * Returns a form that a step can have, and locks it, so that two steps cannot take it. **Throws** NOT_FOUND, and
 * VALIDATION_ERROR if the form is not published or belongs to another step. The present form of the step stays valid.
 */
async function freeForm(tx: Ctx, formId: string | number, step?: FunnelStep): Promise<{ id: number }> {
  const form = await formList.lock(tx, formId, 'formId')
  if (form.id === step?.formId) return form
  if (form.status !== 'PUBLISHED') throw invalid({ formId: ['must be the id of a published form'] })
  if (await tx.load(byForm, form.id)) throw invalid({ formId: ['belongs to another step'] }, 'TAKEN')
  return form
}

/** **Throws** NOT_FOUND for an unknown tag or sequence. Tags and sequences that are deleted later are ignored. */
async function mustExist(
  tx: Ctx,
  { tagIds = [], sequenceIds = [] }: { tagIds?: number[] | undefined; sequenceIds?: number[] | undefined },
): Promise<void> {
  const [foundTags, foundSequences] = await Promise.all([
    Promise.all(tagIds.map((id) => tx.load(tags.byId, id))),
    Promise.all(sequenceIds.map((id) => tx.load(sequences.byId, id))),
  ])
  if (foundTags.includes(null)) throw refuseValue('tagIds', 'NOT_FOUND', 'There is no such tag.')
  if (foundSequences.includes(null)) throw refuseValue('sequenceIds', 'NOT_FOUND', 'There is no such sequence.')
}
