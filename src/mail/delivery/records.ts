import type { Surplus } from './choice.ts'
import type { Claimed } from './claims.ts'
import type { Recorded } from './hand-over.ts'
import { nextAttempt, type Outcome } from './outcome.ts'

/** How soon what a server could not be reached for is tried again, in milliseconds. */
export const reachAgain = 5_000

/** What is the same in every record of a message. */
export function basis({ accountId, id }: Claimed): Pick<Recorded, 'accountId' | 'id' | 'dueAt' | 'answer'> {
  return { accountId, id, dueAt: null, answer: null }
}

/** Back into the queue, as if it had never been taken out. */
export function back(message: Claimed, dueAt: Date): Recorded {
  return { ...basis(message), state: 'QUEUED', dueAt, isAttempt: false }
}

/** What is kept of an outcome that is about this message alone. */
export function recordOf(message: Claimed, { verdict, answer }: Outcome, now: Date): Recorded {
  const common = { ...basis(message), answer, isAttempt: true }
  switch (verdict) {
    case 'accepted':
      return { ...common, state: 'SENT' }
    case 'unreachable':
    case 'bad login':
      return { ...common, state: 'QUEUED', dueAt: new Date(now.getTime() + reachAgain), isAttempt: false }
    case 'bad message':
      return { ...common, state: 'FAILED' }
    case 'ambiguous':
      if (message.campaignId !== null) return { ...common, state: 'UNKNOWN' }
  }
  const dueAt = nextAttempt(message.attempts + 1, now)
  return dueAt === null ? { ...common, state: 'FAILED' } : { ...common, state: 'QUEUED', dueAt }
}

/** What is kept of a message that does not wait for its domain: back into the queue, or deferred with the domain. */
export function recordOfSurplus({ message, wait, suspended }: Surplus, now: Date): Recorded {
  if (suspended === undefined) return back(message, new Date(now.getTime() + wait))
  const answer = `suspended: the mail server does not answer for recipients of ${suspended}`
  return recordOf(message, { verdict: 'deferred', answer }, now)
}
