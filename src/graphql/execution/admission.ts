import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ExecutionResult, GraphQLError } from 'graphql'
import { unavailable } from '../../db/unavailable.ts'
import { type ErrorCode, Refusal } from '../../kernel/errors.ts'
import type { Scope, SignedInUser } from '../../kernel/scopes.ts'
import type { Tally } from '../../kernel/work/rate-limiter.ts'

/** The caller of a request that was admitted: its account, its key or user, and its remaining requests. */
export interface AdmittedCaller {
  readonly accountId: number
  readonly keyId?: number | undefined
  readonly user?: SignedInUser | undefined
  readonly scopes: readonly Scope[] | undefined
  readonly requests: Tally
  /** Share of COST_LIMIT_PER_MINUTE that the account's plan allows, from 0 to 1. Defaults to 1. */
  readonly costShare?: number | undefined
  /** What the access token allows with which the caller was admitted. */
  readonly token?: TokenLimits | undefined
}

/** What an access token allows, beside its scopes. */
interface TokenLimits {
  /** The trusted documents that it executes (`shortHash`). Without them, it executes all subscriptions and no queries. */
  readonly documents?: readonly string[] | undefined
  readonly expiresInMs: number
}

/** How long a signature of a bridge is valid, in seconds: enough for small differences between clocks. */
const maxProofAgeSeconds = 60

/**
 * Returns whether a bridge in another process signed this request as counted already. A REST request may execute several
 * documents, but counts once. Clients do not have the secret, so they cannot avoid the count.
 */
export function isCountedByBridge(secret: string, proof: string, authorization: string): boolean {
  const [seconds = '', mac = ''] = proof.split('.')
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(Date.now() / 1000 - Number(seconds)) > maxProofAgeSeconds) return false
  const expected = createHmac('sha256', secret).update(`${seconds}.${authorization}`).digest()
  const actual = Buffer.from(mac, 'hex')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** What a request is authenticated by: the Authorization header, or else the token of a session. */
interface Credentials {
  readonly authorization?: string | undefined
  readonly session?: string | undefined
  /** IP address of the client. */
  readonly address: string
  /** Whether an access token may stand in the place of a key. Only what executes with `Executor`, which applies its limits. */
  readonly acceptsTokens?: boolean | undefined
}

/** Authenticates a request, and counts it unless `isCounted`. Throws UNAUTHORIZED, or a RateLimitError. */
export type Admit = (credentials: Credentials, isCounted?: boolean) => Promise<AdmittedCaller>

/** The account has used up its requests of this minute. */
interface RateLimitError {
  readonly message: string
  readonly tally: Tally
}

/** An HTTP response to a request that was not executed; its body is a GraphQL result. */
interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ExecutionResult
}

/**
 * Returns the response for an error that prevented execution: authentication, rate limit or unavailability. Returns
 * undefined for any other error.
 */
export function errorResponseOf(error: unknown): ErrorResponse | undefined {
  if (error instanceof Refusal && error.code === 'UNAUTHORIZED') {
    return { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: errorResult(error.message, 'UNAUTHORIZED') }
  }
  const outage = unavailable(error)
  if (outage) {
    const { message, retryAfterSeconds } = outage
    return {
      status: 503,
      headers: { 'Retry-After': String(retryAfterSeconds) },
      body: errorResult(message, 'UNAVAILABLE', { retryAfterSeconds }),
    }
  }
  if (isRateLimitError(error)) {
    const { limit, resetSeconds } = error.tally
    return {
      status: 429,
      headers: { 'Retry-After': String(resetSeconds), ...limitHeaders({ limit, remaining: 0, resetSeconds }) },
      body: {
        ...errorResult(error.message, 'RATE_LIMITED', { retryAfterSeconds: resetSeconds }),
        extensions: { rateLimit: { limit, remaining: 0, resetSeconds } },
      },
    }
  }
  return undefined
}

/** Returns the seconds after which to repeat a request whose result has the error UNAVAILABLE; undefined if it has none. */
export function retryAfterSecondsOf({ errors }: ExecutionResult): number | undefined {
  const unavailable = errors?.find(({ extensions }) => extensions['code'] === ('UNAVAILABLE' satisfies ErrorCode))
  return unavailable && Number(unavailable.extensions['retryAfterSeconds'])
}

/** Returns the rate limit as response headers. */
export function limitHeaders(tally: Pick<Tally, 'limit' | 'remaining' | 'resetSeconds'>): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(tally.limit),
    'X-RateLimit-Remaining': String(tally.remaining),
    'X-RateLimit-Reset': String(tally.resetSeconds),
  }
}

/** Returns a GraphQL result with one error. */
export function errorResult(message: string, code: ErrorCode, more: object = {}): ExecutionResult {
  return { errors: [new GraphQLError(message, { extensions: { code, ...more } })] }
}

function isRateLimitError(error: unknown): error is RateLimitError {
  return error instanceof Error && 'tally' in error
}
