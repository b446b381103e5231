import type { SubscriptionError } from './errors.ts'

const firstMs = 500
const longestMs = 30_000

/**
 * How long to wait before the next attempt: longer each time, half of it by chance, so that the clients of a server that
 * was restarted do not come back all at once. A server that asks to resume, or says when, is taken at its word.
 */
export function backOff(cause: Pick<SubscriptionError, 'code' | 'retryAfterMs'>, attempt: number): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** (attempt - 1))
  const wait = cause.code === 'TOO_SLOW' && attempt === 1 ? 0 : ceiling * (0.5 + Math.random() / 2)
  return Math.max(wait, cause.retryAfterMs ?? 0)
}
