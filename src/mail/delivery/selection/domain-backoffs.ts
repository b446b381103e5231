import type { Verdict } from '../transport/outcome.ts'

/** First and longest pause of a domain after its recipients got no reply. Each pause is twice the one before. */
const firstPauseMs = 1_000
export const maxPauseMs = 300_000

/**
 * How long the back-off of a recovered domain is kept after its last failure, and the pause between two looks for such domains.
 */
const keptMs = 60_000
const sweepMs = 1_000

/** Number of failures in a row from which all messages to a domain are deferred, so that their campaigns can end. */
const maxFailures = 3

/** A domain for whose recipients a mail server gave no reply lately. */
interface DomainBackoff {
  /** Maximum number of its messages in flight. */
  limit: number
  pauseMs: number
  /** End of the pause. */
  until: number
  lastFailureAt: number
  /** Failures since the last reply. */
  failures: number
}

/** The domains in back-off, or the domains of accounts. Times are in milliseconds of the selector's clock. */
interface DomainBackoffs {
  readonly size: number
  find(domain: string): DomainBackoff | undefined
  isSuspended(failures: number): boolean
  /** Removes domains that have recovered. */
  removeOld(now: number): void
  /** Slows a domain down after an attempt that was sent at `sentAt` failed. */
  recordFailure(domain: string, sentAt: number, now: number): void
  /** Updates a domain after an attempt that was sent at `sentAt`. */
  recordVerdict(domain: string, verdict: Verdict, sentAt: number, now: number): void
}

/** Verdicts that show that the server replies for recipients of a domain. */
const replies = new Set<Verdict>(['accepted', 'bad address', 'bad message', 'deferred', 'cut', 'ambiguous'])

/**
 * A domain whose recipient got no reply is limited to one connection after a growing pause. Each reply allows one more
 * connection, up to `maxLimit`. No pause is longer than `longestPauseMs`, and a domain is forgotten `forgetMs` after its last
 * failure.
 */
export function newDomainBackoffs(
  maxLimit: number,
  { longestPauseMs = maxPauseMs, forgetMs = Number.POSITIVE_INFINITY } = {},
): DomainBackoffs {
  let sweptAt = Number.NEGATIVE_INFINITY
  const domains = new Map<string, DomainBackoff>()
  const recordFailure = (domain: string, sentAt: number, now: number) => {
    const backoff = domains.get(domain)
    // A message that was sent before the last failure is no new evidence.
    if (backoff && sentAt < backoff.lastFailureAt) {
      backoff.limit = 1
      return
    }
    const pauseMs = Math.min(Math.max((backoff?.pauseMs ?? 0) * 2, firstPauseMs), longestPauseMs)
    const failures = (backoff?.failures ?? 0) + 1
    domains.set(domain, { limit: 1, pauseMs, until: now + pauseMs, lastFailureAt: now, failures })
  }
  return {
    get size() {
      return domains.size
    },
    find: (domain) => domains.get(domain),
    isSuspended: (failures) => failures >= maxFailures,
    removeOld: (now) => {
      if (now - sweptAt < sweepMs) return
      sweptAt = now
      for (const [domain, { limit, lastFailureAt }] of domains)
        if (now - lastFailureAt > (limit >= maxLimit ? keptMs : forgetMs)) domains.delete(domain)
    },
    recordFailure,
    recordVerdict: (domain, verdict, sentAt, now) => {
      if (verdict === 'stalled') return recordFailure(domain, sentAt, now)
      const backoff = domains.get(domain)
      if (!backoff || !replies.has(verdict)) return
      backoff.limit = Math.min(backoff.limit + 1, maxLimit)
      backoff.pauseMs = 0
      backoff.failures = 0
    },
  }
}
