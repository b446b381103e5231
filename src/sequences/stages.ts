import { z } from 'zod'
import type { Email, Prisma, Sequence, SequenceStage, StageType } from '../../prisma/generated/client/client.ts'
import { tags } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { one } from '../db/load.ts'
import { inTransaction } from '../db/transaction.ts'
import { mustBeReachable, readEndpoint } from '../events/index.ts'
import { check, name, sent, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import {
  type EmailContent,
  type EmailMeta,
  emails,
  type MailStats,
  queue,
  stats,
  validateEmailBody,
} from '../mail/index.ts'
import { longestReplanning, replan, stageColumns, stagesOf } from './progress.ts'
import { hold, lock } from './sequences.ts'
import { type ActionInput, StageAction } from './stage-action.ts'

/** How many stages a sequence can have; lists of them are not paged. */
export const mostStages = 500

/** The units of a delay, in seconds (REST specification, Sequence stage). */
export const units = { hours: 3_600, days: 86_400, weeks: 604_800 } as const

/** The longest delay in any unit: no due date leaves the calendar. */
const longestDelay = 50_000

const stageTypes = ['SEND_EMAIL', 'SEND_SMS', 'ACTION'] as const
const settings = {
  name: name(255),
  timeValue: z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(longestDelay, `must be ${longestDelay} at most`),
  timeType: z.literal([units.hours, units.days, units.weeks], 'must be 3600 (hours), 86400 (days) or 604800 (weeks)'),
  smsText: text(1_600),
  action: StageAction,
}
const NewStage = z.object({
  ...settings,
  name: settings.name.optional(),
  stageType: z.enum(stageTypes).default('SEND_EMAIL'),
  timeValue: settings.timeValue.default(1),
  timeType: settings.timeType.default(units.days),
  smsText: settings.smsText.optional(),
  action: settings.action.optional(),
})
const StageChange = z.object({ ...settings, active: z.boolean(), step: z.int('must be a whole number') }).partial()

interface StageSettings {
  name?: string | null | undefined
  timeValue?: number | null | undefined
  timeType?: number | null | undefined
  smsText?: string | null | undefined
  action?: ActionInput | null | undefined
}

/** Reads stages by id. */
export const byId = one<number, SequenceStage>(async (ctx, ids) => {
  const rows = await ctx.sql<SequenceStage>`
    SELECT ${stageColumns} FROM sequence_stage g WHERE g.account_id = ${ctx.sql.account} AND g.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** How many stages sequences have. */
export const countOf = one<number, number>(async (ctx, sequenceIds) => {
  const rows = await ctx.sql<{ id: number; stages: number }>`
    SELECT sequence_id AS id, count(*)::int AS stages FROM sequence_stage
    WHERE account_id = ${ctx.sql.account} AND sequence_id = ANY(${sequenceIds}::int[]) GROUP BY sequence_id`
  return new Map(rows.map((row) => [row.id, row.stages]))
})

/** What became of the messages that a stage has sent. */
export async function figuresOf(ctx: Ctx, { id, sequenceId }: SequenceStage): Promise<MailStats> {
  const all = await ctx.load(stats.statsOfSequence, sequenceId)
  return all.find(({ stageId }) => stageId === id) ?? stats.emptyStats
}

/**
 * Adds a stage at the end of a sequence, inactive; one that sends an e-mail gets that e-mail, still empty. Who has done
 * all that was there before waits for it. Fails with NOT_FOUND and VALIDATION_ERROR.
 */
export async function create(
  ctx: Ctx,
  input: StageSettings & { sequenceId: string | number; stageType?: StageType | null | undefined },
): Promise<{ stage: SequenceStage }> {
  const { sequenceId, ...rest } = input
  const given = check(NewStage, sent(rest))
  mustSuit(given.stageType, given)
  await mustBeCallable(ctx, given.action)
  return inTransaction(
    ctx,
    async (tx) => {
      const sequence = await lock(tx, idOf('Sequence', sequenceId, 'sequenceId'))
      const step = (await read(tx, sequence.id)).length + 1
      if (step > mostStages) throw invalid({ sequenceId: [`has ${mostStages} stages, which is the most`] })
      await mustReach(tx, given.action)
      const emailId = given.stageType === 'SEND_EMAIL' ? (await emails.create(tx, {})).id : null
      const { name: called = `Step ${step}`, action, smsText, ...more } = given
      const data = { ...more, name: called, step, emailId, sequenceId: sequence.id, smsText: smsText ?? null }
      const stage = await tx.db.sequenceStage.create({
        data: {
          ...data,
          ...(action && { action: asJson(action) }),
          accountId: tx.accountId,
          createdAt: tx.clock.now(),
        },
      })
      await replan(tx, sequence, { from: 0, to: step })
      return { stage }
    },
    longestReplanning,
  )
}

/**
 * Changes a stage: only what is sent. A new step moves it among the others; whatever changes when stages come plans
 * everybody who is in the sequence anew, in the same moment. A stage is active only while it has what it takes: an e-mail
 * its subject and HTML, a text message its text, an action what it does.
 *
 * Announces `sequence.completed` for whom nothing is left to come. Fails with NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: StageSettings & { id: string | number; active?: boolean | null | undefined; step?: number | null | undefined },
): Promise<{ stage: SequenceStage }> {
  const { id, ...rest } = input
  const { step, action, ...change } = check(StageChange, sent(rest))
  await mustBeCallable(ctx, action)
  return inTransaction(
    ctx,
    async (tx) => {
      const { sequence, stage: before } = await lockStage(tx, idOf('SequenceStage', id))
      mustSuit(before.stageType, { action, smsText: change.smsText })
      await mustReach(tx, action)
      const data = { ...sent(change), ...(action && { action: asJson(action) }) }
      const where = { accountId_id: { accountId: tx.accountId, id: before.id } }
      if (Object.keys(data).length > 0) await tx.db.sequenceStage.update({ where, data })
      const to = step ?? before.step
      if (to !== before.step) await move(tx, before, to)
      const stage = await tx.db.sequenceStage.findUniqueOrThrow({ where })
      if (stage.active) await mustBeComplete(tx, stage)
      const isSame = stage.active === before.active && delay(stage) === delay(before) && to === before.step
      if (before.active && !stage.active) await queue.removeQueued(tx, sequence.id, stage.id)
      if (!isSame) await replan(tx, sequence, { from: before.step, to })
      return { stage }
    },
    longestReplanning,
  )
}

/**
 * Deletes a stage with its e-mail; those behind it move up, and everybody who is in the sequence is planned anew. What it
 * has sent still counts for its contacts. Announces `sequence.completed` for whom nothing is left. Fails with NOT_FOUND.
 */
export async function remove(
  ctx: Ctx,
  input: { id: string | number },
): Promise<{ databaseId: number; sequence: Sequence }> {
  return inTransaction(
    ctx,
    async (tx) => {
      const { sequence, stage } = await lockStage(tx, idOf('SequenceStage', input.id))
      await queue.skipSequence(tx, sequence.id, stage.id)
      await tx.db.sequenceStage.delete({ where: { accountId_id: { accountId: tx.accountId, id: stage.id } } })
      await tx.sql`
      UPDATE sequence_stage SET step = step - 1
      WHERE account_id = ${tx.sql.account} AND sequence_id = ${sequence.id} AND step > ${stage.step}`
      if (stage.emailId !== null) await emails.remove(tx, [stage.emailId])
      await replan(tx, sequence, { from: stage.step, to: 0 })
      return { databaseId: stage.id, sequence }
    },
    longestReplanning,
  )
}

/**
 * Sets what the e-mail of a stage says: its HTML, and, where they are sent, its plain text, subject and sender. Fails with
 * NOT_FOUND, with STAGE_NOT_EMAIL for a stage of another kind, and with VALIDATION_ERROR, also for a body that could not be
 * sent (`mustBeUsable`).
 */
export async function setContent(
  ctx: Ctx,
  input: { id: string | number; html: string } & EmailContent & EmailMeta,
): Promise<{ stage: SequenceStage; email: Email }> {
  const { id, html, text: plain, ...meta } = input
  await validateEmailBody(ctx, { html, text: plain })
  return inTransaction(ctx, async (tx) => {
    const { stage } = await lockStage(tx, idOf('SequenceStage', id))
    const { emailId } = stage
    if (emailId === null) throw refuse('STAGE_NOT_EMAIL')
    if (html === '') throw invalid({ html: ['must not be empty'] })
    await emails.update(tx, emailId, meta)
    const email = await emails.setContent(tx, emailId, { html, text: plain })
    if (stage.active) await mustBeComplete(tx, stage)
    return { stage, email }
  })
}

async function read(tx: Ctx, sequenceId: number): Promise<SequenceStage[]> {
  tx.load.clear()
  return tx.load(stagesOf, sequenceId)
}

/** The stage and its sequence, locked: nobody else changes its stages, and nobody is enrolled meanwhile. */
async function lockStage(tx: Ctx, id: number): Promise<{ sequence: Sequence; stage: SequenceStage }> {
  const missing = () => refuse('NOT_FOUND', 'There is no such stage.')
  const seen = await tx.load(byId, id)
  if (!seen) throw missing()
  const sequence = await lock(tx, seen.sequenceId)
  const stage = (await read(tx, sequence.id)).find((each) => each.id === id)
  if (!stage) throw missing()
  return { sequence, stage }
}

async function move(tx: Ctx, stage: SequenceStage, to: number): Promise<void> {
  const { length } = await read(tx, stage.sequenceId)
  if (to < 1 || to > length) throw invalid({ step: [`must be from 1 to ${length}`] })
  await tx.sql`
    UPDATE sequence_stage SET step = CASE
      WHEN id = ${stage.id} THEN ${to}::int
      WHEN step > ${stage.step} AND step <= ${to} THEN step - 1
      WHEN step < ${stage.step} AND step >= ${to} THEN step + 1
      ELSE step END
    WHERE account_id = ${tx.sql.account} AND sequence_id = ${stage.sequenceId}`
}

/** What only one kind of stage can have is refused on the others. */
function mustSuit(type: StageType, given: { action?: unknown; smsText?: unknown }): void {
  if (given.action !== undefined && type !== 'ACTION') throw invalid({ action: ['is for action stages only'] })
  if (given.smsText !== undefined && type !== 'SEND_SMS')
    throw invalid({ smsText: ['is for text message stages only'] })
}

/** What an action is about must be there when it is set; what is deleted later, the action does nothing about. */
async function mustReach(tx: Ctx, action: StageAction | undefined): Promise<void> {
  if (action && 'tagId' in action) await tags.mustExist(tx, action.tagId)
  if (action && 'sequenceId' in action) await hold(tx, action.sequenceId)
}

/** Makes sure that the address of a webhook action may be called, by the rules for webhooks. Fails with VALIDATION_ERROR. */
async function mustBeCallable(ctx: Ctx, action: StageAction | undefined): Promise<void> {
  if (action?.kind !== 'WEBHOOK') return
  await mustBeReachable(readEndpoint(action.url, 'action.url'), ctx.outbound, 'action.url')
}

async function mustBeComplete(tx: Ctx, stage: SequenceStage): Promise<void> {
  const missing: Record<string, string[]> = {}
  const isMissing = (field: string) => {
    missing[field] = ['is required for an active stage']
  }
  if (stage.stageType === 'SEND_EMAIL') {
    tx.load.clear()
    const email = stage.emailId === null ? null : await tx.load(emails.byId, stage.emailId)
    if (!email?.subject.trim()) isMissing('subject')
    if (!email?.htmlDocumentId) isMissing('html')
  }
  if (stage.stageType === 'SEND_SMS' && !stage.smsText?.trim()) isMissing('smsText')
  if (stage.stageType === 'ACTION' && stage.action === null) isMissing('action')
  if (Object.keys(missing).length > 0) throw invalid(missing)
}

function delay({ timeValue, timeType }: SequenceStage): number {
  return timeValue * timeType
}

function asJson(action: StageAction): Prisma.InputJsonObject {
  return { ...action }
}
