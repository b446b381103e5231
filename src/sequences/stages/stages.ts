import { z } from 'zod'
import type { Email, HoldAction, Prisma, Sequence, StageType } from '../../../prisma/generated/client/client.ts'
import { tags } from '../../contacts/index.ts'
import { type Ctx, one } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit, emitAll, mustBeReachable, readEndpoint } from '../../events/index.ts'
import { invalid, invalidStored, refuseValue } from '../../kernel/errors.ts'
import { check, name, sent, text } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { type BodyInput, checkBody, type EmailMeta, emails, type MailStats, stats } from '../../mail/index.ts'
import { type ActionInput, StageAction } from '../actions/stage-action.ts'
import { lock, lockShared } from '../definition/sequences.ts'
import { ofStages, type SequenceStage, stagesOf, stageTable } from '../planning/progress.ts'
import { replan } from '../planning/replanning.ts'

/** Returns the condition that a message `r` belongs to any of the stages, or to any stage if `ids` is undefined. */
export function toStages(ctx: Ctx, ids: readonly number[] | undefined): Sql {
  return ids ? ofStages(ctx, ids, sql`r.sequence_id`, sql`r.stage_id`) : sql`r.stage_id IS NOT NULL`
}

/** Maximum number of stages of a sequence. Lists of them are not paged. */
export const maxStages = 500

/** The units of a delay, in seconds (REST specification, Sequence stage). */
export const units = { hours: 3_600, days: 86_400, weeks: 604_800 } as const

/** Maximum delay in any unit, so that no due time leads to a date that cannot be stored. */
const maxDelay = 50_000

const stageTypes = ['SEND_EMAIL', 'SEND_SMS', 'ACTION'] as const
const settings = {
  name: name(255),
  timeValue: z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(maxDelay, `must be ${maxDelay} at most`),
  timeType: z.literal([units.hours, units.days, units.weeks], 'must be 3600 (hours), 86400 (days) or 604800 (weeks)'),
  smsText: text(1_600),
  action: StageAction,
  frequencyCapAction: z.enum(['WAIT', 'SKIP']),
  quietHoursAction: z.enum(['WAIT', 'SKIP']),
}
const NewStage = z.object({
  ...settings,
  name: settings.name.optional(),
  stageType: z.enum(stageTypes).default('SEND_EMAIL'),
  timeValue: settings.timeValue.default(1),
  timeType: settings.timeType.default(units.days),
  smsText: settings.smsText.optional(),
  action: settings.action.optional(),
  frequencyCapAction: settings.frequencyCapAction.default('WAIT'),
  quietHoursAction: settings.quietHoursAction.default('WAIT'),
})
const StageChange = z.object({ ...settings, active: z.boolean(), step: z.int('must be a whole number') }).partial()

interface StageSettings {
  name?: string | null | undefined
  timeValue?: number | null | undefined
  timeType?: number | null | undefined
  smsText?: string | null | undefined
  action?: ActionInput | null | undefined
  frequencyCapAction?: HoldAction | null | undefined
  quietHoursAction?: HoldAction | null | undefined
}

/** Loads stages by id; creates NOT_FOUND. */
export const { byId, notFound } = stageTable

/** Loads the number of stages of sequences. */
export const countOf = one<number, number>(async (ctx, sequenceIds) => {
  const rows = await ctx.sql<{ id: number; stages: number }>`
    SELECT sequence_id AS id, count(*)::int AS stages FROM sequence_stage
    WHERE account_id = ${ctx.sql.account} AND sequence_id = ANY(${sequenceIds}::int[]) GROUP BY sequence_id`
  return new Map(rows.map((row) => [row.id, row.stages]))
})

/** Returns the delivery statistics of the messages of a stage. */
export async function figuresOf(ctx: Ctx, { id, sequenceId }: SequenceStage): Promise<MailStats> {
  return (await ctx.load(statsOfStages, sequenceId))?.get(id) ?? stats.emptyStats
}

/** Loads the statistics of the stages of sequences, by sequence: there may be more stages than a loader reads at once. */
const statsOfStages = one<number, ReadonlyMap<number, MailStats>>(async (ctx, sequenceIds) => {
  const lists = await Promise.all(sequenceIds.map((id) => ctx.load(stagesOf, id)))
  const byStage = await stats.statsOfStages(
    ctx,
    lists.flat().map(({ id }) => id),
  )
  return new Map(sequenceIds.map((id) => [id, byStage]))
})

