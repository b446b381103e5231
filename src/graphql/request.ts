import type { ExecutionResult } from 'graphql'
import type { Scope } from '../kernel/context.ts'
import type { Tally } from '../kernel/limiter.ts'

/** What is known of a request before its document is looked at: who asks, by which door, and under which key. */
export interface Request {
  readonly admitted: {
    readonly accountId: number
    readonly keyId: number
    readonly scopes: readonly Scope[] | undefined
    readonly requests: Tally
  }
  readonly idempotencyKey?: string | undefined
  /** The cursor after which a stream that broke off goes on. */
  readonly lastEventId?: string | undefined
  /** Whether the document is one of the bridge's. */
  readonly isOwnDocument?: boolean
}

/** Whether this is one answer, not a stream of them. */
export function isPlainResult(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && !(Symbol.asyncIterator in result)
}
