import { z } from 'zod'
import type { FunnelStep } from '../../prisma/generated/client/client.ts'
import { showSoon } from '../account/index.ts'
import { tags } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { forms } from '../forms/index.ts'
import { check, name, sent, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf, largestId } from '../kernel/ids.ts'
import { sequences } from '../sequences/index.ts'
import { lock as lockFunnel } from './funnel-list.ts'
import { freePath, longestPath, pathForm, slugOf } from './slug.ts'
import { inOrder, lock, mostSteps } from './step-list.ts'
import { forgetTotals } from './visit-totals.ts'
import { forgetVisits } from './visits.ts'

/** How many tags, and how many sequences, opting in on a step can bring. */
export const mostLinks = 100

const settings = {
  name: name(255),
  type: z.int('must be a whole number').min(0, 'must not be negative').max(largestId, `must be ${largestId} at most`),
  title: text(255),
  description: text(1_000),
}
const NewStep = z.object({
  ...settings,
  type: settings.type.default(1),
  title: settings.title.default(''),
  description: settings.description.default(''),
})
const links = z.array(z.int()).max(mostLinks, `must have ${mostLinks} ids at most`)
const StepChange = z
  .object({
    ...settings,
    path: z
      .string()
      .regex(pathForm, 'must be small letters and digits, in words joined by hyphens')
      .max(longestPath, `must have ${longestPath} characters at most`),
    tagIds: links,
    sequenceIds: links,
  })
  .partial()

/** What a client says of a page; null and absent are the same. */
export interface StepDetails {
  name?: string | null | undefined
  type?: number | null | undefined
  title?: string | null | undefined
  description?: string | null | undefined
}

export interface StepChange extends StepDetails {
  id: string | number
  path?: string | null | undefined
  tagIds?: readonly (string | number)[] | null | undefined
  sequenceIds?: readonly (string | number)[] | null | undefined
}

/**
 * Adds a step at the end of a funnel, with the form that visitors opt in on. Its path is made of its name; where that is
 * taken in the funnel, a number is added (REST specification, Funnel step). Fails with NOT_FOUND and VALIDATION_ERROR.
 */
export async function create(
  ctx: Ctx,
  input: StepDetails & { funnelId: string | number; name: string },
): Promise<{ step: FunnelStep }> {
  const { funnelId, ...rest } = input
  const given = check(NewStep, sent(rest))
  return inTransaction(ctx, async (tx) => {
    const funnel = await lockFunnel(tx, funnelId, 'funnelId')
    const siblings = await inOrder(tx, funnel.id)
    if (siblings.length >= mostSteps) throw invalid({ funnelId: [`has ${mostSteps} steps, which is the most`] })
    const form = await forms.createForStep(tx, { name: given.name })
    const path = freePath(slugOf(given.name), new Set(siblings.map((step) => step.path)))
    const [accountId, now] = [tx.accountId, tx.clock.now()]
    const place = { funnelId: funnel.id, formId: form.id, position: siblings.length + 1, path }
    const step = await tx.db.funnelStep.create({
      data: { ...given, ...place, accountId, tagIds: [], sequenceIds: [], createdAt: now, updatedAt: now },
    })
    showSoon(tx)
    return { step }
  })
}

/**
 * Changes a step: only what is sent. Fails with NOT_FOUND for it, a tag or a sequence, with PATH_TAKEN where another step
 * of the funnel has the path, and with VALIDATION_ERROR.
 */
export async function update(ctx: Ctx, input: StepChange): Promise<{ step: FunnelStep }> {
  const { id, ...rest } = input
  const change = check(StepChange, {
    ...sent(rest),
    tagIds: input.tagIds?.map((tagId) => idOf('Tag', tagId, 'tagIds')),
    sequenceIds: input.sequenceIds?.map((sequenceId) => idOf('Sequence', sequenceId, 'sequenceIds')),
  })
  return inTransaction(ctx, async (tx) => {
    const { step, all } = await lock(tx, id)
    if (all.some((each) => each.id !== step.id && each.path === change.path)) throw refuse('PATH_TAKEN')
    await mustBeOwn(tx, change)
    const data = { ...sent(change), updatedAt: tx.clock.now() }
    if (change.tagIds) data.tagIds = [...new Set(change.tagIds)]
    if (change.sequenceIds) data.sequenceIds = [...new Set(change.sequenceIds)]
    showSoon(tx)
    return { step: await tx.db.funnelStep.update({ where: keyOf(step), data }) }
  })
}

/** Moves a step to another place in its funnel; the others close up. Fails with NOT_FOUND and VALIDATION_ERROR. */
export async function move(ctx: Ctx, input: { id: string | number; order: number }): Promise<{ step: FunnelStep }> {
  return inTransaction(ctx, async (tx) => {
    const { step, all } = await lock(tx, input.id)
    const to = input.order
    if (to < 1 || to > all.length) throw invalid({ order: [`must be from 1 to ${all.length}`] })
    await tx.sql`
      UPDATE funnel_step SET position = CASE
        WHEN id = ${step.id}::int THEN ${to}::int
        WHEN position > ${step.position}::int AND position <= ${to}::int THEN position - 1
        WHEN position < ${step.position}::int AND position >= ${to}::int THEN position + 1
        ELSE position END
      WHERE account_id = ${tx.sql.account} AND funnel_id = ${step.funnelId}::int`
    showSoon(tx)
    return { step: { ...step, position: to } }
  })
}

/**
 * Deletes a step with its contents; those behind it close up. Its form is kept, archived, where it was answered; a job takes
 * its visits away. Fails with NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { step } = await lock(tx, input.id)
    await tx.db.funnelStep.delete({ where: keyOf(step) })
    await tx.sql`
      UPDATE funnel_step SET position = position - 1
      WHERE account_id = ${tx.sql.account} AND funnel_id = ${step.funnelId}::int AND position > ${step.position}::int`
    await forms.retireStepForms(tx, [step.formId])
    showSoon(tx)
    await forgetVisits(tx, { funnelId: step.funnelId, stepId: step.id })
    await forgetTotals(tx, { funnelId: step.funnelId, stepId: step.id })
    return { databaseId: step.id }
  })
}

/** The key of a step's row. */
export function keyOf({ accountId, id }: FunnelStep) {
  return { accountId_id: { accountId, id } }
}

/** What opting in brings must be there when it is set; what is deleted later is passed over. */
async function mustBeOwn(
  tx: Ctx,
  { tagIds = [], sequenceIds = [] }: { tagIds?: number[] | undefined; sequenceIds?: number[] | undefined },
): Promise<void> {
  const [foundTags, foundSequences] = await Promise.all([
    Promise.all(tagIds.map((id) => tx.load(tags.byId, id))),
    Promise.all(sequenceIds.map((id) => tx.load(sequences.byId, id))),
  ])
  if (foundTags.includes(null)) throw refuse('NOT_FOUND', 'There is no such tag.')
  if (foundSequences.includes(null)) throw refuse('NOT_FOUND', 'There is no such sequence.')
}
