import type { ClaimedMessage } from '../queue/claims.ts'
import type { SurplusMessage } from '../selection/selector.ts'
import { nextAttemptAt, type Outcome } from '../transport/outcome.ts'
import type { AttemptResult } from './delivery-attempts.ts'

/** Delay before the next attempt if the mail server could not be reached. */
export const serverRetryMs = 5_000

/** Returns the fields that are the same in every result of a message. */
function resultBase({
  accountId,
  id,
}: ClaimedMessage): Pick<AttemptResult, 'accountId' | 'id' | 'dueAt' | 'answer' | 'cause' | 'skipReason'> {
  return { accountId, id, dueAt: null, answer: null, cause: null, skipReason: null }
}

/** Returns the result that puts a message back into the queue, as if it had not been claimed. */
export function releaseOf(message: ClaimedMessage, dueAt: Date): AttemptResult {
  return { ...resultBase(message), state: 'QUEUED', dueAt, isAttempt: false }
}

/** Returns the result of an outcome: the final state of the message, or the time of its next attempt. */
export function resultOf(
  message: ClaimedMessage,
  { verdict, answer, cause: given }: Outcome,
  now: Date,
): AttemptResult {
  const cause = given ?? null
  const common = { ...resultBase(message), answer, cause, isAttempt: true }
  switch (verdict) {
    case 'accepted':
      return { ...common, state: 'SENT' }
    case 'unreachable':
    case 'bad login':
      return { ...common, state: 'QUEUED', dueAt: new Date(now.getTime() + serverRetryMs), isAttempt: false }
    case 'bad message':
    case 'unsupported address':
      return { ...common, state: 'FAILED' }
    case 'ambiguous':
      if (message.campaignId !== null) return { ...common, state: 'UNKNOWN' }
  }
  const dueAt = nextAttemptAt(message.attempts + 1, now)
  return dueAt === null ? { ...common, state: 'FAILED' } : { ...common, state: 'QUEUED', dueAt }
}

/** Returns the result of a message whose domain backs off: released, or an attempt if the domain is suspended. */
export function resultOfSurplus({ message, delayMs, suspendedDomain }: SurplusMessage, now: Date): AttemptResult {
  if (suspendedDomain === undefined) return releaseOf(message, new Date(now.getTime() + delayMs))
  const answer = `suspended: the mail server does not answer for recipients of ${suspendedDomain}`
  return resultOf(message, { verdict: 'deferred', answer, cause: 'NETWORK' }, now)
}
