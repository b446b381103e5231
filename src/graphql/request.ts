import type { ExecutionResult } from 'graphql'
import type { Tally } from '../kernel/limiter.ts'
import type { Scope } from '../kernel/scopes.ts'

/** What is known of a request before its document is looked at: who asks, by which door, and under which key. */
export interface Request {
  readonly admitted: {
    readonly accountId: number
    readonly keyId: number
    readonly scopes: readonly Scope[] | undefined
    readonly requests: Tally
    /** Which part of COST_LIMIT_PER_MINUTE the account's plan gives it; all of it where absent. */
    readonly costShare?: number | undefined
  }
  readonly idempotencyKey?: string | undefined
  /** The cursor after which a stream that broke off goes on. */
  readonly lastEventId?: string | undefined
  /** The socket that it came over, if it is one: what is open on it is limited. */
  readonly socket?: object | undefined
  /** Whether the document is one of the bridge's. */
  readonly isOwnDocument?: boolean
  /** Whether the document is one of those with which the REST API writes: what they show is fixed by its specification. */
  readonly isFixedWrite?: boolean
}

/** Whether this is one answer, not a stream of them. */
export function isPlainResult(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && !(Symbol.asyncIterator in result)
}
