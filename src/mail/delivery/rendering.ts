import { newCtx, type System } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { TaskError } from '../../kernel/thread-pool.ts'
import { lettersFor, type Made } from '../content/letters.ts'
import { ports, type StopReason } from '../ports.ts'
import type { Claimed, Source } from './claims.ts'
import type { Recorded } from './hand-over.ts'
import { pack } from './parcel.ts'
import type { Pipeline } from './pipeline.ts'
import { back } from './records.ts'

/** How soon what could not be rendered for a fault of ours is tried again, in milliseconds, and what was too expensive. */
const renderAgain = 30_000
const expensiveAgain = 5_000

/** How often the encoding of one message may fail because of its cost. */
const mostAttempts = 3

/**
 * Renders the messages that were claimed from a source, and adds them to the pipeline, one after another. Messages that
 * cannot be rendered are recorded:
 * - An e-mail that cannot be rendered stops its campaign (TEMPLATE_ERROR); a sequence's messages become FAILED.
 * - Rendering that took too long or too much memory is repeated later; `templatesOf` counts how often.
 * - Anything else puts the messages back into the queue and rejects.
 *
 * `isStopping` ends the work early; what is left goes back into the queue.
 */
export async function render(
  system: System,
  source: Source,
  claimed: readonly Claimed[],
  { pipeline, isStopping }: { pipeline: Pick<Pipeline, 'add' | 'note'>; isStopping: () => boolean },
): Promise<void> {
  const ctx = newCtx(system, source)
  const open = new Set(claimed)
  const later = (milliseconds: number) => new Date(system.clock.now().getTime() + milliseconds)
  const close = (message: Claimed, recorded: Partial<Recorded>) => {
    pipeline.note([{ ...back(message, later(0)), ...recorded }])
    open.delete(message)
  }
  const noteUnfit = (
    message: Claimed,
    { error, of, isTemporary, isGone, stopReason: reason }: Exclude<Made, { html: string }>,
  ) => {
    if (isGone) {
      close(message, { state: 'SKIPPED' })
      return
    }
    if (isTemporary) {
      close(message, { answer: error, dueAt: later(expensiveAgain) })
      return
    }
    const isCampaigns = of === 'EMAIL' && message.campaignId !== null
    close(message, { state: isCampaigns ? 'QUEUED' : 'FAILED', answer: error, isAttempt: !isCampaigns })
    // What is wrong with the e-mail is wrong for all: the campaign stops, and can be sent on once it is mended.
    if (isCampaigns) stopReason ??= reason ?? 'TEMPLATE_ERROR'
  }
  const noteUnpacked = (message: Claimed, error: Error) => {
    if (error instanceof Refusal) throw error
    const isLast = !(error instanceof TaskError) || message.attempts + 1 >= mostAttempts
    const dueAt = later(expensiveAgain)
    close(message, { state: isLast ? 'FAILED' : 'QUEUED', dueAt, answer: error.message, isAttempt: true })
  }
  let stopReason: StopReason | undefined
  try {
    const letters = await lettersFor(ctx, claimed.map(asked))
    for (const message of claimed) {
      if (isStopping()) break
      const made = letters.get(message.id) ?? { error: 'There is nothing to send any more.', of: 'CONTACT' as const }
      if ('error' in made) noteUnfit(message, made)
      else {
        // One by one: the first need not wait until the last is made.
        const parcel = await pack(source.accountId, made).catch((error: Error) => error)
        if (parcel instanceof Error) noteUnpacked(message, parcel)
        else {
          pipeline.add([{ ...message, to: made.to.address, parcel, isRepeat: false }])
          open.delete(message)
        }
      }
    }
    pipeline.note([...open].map((message) => back(message, later(0))))
    if (stopReason) await ports.stopped(ctx, source.campaignId, stopReason)
  } catch (error) {
    // Too much of the account waits for a thread already: that is no failure.
    const isBusy = error instanceof Refusal && error.code === 'RATE_LIMITED'
    pipeline.note([...open].map((message) => back(message, later(isBusy ? expensiveAgain : renderAgain))))
    if (!isBusy) throw error
  }
}

function asked({ id, contactId, emailId }: Claimed) {
  return { recipientId: id, contactId, emailId: emailId ?? 0 }
}
