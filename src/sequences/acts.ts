import type { SequenceStage } from '../../prisma/generated/client/client.ts'
import { contactList, contacts, contactTags } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { Refusal } from '../kernel/errors.ts'
import { queue } from '../mail/index.ts'
import { subscribe, unsubscribe } from './enrolments.ts'
import { ports, Undoable } from './ports.ts'
import { advance } from './progress.ts'
import { sendSms } from './sms.ts'
import type { StageAction } from './stage-action.ts'

/** A stage that is to be done for an enrolment, by whoever took it on. */
export interface Task extends queue.StageMessage {
  readonly stage: SequenceStage
  /** With this one. */
  readonly attempts: number
}

/** What stages need of the outside. */
export interface Acts {
  readonly smsGatewayUrl?: string | undefined
}

/** How often a stage is tried that fails for reasons which may pass. */
const mostAttempts = 5

/** How long after each attempt the next one comes, in milliseconds; longer than any attempt takes. */
const pauses = [60_000, 5 * 60_000, 30 * 60_000, 2 * 60 * 60_000, 6 * 60 * 60_000]

/** The longest reason of a failure that is kept. */
const longestFailure = 500

/** When a stage is tried again of which nothing is heard. */
export function retryAt(attempts: number, now: Date): Date {
  return new Date(now.getTime() + (pauses[Math.min(attempts, pauses.length) - 1] ?? 0))
}

/** Whether doing a stage means to call another server, which may take its time. */
export function isCall(stage: SequenceStage): boolean {
  return stage.stageType === 'SEND_SMS' || (stage.action as StageAction | null)?.kind === 'WEBHOOK'
}

/**
 * Does an action or an SMS of a sequence, and lets the enrolment go on. What cannot be done (a tag that is gone, an SMS
 * without a number, a server that says no) is noted as the enrolment's `failure`, and it goes on all the same; what may pass
 * is tried some times before. A call that was made when a process died is made again.
 */
export async function doAct(ctx: Ctx, task: Task, acts: Acts): Promise<void> {
  try {
    if (task.stage.stageType === 'SEND_SMS') await text(ctx, task, acts)
    else await act(ctx, task)
  } catch (error) {
    const isFinal = error instanceof Refusal || error instanceof Undoable
    if (!isFinal && task.attempts < mostAttempts) {
      await note(ctx, task, error as Error)
      return
    }
    await inTransaction(ctx, async (tx) => {
      if (task.stage.stageType === 'SEND_SMS') await queue.addCompleted(tx, task, 'FAILED', reasonOf(error as Error))
      await note(tx, task, error as Error)
      await advance(tx, task)
    })
  }
}

async function text(ctx: Ctx, task: Task, { smsGatewayUrl }: Acts): Promise<void> {
  const isSent = await queue.isEnqueued(ctx, task.enrolmentId, task.stageId)
  const answer = isSent
    ? ''
    : await sendSms(ctx, { ...task, text: task.stage.smsText ?? '', gatewayUrl: smsGatewayUrl })
  await inTransaction(ctx, async (tx) => {
    if (!isSent) await queue.addCompleted(tx, task, 'SENT', answer)
    await finish(tx, task)
  })
}

async function act(ctx: Ctx, task: Task): Promise<void> {
  const action = task.stage.action as StageAction | null
  const { enrolmentId, stageId, sequenceId, contactId } = task
  if (action?.kind === 'WEBHOOK') {
    const body = { contact_id: contactId, sequence_id: sequenceId, stage_id: stageId, enrolment_id: enrolmentId }
    await ports.callUrl(ctx, { url: action.url, body })
  }
  await inTransaction(ctx, async (tx) => {
    // The contact before the enrolment: everybody takes them in this order.
    await contactList.lock(tx, { id: contactId })
    if (!(await isStillNext(tx, task))) return
    if (action && action.kind !== 'WEBHOOK') await change(tx, contactId, action)
    await finish(tx, task)
  })
}

async function change(tx: Ctx, contactId: number, action: Exclude<StageAction, { kind: 'WEBHOOK' }>): Promise<void> {
  const contact = { id: contactId }
  switch (action.kind) {
    case 'ADD_TAG':
      await contactTags.add(tx, { contact, tagId: action.tagId })
      return
    case 'REMOVE_TAG':
      await contactTags.remove(tx, { contact, tagId: action.tagId })
      return
    case 'ENROL':
      await subscribe(tx, { contact, sequenceId: action.sequenceId })
      return
    case 'UNENROL':
      await unsubscribe(tx, { contact, sequenceId: action.sequenceId })
      return
    case 'UNSUBSCRIBE':
      await contacts.unsubscribe(tx, { contact, consent: { source: 'sequence' } })
  }
}

/** Whether nobody took the contact out, or planned it anew, since the task was taken on. */
async function isStillNext(tx: Ctx, { enrolmentId, stageId }: Task): Promise<boolean> {
  const rows = await tx.sql`
    SELECT 1 FROM enrolment WHERE account_id = ${tx.sql.account} AND id = ${enrolmentId} AND state = 'ACTIVE'
      AND next_stage_id = ${stageId} FOR NO KEY UPDATE`
  return rows.length > 0
}

async function finish(tx: Ctx, task: Task): Promise<void> {
  await note(tx, task, null)
  await advance(tx, task)
}

/** Notes why the last stage could not be done, or that it was. */
async function note(ctx: Ctx, { enrolmentId }: Task, error: Error | null): Promise<void> {
  await ctx.sql`
    UPDATE enrolment SET failure = ${error && reasonOf(error)} WHERE account_id = ${ctx.sql.account} AND id = ${enrolmentId}`
}

function reasonOf(error: Error): string {
  return error.message.replaceAll('\0', '').slice(0, longestFailure).toWellFormed()
}