/**
 * Creates an inactive stage at the end of a sequence; a SEND_EMAIL stage gets an empty e-mail. Active enrolments that have no
 * other stage left wait for it. Emits `sequence_stage.created`. Throws NOT_FOUND and VALIDATION_ERROR.
 */
export async function create(
  ctx: Ctx,
  input: StageSettings & { sequenceId: string | number; stageType?: StageType | null | undefined },
): Promise<{ stage: SequenceStage }> {
  const { sequenceId, ...rest } = input
  const { name: stageName, action, smsText, ...fields } = check(NewStage, sent(rest))
  mustFitType(fields.stageType, { action, smsText })
  await mustBeCallable(ctx, action)
  return inTransaction(ctx, async (tx) => {
    const sequence = await lock(tx, sequenceId, 'sequenceId')
    const step = (await reloadStages(tx, sequence.id)).length + 1
    if (step > maxStages) throw invalid({ sequenceId: [`has ${maxStages} stages, the maximum`] })
    await targetMustExist(tx, action)
    const emailId = fields.stageType === 'SEND_EMAIL' ? (await emails.create(tx, {})).id : null
    const now = tx.clock.now()
    const stage = await tx.db.sequenceStage.create({
      data: {
        ...fields,
        ...(action && { action: asJson(action) }),
        ...{ accountId: tx.accountId, sequenceId: sequence.id, emailId, step },
        name: stageName ?? `Step ${step}`,
        smsText: smsText ?? null,
        createdAt: now,
        updatedAt: now,
      },
    })
    await emit(tx, 'sequence_stage.created', idsOf(stage))
    if (mayChangePlans(sequence, stage)) await replan(tx, sequence.id, { movedTo: step })
    return { stage }
  })
}

/**
 * Updates a stage; absent fields stay as they are. A change of its step, its delay or `active` replans the active enrolments
 * of the sequence (`replan`). An active stage must be complete: SEND_EMAIL needs subject and HTML, SEND_SMS
 * needs a text, ACTION needs an action. The error names the stage, because a client can change many at once.
 *
 * Emits `sequence_stage.updated`, and `sequence.completed` for each enrolment that has no stages left. Throws NOT_FOUND and
 * VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: StageSettings & { id: string | number; active?: boolean | null | undefined; step?: number | null | undefined },
): Promise<{ stage: SequenceStage }> {
  const { id, ...rest } = input
  const { step, action, ...change } = check(StageChange, sent(rest))
  await mustBeCallable(ctx, action)
  return inTransaction(ctx, async (tx) => {
    const { sequence, stage: before } = await lockStage(tx, idOf('SequenceStage', id))
    mustFitType(before.stageType, { action, smsText: change.smsText })
    await targetMustExist(tx, action)
    const data = { ...sent(change), ...(action && { action: asJson(action) }), updatedAt: tx.clock.now() }
    const where = { accountId_id: { accountId: tx.accountId, id: before.id } }
    await tx.db.sequenceStage.update({ where, data })
    const to = step ?? before.step
    if (to !== before.step) await moveStage(tx, before, to)
    const stage = await tx.db.sequenceStage.findUniqueOrThrow({ where })
    if (stage.active) await mustBeComplete(tx, [stage])
    await emit(tx, 'sequence_stage.updated', idsOf(stage))
    const isMoved = to !== before.step || stage.active !== before.active
    const isDelayed = stage.timeValue !== before.timeValue || stage.timeType !== before.timeType
    if (isMoved || (isDelayed && mayChangePlans(sequence, stage))) {
      const closedStageIds = before.active && !stage.active ? [stage.id] : []
      await replan(tx, sequence.id, { movedFrom: before.step, movedTo: to, closedStageIds })
    }
    return { stage }
  })
}

/**
 * Activates or deactivates all stages of a sequence, all of them or none, and replans its active enrolments once. Emits
 * `sequence_stage.updated` for each stage that changes, and `sequence.completed` for each enrolment that has no stages left.
 * Throws NOT_FOUND, and VALIDATION_ERROR if an active stage would be incomplete.
 */
