/** An error as GraphQL answers it. */
export interface Fault {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: { readonly code?: string; readonly [name: string]: unknown }
}

/** What ends a connection and not the subscription: the server, or the way to it, may be better in a moment. */
const passing = new Set(['CONNECTION_LOST', 'TOO_SLOW', 'BUFFER_FULL', 'SERVER_ERROR', 'RATE_LIMITED'])

interface Detail {
  readonly faults?: readonly Fault[]
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/**
 * Why a connection or a subscription ended. `code` is one of the server's `ErrorCode`, or one of our own:
 * `CONNECTION_LOST`, `TOO_SLOW` (the server asks to resume), `BUFFER_FULL` (the reader was slow, and we hung up until it
 * is done), `CURSOR_MISSING` and `NOT_RESUMABLE` (the document cannot be resumed as it is written), `NO_WEBSOCKET`.
 */
export class SubscriptionError extends Error {
  override readonly name = 'SubscriptionError'
  readonly code: string
  /** Whether trying again would help nothing: UNAUTHORIZED, FORBIDDEN, CURSOR_EXPIRED, a document that is wrong. */
  readonly isFinal: boolean
  /** The errors of the answer, where it was an answer. */
  readonly faults: readonly Fault[]
  /** How long the server asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, { faults = [], retryAfterMs, cause }: Detail = {}) {
    super(message, { cause })
    this.code = code
    this.isFinal = !passing.has(code)
    this.faults = faults
    this.retryAfterMs = retryAfterMs
  }
}

/** What the errors of an answer mean for the subscription: the first that is final decides, else the first. */
export function faultsToError(faults: readonly Fault[]): SubscriptionError {
  const errors = faults.map((fault) => {
    const seconds = fault.extensions?.['retryAfterSeconds']
    const retryAfterMs = typeof seconds === 'number' ? seconds * 1000 : undefined
    return new SubscriptionError(fault.extensions?.code ?? 'BAD_REQUEST', fault.message, { faults, retryAfterMs })
  })
  const none = new SubscriptionError('SERVER_ERROR', 'The server answered neither an event nor an error.')
  return errors.find(({ isFinal }) => isFinal) ?? errors[0] ?? none
}

/** A connection that is gone, for whatever reason of its own. */
export function lost(message: string, cause?: unknown): SubscriptionError {
  return new SubscriptionError('CONNECTION_LOST', message, { cause })
}
