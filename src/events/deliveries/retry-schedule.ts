const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** The delay after each failed attempt. After the last delay there is no further attempt. */
const retryDelaysMs = [
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

/** Each delay is longer by a random part of up to 10%, so that messages that failed together are not retried together. */
const jitter = 0.1

/** The longest `Retry-After` of a receiver that is respected. */
const maxRetryAfterMs = 24 * hours

/** A webhook without a successful attempt for this time is disabled. */
export const maxFailingMs = 5 * 24 * hours

/** The result of an attempt. */
export interface AttemptResult {
  /** Undefined if there was no response; `error` is then the reason. */
  readonly status: number | undefined
  readonly retryAfter?: string | undefined
  readonly response?: string | undefined
  readonly error?: string | undefined
  readonly milliseconds: number
  /** True if the attempt failed in this server, so that it does not count as a failure of the endpoint. */
  readonly isInternal?: boolean
}

/** The new status of a delivery. `isGone` means that its webhook must be disabled. */
export type DeliveryUpdate =
  | { readonly status: 'DELIVERED' }
  | { readonly status: 'FAILED'; readonly isGone: boolean }
  | { readonly status: 'PENDING'; readonly dueAt: Date }

/**
 * Returns the update of a delivery after an attempt; `step` is the number of the attempt in the schedule, from 1. A 2xx
 * status is a success, 410 is final, every other status (also a redirect) is a failure. For 429 and 503, `Retry-After` can
 * delay the next attempt by up to 24 hours.
 *
 * `random` returns a number from 0 to 1.
 */
export function nextUpdate(result: AttemptResult, step: number, now: Date, random: () => number): DeliveryUpdate {
  const { status = 0 } = result
  if (status >= 200 && status < 300) return { status: 'DELIVERED' }
  if (status === 410) return { status: 'FAILED', isGone: true }
  const retryDelayMs = retryDelaysMs[step - 1]
  if (retryDelayMs === undefined) return { status: 'FAILED', isGone: false }
  const retryAfterMs = status === 429 || status === 503 ? parseRetryAfter(result.retryAfter, now) : 0
  const delayMs = Math.max(retryDelayMs * (1 + jitter * random()), retryAfterMs)
  return { status: 'PENDING', dueAt: new Date(now.getTime() + Math.round(delayMs)) }
}

/** Returns `Retry-After`, which is seconds or a date (RFC 9110, 10.2.3), in milliseconds; 0 for any other value. */
function parseRetryAfter(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0
  const delayMs = /^\d{1,9}$/.test(retryAfter.trim())
    ? Number(retryAfter) * seconds
    : /[A-Za-z]/.test(retryAfter)
      ? Date.parse(retryAfter) - now.getTime()
      : Number.NaN
  return Number.isNaN(delayMs) ? 0 : Math.min(Math.max(delayMs, 0), maxRetryAfterMs)
}
