import { newCtx, type System } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { tracePosition } from '../../kernel/telemetry/tracing.ts'
import { TaskError } from '../../kernel/work/thread-pool.ts'
import { type RenderResult, type RenderWatch, renderMessages } from '../messages/messages.ts'
import { ports, type StopReason } from '../ports.ts'
import { releaseOf } from './attempts/attempt-results.ts'
import type { AttemptResult } from './attempts/delivery-attempts.ts'
import type { Dispatcher } from './attempts/dispatcher.ts'
import { encodeMessage } from './mime/encoded-message.ts'
import type { ClaimedMessage, QueueSource } from './queue/claims.ts'
import type { ReadyMessage } from './selection/message-buffer.ts'

/** Delay before messages are rendered again after an internal error, and after rendering was too expensive. */
const errorRetryMs = 30_000
const expensiveRetryMs = 5_000

/** Number of attempts after which a message that is too expensive is not tried again. */
const maxAttempts = 3

type BatchDispatcher = Pick<Dispatcher, 'add' | 'record' | 'hasRoom'>

/** The claimed messages of one source while they are rendered. */
interface Batch {
  readonly system: System
  readonly dispatcher: BatchDispatcher
  /** Messages that were neither added to the dispatcher nor recorded. */
  readonly open: Set<ClaimedMessage>
  /** Why the campaign must stop. */
  stopReason: StopReason | undefined
}

/**
 * Renders and encodes claimed messages, and adds them to the dispatcher one by one. Messages that cannot be rendered are
 * recorded:
 * - An e-mail that cannot be rendered stops its campaign (TEMPLATE_ERROR); a sequence's messages become FAILED.
 * - Rendering that took too long or too much memory is repeated later; `loadTemplates` counts how often. So are conditions that
 *   took too long, with the attempts of the message.
 * - Anything else releases the messages and rejects.
 *
 * The remaining messages are released if `isStopping` returns true, or if the dispatcher has no room for more of the account:
 * at no time are all messages of a batch in memory.
 */
export async function renderClaims(
  system: System,
  source: QueueSource,
  claimed: readonly ClaimedMessage[],
  { dispatcher, isStopping, watch }: { dispatcher: BatchDispatcher; isStopping: () => boolean; watch: RenderWatch },
): Promise<void> {
  const ctx = newCtx(system, source)
  const batch: Batch = { system, dispatcher, open: new Set(claimed), stopReason: undefined }
  try {
    const requests = claimed.map(({ id, contactId, emailId }) => ({
      recipientId: id,
      contactId,
      emailId: emailId ?? 0,
    }))
    const messages = new Map(claimed.map((message) => [message.id, message]))
    for await (const [id, result] of renderMessages(ctx, requests, watch)) {
      if (isStopping() || !dispatcher.hasRoom(source.accountId)) break
      const message = messages.get(id) as ClaimedMessage
      if ('error' in result) recordRenderFailure(batch, message, result)
      else {
        const encoded = await encodeMessage(source.accountId, result).catch((error: Error) => error)
        if (encoded instanceof Error) recordEncodeFailure(batch, message, encoded)
        else addReady(batch, message, { encoded, to: result.to.address, shownConditions: result.shownConditions })
      }
    }
    releaseOpen(batch, 0)
    if (batch.stopReason) await ports.stopCampaign(ctx, source.campaignId, batch.stopReason)
  } catch (error) {
    // The account has too many tasks waiting for a thread already: not a failure.
    const isBusy = error instanceof Refusal && error.code === 'RATE_LIMITED'
    releaseOpen(batch, isBusy ? expensiveRetryMs : errorRetryMs)
    if (!isBusy) throw error
  }
}

function addReady(
  { dispatcher, open }: Batch,
  message: ClaimedMessage,
  rendered: Pick<ReadyMessage, 'encoded' | 'to' | 'shownConditions'>,
): void {
  dispatcher.add([{ ...message, ...rendered, isRepeat: false, trace: tracePosition() }])
  open.delete(message)
}

function recordRenderFailure(
  batch: Batch,
  message: ClaimedMessage,
  { error, cause, isTemporary, isDeleted, isSlow, stopReason }: Exclude<RenderResult, { html: string }>,
): void {
  if (isDeleted) {
    const skipReason = cause === 'EMAIL' ? 'EMAIL_DELETED' : 'CONTACT_DELETED'
    record(batch, message, { state: 'SKIPPED', skipReason })
    return
  }
  if (isTemporary) {
    record(batch, message, { answer: error, dueAt: later(batch, expensiveRetryMs) })
    return
  }
  if (isSlow && message.attempts + 1 < maxAttempts) {
    record(batch, message, { answer: error, dueAt: later(batch, errorRetryMs), isAttempt: true })
    return
  }
  // The e-mail is the same for all recipients, so its campaign stops. Its messages stay in the queue to be resumed.
  const stopsCampaign = cause === 'EMAIL' && message.campaignId !== null
  record(batch, message, { state: stopsCampaign ? 'QUEUED' : 'FAILED', answer: error, isAttempt: !stopsCampaign })
  if (stopsCampaign) batch.stopReason ??= stopReason ?? 'TEMPLATE_ERROR'
}

function recordEncodeFailure(batch: Batch, message: ClaimedMessage, error: Error): void {
  if (error instanceof Refusal) throw error
  const isLast = !(error instanceof TaskError) || message.attempts + 1 >= maxAttempts
  const dueAt = later(batch, expensiveRetryMs)
  record(batch, message, { state: isLast ? 'FAILED' : 'QUEUED', dueAt, answer: error.message, isAttempt: true })
}

function record(batch: Batch, message: ClaimedMessage, result: Partial<AttemptResult>): void {
  batch.dispatcher.record([{ ...releaseOf(message, later(batch, 0)), ...result }])
  batch.open.delete(message)
}

function releaseOpen(batch: Batch, delayMs: number): void {
  batch.dispatcher.record([...batch.open].map((message) => releaseOf(message, later(batch, delayMs))))
}

function later({ system }: Batch, delayMs: number): Date {
  return new Date(system.clock.now().getTime() + delayMs)
}
