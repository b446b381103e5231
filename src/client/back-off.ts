import type { SubscriptionError } from './errors.ts'

const initialWaitMs = 500
const maxWaitMs = 30_000

/**
 * Returns the milliseconds to wait before an attempt. The wait doubles with each attempt, and half of it is random, so that
 * not all clients of a restarted server reconnect at once. After TOO_SLOW the first attempt starts immediately. The wait is
 * at least the server's `retryAfterMs`.
 */
export function backOff(cause: Pick<SubscriptionError, 'code' | 'retryAfterMs'>, attempt: number): number {
  const ceiling = Math.min(maxWaitMs, initialWaitMs * 2 ** (attempt - 1))
  const wait = cause.code === 'TOO_SLOW' && attempt === 1 ? 0 : ceiling * (0.5 + Math.random() / 2)
  return Math.max(wait, cause.retryAfterMs ?? 0)
}
