import type { ErrorCode, FieldErrorCode } from './error-codes.ts'

/** An error in a GraphQL response. */
export interface GraphQLFormattedError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: { readonly code?: string; readonly [name: string]: unknown }
}

/** One reason why a value of the input is invalid. */
export interface FieldError {
  /** Path of the argument that the client sent, such as `input.lines.0.unitPrice`. */
  readonly path: string
  /**
   * What is invalid if the request does not contain it: a field of the object that the argument identifies, such as
   * `subject` of a campaign, or `answers.<question id>` of a submission.
   */
  readonly member?: string
  /** Reason for programs: a value of `FieldErrorCode`, or a code that a newer server has added. */
  readonly code: FieldErrorCode | (string & {})
  /** Reason for people. Continues a sentence that begins with `member`, or else with the path. */
  readonly message: string
}

/** An error of the server, as `readErrors` returns it. */
export interface ServerError {
  /** Reason for programs: a value of `ErrorCode`, or a code that a newer server has added. */
  readonly code: ErrorCode | (string & {})
  /** Reason for people. */
  readonly message: string
  /** Path of the field in the response that failed. Empty if the request was not executed. */
  readonly path: readonly (string | number)[]
  /** Messages by the path of the argument, such as `input.email`. Empty if no argument is named. */
  readonly details: Readonly<Record<string, readonly string[]>>
  /** The reasons in `details`, each with a code. */
  readonly fields: readonly FieldError[]
  /** The scope that the key lacks: a value of the enum `Scope`. Undefined if no scope is missing. */
  readonly scope: string | undefined
  /** Minimum time to wait before the request is repeated. Undefined if a repetition does not help. */
  readonly retryAfterMs: number | undefined
  /** Of CONFLICT: the time of the last change of the object. Undefined for other codes. */
  readonly updatedAt: string | undefined
}

/**
 * Reads the errors of a response: of a result with `errors`, of a list of errors, or of the error that graphql-ws, Apollo Client,
 * urql or this client throws. Returns an empty list if there are none, for example because the network failed.
 */
export function readErrors(source: unknown): readonly ServerError[] {
  return listErrors(source).map(({ message, path = [], extensions = {} }) => {
    const { code = 'BAD_REQUEST', details, fields, scope, retryAfterSeconds, updatedAt } = extensions
    return {
      code,
      message,
      path,
      details: (details ?? {}) as ServerError['details'],
      fields: (fields ?? []) as ServerError['fields'],
      scope: typeof scope === 'string' ? scope : undefined,
      retryAfterMs: typeof retryAfterSeconds === 'number' ? retryAfterSeconds * 1000 : undefined,
      updatedAt: typeof updatedAt === 'string' ? updatedAt : undefined,
    }
  })
}

function listErrors(source: unknown): readonly GraphQLFormattedError[] {
  if (Array.isArray(source)) return source.filter((error) => typeof error?.message === 'string')
  // urql has `graphQLErrors`, all others `errors`.
  const { errors, graphQLErrors } = Object(source) as { errors?: unknown; graphQLErrors?: unknown }
  const list = errors ?? graphQLErrors
  return Array.isArray(list) ? listErrors(list) : []
}

/** Codes of errors that end a connection but not the subscription. The client reconnects after them. */
const retryableCodes = new Set(['CONNECTION_LOST', 'TOO_SLOW', 'BUFFER_FULL', 'SERVER_ERROR', 'RATE_LIMITED'])

interface SubscriptionErrorOptions {
  readonly errors?: readonly GraphQLFormattedError[]
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/**
 * Reason why a connection or a subscription ended. `code` is an `ErrorCode` of the server or one of the client's codes:
 *
 * - `CONNECTION_LOST`: the connection failed or was closed.
 * - `TOO_SLOW`: the server closed the connection because the client did not read fast enough.
 * - `BUFFER_FULL`: the client closed the connection until its buffered events are read.
 * - `CURSOR_MISSING`, `NOT_RESUMABLE`: the document cannot be resumed as it is written.
 * - `NO_WEBSOCKET`: the runtime has no WebSocket.
 * - `CLOSED`: the subscription was closed before it started.
 */
export class SubscriptionError extends Error {
  override readonly name = 'SubscriptionError'
  readonly code: string
  /** True if a retry cannot succeed, for example after UNAUTHORIZED, FORBIDDEN, CURSOR_EXPIRED or an invalid document. */
  readonly isFinal: boolean
  /** The errors of the server's response. Empty if there was no response. */
  readonly errors: readonly GraphQLFormattedError[]
  /** Minimum time to wait before the next attempt, as requested by the server. */
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, { errors = [], retryAfterMs, cause }: SubscriptionErrorOptions = {}) {
    super(message, { cause })
    this.code = code
    this.isFinal = !retryableCodes.has(code)
    this.errors = errors
    this.retryAfterMs = retryAfterMs
  }
}

/** Converts the errors of a response. Returns the first final error, or else the first error. */
export function toSubscriptionError(errors: readonly GraphQLFormattedError[]): SubscriptionError {
  const candidates = readErrors(errors).map(
    ({ code, message, retryAfterMs }) => new SubscriptionError(code, message, { errors, retryAfterMs }),
  )
  const empty = new SubscriptionError('SERVER_ERROR', 'The response contains neither an event nor an error.')
  return candidates.find(({ isFinal }) => isFinal) ?? candidates[0] ?? empty
}

/** Returns the error of a connection that failed or was closed. */
export function connectionLost(message: string, cause?: unknown): SubscriptionError {
  return new SubscriptionError('CONNECTION_LOST', message, { cause })
}