export async function updateAll(
  ctx: Ctx,
  { sequenceId, active }: { sequenceId: string | number; active: boolean },
): Promise<{ sequence: Sequence }> {
  return inTransaction(ctx, async (tx) => {
    const sequence = await lock(tx, sequenceId, 'sequenceId')
    const changed = (await reloadStages(tx, sequence.id)).filter((stage) => stage.active !== active)
    if (changed.length === 0) return { sequence }
    if (active) await mustBeComplete(tx, changed, 'sequenceId')
    const ids = changed.map(({ id }) => id)
    const where = { accountId: tx.accountId, id: { in: ids } }
    await tx.db.sequenceStage.updateMany({ where, data: { active, updatedAt: tx.clock.now() } })
    await emitAll(tx, 'sequence_stage.updated', changed.map(idsOf))
    await replan(tx, sequence.id, { closedStageIds: active ? [] : ids })
    return { sequence }
  })
}

/**
 * Deletes a stage with its e-mail. The later stages move up, and the active enrolments of the sequence are replanned.
 * Messages that it sent stay in the statistics of the contacts. Emits `sequence_stage.deleted`, and `sequence.completed` for
 * each enrolment that has no stages left. Throws NOT_FOUND.
 */
export async function remove(
  ctx: Ctx,
  input: { id: string | number },
): Promise<{ databaseId: number; sequence: Sequence }> {
  return inTransaction(ctx, async (tx) => {
    const { sequence, stage } = await lockStage(tx, idOf('SequenceStage', input.id))
    await tx.db.sequenceStage.delete({ where: { accountId_id: { accountId: tx.accountId, id: stage.id } } })
    await tx.sql`
      UPDATE sequence_stage SET step = step - 1
      WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequence.id} AND step > ${stage.step}`
    if (stage.emailId !== null) await emails.remove(tx, [stage.emailId])
    await emit(tx, 'sequence_stage.deleted', idsOf(stage))
    await replan(tx, sequence.id, { movedFrom: stage.step, closedStageIds: [stage.id] })
    return { databaseId: stage.id, sequence }
  })
}

/**
 * Sets the given parts of a stage's e-mail: its body, subject and sender. Emits `sequence_stage.updated`. Throws
 * NOT_FOUND, STAGE_NOT_EMAIL for a stage of another type, and VALIDATION_ERROR, also for a body that cannot be sent
 * (`checkBody`).
 */
export async function setContent(
  ctx: Ctx,
  input: { id: string | number } & BodyInput & EmailMeta,
): Promise<{ stage: SequenceStage; email: Email }> {
  const { id, html, text: plain, content, shippedTemplate, templateId, ...meta } = input
  const body = await checkBody(ctx, { html, text: plain, content, shippedTemplate, templateId })
  return inTransaction(ctx, async (tx) => {
    const { id: stageId, emailId } = (await lockStage(tx, idOf('SequenceStage', id))).stage
    if (emailId === null) throw refuseValue('id', 'STAGE_NOT_EMAIL')
    // The content first: it waits for a change of the brand, which locks e-mails.
    await emails.setContent(tx, emailId, body)
    const email = await emails.update(tx, emailId, meta)
    const where = { accountId_id: { accountId: tx.accountId, id: stageId } }
    const stage = await tx.db.sequenceStage.update({ where, data: { updatedAt: tx.clock.now() } })
    if (stage.active) await mustBeComplete(tx, [stage])
    await emit(tx, 'sequence_stage.updated', idsOf(stage))
    return { stage, email }
  })
}

/** Returns the data of the events of a stage. */
function idsOf({ id: stageId, sequenceId }: SequenceStage) {
  return { stageId, sequenceId }
}

async function reloadStages(tx: Ctx, sequenceId: number): Promise<SequenceStage[]> {
  tx.load.clear()
  return tx.load(stagesOf, sequenceId)
}

/** Returns a stage and locks its sequence. Throws NOT_FOUND. */
export async function lockOne(tx: Ctx, { id }: { id: string | number }): Promise<SequenceStage> {
  return (await lockStage(tx, idOf('SequenceStage', id))).stage
}

