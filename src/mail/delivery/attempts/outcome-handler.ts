import { newCtx, type System } from '../../../db/context.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { isFaultOfSender } from '../../failures/failure-causes.ts'
import { ports } from '../../ports.ts'
import { countSoftBounce } from '../../suppressions/soft-bounces.ts'
import { suppress } from '../../suppressions/suppressions.ts'
import type { ClaimedMessage } from '../queue/claims.ts'
import type { ReadyMessage } from '../selection/message-buffer.ts'
import type { Outcome } from '../transport/outcome.ts'
import { releaseOf, resultOf, serverRetryMs } from './attempt-results.ts'
import { type AttemptResult, type RecipientChange, recordResultsAndStartAttempts } from './delivery-attempts.ts'

/** Turns the outcome of an attempt into a result. Resolves when the effects on the campaign or the address are stored. */
export type OutcomeHandler = (message: ReadyMessage, outcome: Outcome) => Promise<void>

interface OutcomeHandlerOptions {
  readonly system: System
  readonly workerId: () => number
  /** Adds a result that the next statement records. */
  readonly addResult: (result: AttemptResult) => void
  /** Called when a result was recorded together with its effects. */
  readonly onRecorded: (message: ClaimedMessage, changes: readonly RecipientChange[]) => void
}

/** Creates the handler of a process. A refused sender stops the campaign; a bad address is suppressed. */
export function newOutcomeHandler({ system, workerId, addResult, onRecorded }: OutcomeHandlerOptions): OutcomeHandler {
  const { clock, log } = system
  const stopCampaign = newCampaignStopper(system)
  return async (message, outcome) => {
    const { verdict, answer } = outcome
    const result = resultOf(message, outcome, clock.now())
    const isBounce = verdict === 'bad address'
    const isSenderRefused = verdict === 'bad sender' || verdict === 'bad login'
    if (isSenderRefused && message.campaignId !== null) {
      addResult({ ...releaseOf(message, clock.now()), answer })
      await stopCampaign(message.accountId, message.campaignId)
    } else if (isBounce || (result.state === 'FAILED' && result.cause !== null && !isFaultOfSender(result.cause))) {
      try {
        onRecorded(
          message,
          await recordBounce(
            system,
            workerId(),
            message,
            isBounce ? { ...result, state: 'BOUNCED', dueAt: null } : result,
          ),
        )
      } catch (error) {
        log.error({ err: error }, 'a bounce could not be recorded; the message is tried again')
        addResult(releaseOf(message, new Date(clock.now().getTime() + serverRetryMs)))
      }
    } else addResult(result)
  }
}

/** Returns a function that stops a campaign. It does nothing while the same campaign is being stopped. */
function newCampaignStopper(system: System) {
  const stopping = new Set<number>()
  return async (accountId: number, campaignId: number): Promise<void> => {
    if (stopping.has(campaignId)) return
    stopping.add(campaignId)
    try {
      await ports.stopCampaign(newCtx(system, { accountId }), campaignId, 'SENDER_REJECTED')
    } finally {
      stopping.delete(campaignId)
    }
  }
}

/** Records a bounce, and suppresses the address in the same transaction, or counts a soft bounce. */
async function recordBounce(
  system: System,
  workerId: number,
  message: ReadyMessage,
  result: AttemptResult,
): Promise<RecipientChange[]> {
  const ctx = newCtx(system, { accountId: message.accountId })
  return inTransaction(ctx, async (tx) => {
    const statement = recordResultsAndStartAttempts(tx.signer, workerId, [result], [], tx.clock.now())
    const rows = await tx.db.$queryRaw<RecipientChange[]>(statement)
    const cause = result.cause ?? 'UNKNOWN'
    const detail = (result.answer ?? '').slice(0, 500).toWellFormed()
    // The address of a deleted contact is not stored again.
    const isStored = rows.some(({ isRedacted, state }) => !isRedacted && state === result.state)
    const { id: recipientId, contactId, to: email } = message
    if (isStored && result.state === 'BOUNCED') await suppress(tx, { email, reason: 'BOUNCE', cause, detail })
    else if (isStored) await countSoftBounce(tx, { recipientId, contactId, email, cause, detail })
    return rows
  })
}
