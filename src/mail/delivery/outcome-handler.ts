import { newCtx, type System } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { suppress } from '../bounces/suppression.ts'
import { ports } from '../ports.ts'
import { releaseOf, resultBase, resultOf, serverRetryMs } from './attempt-results.ts'
import type { ClaimedMessage } from './claims.ts'
import { type AttemptResult, type RecipientChange, recordResultsAndStartAttempts } from './delivery-attempts.ts'
import type { ReadyMessage } from './message-buffer.ts'
import type { Outcome } from './outcome.ts'

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
    const isSenderRefused = verdict === 'bad sender' || verdict === 'bad login'
    if (isSenderRefused && message.campaignId !== null) {
      addResult({ ...releaseOf(message, clock.now()), answer })
      await stopCampaign(message.accountId, message.campaignId)
    } else if (verdict === 'bad address') {
      try {
        onRecorded(message, await recordBounce(system, workerId(), message, answer))
      } catch (error) {
        log.error({ err: error }, 'a bounce could not be recorded; the message is tried again')
        addResult(releaseOf(message, new Date(clock.now().getTime() + serverRetryMs)))
      }
    } else addResult(resultOf(message, outcome, clock.now()))
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

/** Records a bounce and suppresses the address in the same transaction. */
async function recordBounce(
  system: System,
  workerId: number,
  message: ReadyMessage,
  answer: string,
): Promise<RecipientChange[]> {
  const result = { ...resultBase(message), state: 'BOUNCED', answer, isAttempt: true } as const
  const ctx = newCtx(system, { accountId: message.accountId })
  return inTransaction(ctx, async (tx) => {
    const statement = recordResultsAndStartAttempts(tx.signer, workerId, [result], [], tx.clock.now())
    const rows = await tx.db.$queryRaw<RecipientChange[]>(statement)
    const detail = answer.slice(0, 500).toWellFormed()
    // The address of a deleted contact is not stored again.
    if (rows.some(({ isRedacted }) => !isRedacted)) await suppress(tx, { email: message.to, reason: 'BOUNCE', detail })
    return rows
  })
}
