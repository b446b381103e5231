const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** How long after each attempt that failed the next one comes; after the last there is none. */
const pauses = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
]

/** Many that failed together do not come back together: each pause is up to so much longer. */
const jitter = 0.1

/** As long as a receiver may put us off. */
const longestPause = 24 * hours

/** How long a webhook may fail without one success before it is disabled. */
export const longestFailing = 5 * 24 * hours

/** What came of an attempt. */
export interface Outcome {
  /** Undefined where nothing came back, and `error` then says why. */
  readonly status: number | undefined
  readonly retryAfter?: string | undefined
  readonly response?: string | undefined
  readonly error?: string | undefined
  readonly milliseconds: number
  /** Whether it was ours, not the receiver's: that its payload could not be made. */
  readonly isOurs?: boolean
}

/** What becomes of a delivery, and whether its webhook is to be disabled for good. */
export type Verdict =
  | { readonly state: 'DELIVERED' }
  | { readonly state: 'FAILED'; readonly isGone: boolean }
  | { readonly state: 'PENDING'; readonly dueAt: Date }

/**
 * Judges an attempt, the `step`th of the plan (the first is 1). A 2xx is a success; 410 says never again; every other answer
 * is a failure, a redirect too. 429 and 503 may put the next attempt off, by a day at most.
 *
 * `random` gives a number from 0 to 1.
 */
export function judge(outcome: Outcome, step: number, now: Date, random: () => number): Verdict {
  const { status = 0 } = outcome
  if (status >= 200 && status < 300) return { state: 'DELIVERED' }
  if (status === 410) return { state: 'FAILED', isGone: true }
  const pause = pauses[step - 1]
  if (pause === undefined) return { state: 'FAILED', isGone: false }
  const asked = status === 429 || status === 503 ? putOff(outcome.retryAfter, now) : 0
  const wait = Math.max(pause * (1 + jitter * random()), asked)
  return { state: 'PENDING', dueAt: new Date(now.getTime() + Math.round(wait)) }
}

/** Retry-After as milliseconds: it holds seconds or a date (RFC 9110, 10.2.3); what is neither asks for nothing. */
function putOff(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0
  const wait = /^\d{1,9}$/.test(retryAfter.trim())
    ? Number(retryAfter) * seconds
    : /[A-Za-z]/.test(retryAfter)
      ? Date.parse(retryAfter) - now.getTime()
      : Number.NaN
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), longestPause)
}