/** Locks the sequence of a stage: no other operation changes its stages or enrols contacts until the transaction ends. */
async function lockStage(tx: Ctx, id: number): Promise<{ sequence: Sequence; stage: SequenceStage }> {
  const unlocked = await tx.load(byId, id)
  if (!unlocked) throw stageTable.notFound()
  const sequence = await lock(tx, unlocked.sequenceId)
  const stage = (await reloadStages(tx, sequence.id)).find((each) => each.id === id)
  if (!stage) throw stageTable.notFound()
  return { sequence, stage }
}

async function moveStage(tx: Ctx, stage: SequenceStage, to: number): Promise<void> {
  const { length } = await reloadStages(tx, stage.sequenceId)
  if (to < 1 || to > length) throw invalid({ step: [`must be from 1 to ${length}`] })
  await tx.sql`
    UPDATE sequence_stage SET step = CASE
      WHEN id = ${stage.id} THEN ${to}::int
      WHEN step > ${stage.step} AND step <= ${to} THEN step - 1
      WHEN step < ${stage.step} AND step >= ${to} THEN step + 1
      ELSE step END
    WHERE account_id = ${tx.sql.account} AND sequence_id = ${stage.sequenceId}`
}

/** Rejects settings of another type of stage. Throws VALIDATION_ERROR. */
function mustFitType(type: StageType, { action, smsText }: { action?: unknown; smsText?: unknown }): void {
  if (action !== undefined && type !== 'ACTION') throw invalid({ action: ['is allowed only for an ACTION stage'] })
  if (smsText !== undefined && type !== 'SEND_SMS') {
    throw invalid({ smsText: ['is allowed only for a SEND_SMS stage'] })
  }
}

/** Checks that the tag or the sequence of an action exists. An action whose tag or sequence is deleted later fails. */
async function targetMustExist(tx: Ctx, action: StageAction | undefined): Promise<void> {
  if (action && 'tagId' in action)
    await tags.mustExist(tx, action.tagId, `action.${action.kind === 'ADD_TAG' ? 'addTagId' : 'removeTagId'}`)
  if (action && 'sequenceId' in action)
    await lockShared(tx, action.sequenceId, `action.${action.kind === 'ENROL' ? 'addSequenceId' : 'removeSequenceId'}`)
}

/** Checks the URL of a webhook action by the rules for webhooks. Throws VALIDATION_ERROR. */
async function mustBeCallable(ctx: Ctx, action: StageAction | undefined): Promise<void> {
  if (action?.kind !== 'WEBHOOK') return
  await mustBeReachable(readEndpoint(action.url, 'action.webhookUrl'), ctx.outbound, 'action.webhookUrl')
}

/** What a stage lacks so that it can be active: names of its fields. */
async function missingIn(tx: Ctx, { stageType, emailId, smsText, action }: SequenceStage): Promise<string[]> {
  if (stageType === 'SEND_SMS') return smsText?.trim() ? [] : ['smsText']
  if (stageType === 'ACTION') return action === null ? ['action'] : []
  const email = emailId === null ? null : await tx.load(emails.byId, emailId)
  return [...(email?.subject.trim() ? [] : ['subject']), ...(email && emails.hasBody(email) ? [] : ['html'])]
}

/**
 * Throws VALIDATION_ERROR for what active stages lack. The content of an e-mail is not in the input of every operation, so it is
 * named as a part of the object that `field` identifies.
 */
async function mustBeComplete(tx: Ctx, active: readonly SequenceStage[], field = 'id'): Promise<void> {
  tx.load.clear()
  const lacks = await Promise.all(
    active.map(async (stage) =>
      (await missingIn(tx, stage)).map((name) => ({
        name,
        reason: `is required for the active stage “${stage.name}”`,
      })),
    ),
  )
  const missing = Map.groupBy(lacks.flat(), ({ name }) => name)
  if (missing.size === 0) return
  const reasons = Object.fromEntries([...missing].map(([name, all]) => [name, all.map(({ reason }) => reason)]))
  const isInput = active.length === 1 && active[0]?.stageType !== 'SEND_EMAIL'
  throw isInput ? invalid(reasons, 'REQUIRED') : invalidStored(field, reasons, 'REQUIRED')
}

/** Whether the delay of a stage can change plans. In a normal sequence, an inactive one has no due time that decides anything. */
function mayChangePlans(sequence: Sequence, stage: SequenceStage): boolean {
  return stage.active || sequence.type === 'INVERTED'
}

function asJson(action: StageAction): Prisma.InputJsonObject {
  return { ...action }
}
