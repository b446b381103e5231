import type { SequenceStage } from '../../../prisma/generated/client/client.ts'
import { contactList, contacts, contactTags } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { Refusal } from '../../kernel/errors.ts'
import { queue } from '../../mail/index.ts'
import { countingAction, mayAct, mayEnrolAgain } from '../actions/action-limits.ts'
import type { StageAction } from '../actions/stage-action.ts'
import { subscribe, unsubscribe } from '../enrolments/enrolments.ts'
import { lockActive } from '../planning/revisions.ts'
import { PermanentError, ports } from '../ports.ts'
import { advance } from './advancing.ts'
import { sendSms } from './sms.ts'

/** A stage that the scheduler claimed for an enrolment. */
export interface StageTask extends queue.StageMessage {
  readonly stage: SequenceStage
  /** Number of attempts, including this one. */
  readonly attempts: number
}

/** Settings of the services that stages call. */
export interface StageOptions {
  readonly smsGatewayUrl?: string | undefined
}

/** Maximum number of attempts for a stage that fails for a temporary reason. */
const maxAttempts = 5

/** Delay after each attempt, in milliseconds. Each is longer than any attempt takes. */
const retryDelaysMs = [60_000, 5 * 60_000, 30 * 60_000, 2 * 60 * 60_000, 6 * 60 * 60_000]

/** Maximum length of the stored reason of a failure, in characters. */
const maxFailureLength = 500

/** The time at which a claimed stage is tried again, unless it is completed before. */
export function retryAt(attempts: number, now: Date): Date {
  return new Date(now.getTime() + (retryDelaysMs[Math.min(attempts, retryDelaysMs.length) - 1] ?? 0))
}

/** Whether a stage calls another server, which may be slow. */
export function isRemoteCall(stage: SequenceStage): boolean {
  return stage.stageType === 'SEND_SMS' || (stage.action as StageAction | null)?.kind === 'WEBHOOK'
}

/**
 * Runs an action or an SMS of a sequence and advances the enrolment. A permanent failure (a deleted tag, a contact without a
 * phone number, a server that rejects the call, more actions than the limits of automation allow) is stored as the enrolment's
 * `failure`, and the enrolment advances anyway. A temporary failure is retried up to `maxAttempts` times. If the process dies
 * during a call, the call is repeated.
 */
export async function runStage(ctx: Ctx, task: StageTask, options: StageOptions): Promise<void> {
  try {
    if (task.stage.stageType === 'SEND_SMS') await runSms(ctx, task, options)
    else await runAction(ctx, task)
  } catch (error) {
    const isPermanent = error instanceof Refusal || error instanceof PermanentError
    if (!isPermanent && task.attempts < maxAttempts) {
      await storeFailure(ctx, task, error as Error)
      return
    }
    await inTransaction(ctx, async (tx) => {
      if (task.stage.stageType === 'SEND_SMS') await queue.addCompleted(tx, task, 'FAILED', reasonOf(error as Error))
      await storeFailure(tx, task, error as Error)
      await advance(tx, task)
    })
  }
}

async function runSms(ctx: Ctx, task: StageTask, { smsGatewayUrl }: StageOptions): Promise<void> {
  const isSent = (await queue.findMessages(ctx, [task])).length > 0
  if (!isSent) await mayAct(ctx, task.contactId, null)
  const answer = isSent
    ? ''
    : await sendSms(ctx, { ...task, text: task.stage.smsText ?? '', gatewayUrl: smsGatewayUrl })
  await inTransaction(ctx, async (tx) => {
    if (!isSent) await queue.addCompleted(tx, task, 'SENT', answer)
    await completeStage(tx, task)
  })
}

async function runAction(ctx: Ctx, task: StageTask): Promise<void> {
  const action = task.stage.action as StageAction | null
  const { enrolmentId, stageId, sequenceId, contactId } = task
  if (action?.kind === 'WEBHOOK') {
    await mayAct(ctx, contactId, action)
    const body = { contact_id: contactId, sequence_id: sequenceId, stage_id: stageId, enrolment_id: enrolmentId }
    await ports.callUrl(ctx, { url: action.url, body })
  }
  await inTransaction({ ...ctx, actor: { kind: 'SEQUENCE_STAGE', id: stageId } }, async (tx) => {
    // All operations lock the contact before the enrolment.
    await contactList.lock(tx, { id: contactId })
    if (!(await isStillNext(tx, task))) return
    if (action && action.kind !== 'WEBHOOK') {
      await mayAct(tx, contactId, action)
      await applyAction(tx, contactId, action)
    }
    await completeStage(tx, task)
  })
}

async function applyAction(
  tx: Ctx,
  contactId: number,
  action: Exclude<StageAction, { kind: 'WEBHOOK' }>,
): Promise<void> {
  const contact = { id: contactId }
  switch (action.kind) {
    case 'ADD_TAG':
      await contactTags.add(tx, { contact, tagId: action.tagId })
      return
    case 'REMOVE_TAG':
      await contactTags.remove(tx, { contact, tagId: action.tagId })
      return
    case 'ENROL':
      await mayEnrolAgain(tx, contactId, action.sequenceId)
      await subscribe(tx, { contact, sequenceId: action.sequenceId })
      return
    case 'UNENROL':
      await unsubscribe(tx, { contact, sequenceId: action.sequenceId })
      return
    case 'UNSUBSCRIBE':
      await contacts.unsubscribe(tx, { contact, consent: { source: 'sequence' } })
  }
}

/** Whether the stage is still the next one: since it was claimed, the enrolment may have ended or been planned again. */
async function isStillNext(tx: Ctx, { enrolmentId, stageId }: StageTask): Promise<boolean> {
  const [enrolment] = await lockActive(tx, sql`AND e.id = ${enrolmentId}`)
  return enrolment?.nextStageId === stageId
}

async function completeStage(tx: Ctx, task: StageTask): Promise<void> {
  await storeFailure(tx, task, null)
  await advance(tx, task)
}

/** Stores why the last stage failed, or null if it succeeded, and counts the attempt. */
async function storeFailure(ctx: Ctx, { enrolmentId }: StageTask, error: Error | null): Promise<void> {
  await ctx.sql`
    UPDATE enrolment SET failure = ${error && reasonOf(error)}, ${countingAction(ctx)}
    WHERE account_id = ${ctx.sql.account} AND id = ${enrolmentId}`
}

function reasonOf(error: Error): string {
  return error.message.replaceAll('\0', '').slice(0, maxFailureLength).toWellFormed()
}
