import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ExecutionResult, GraphQLError } from 'graphql'
import { unavailable } from '../db/outage.ts'
import { type ErrorCode, Refusal } from '../kernel/errors.ts'
import type { Tally } from '../kernel/limiter.ts'
import type { Scope } from '../kernel/scopes.ts'

/** Someone who may ask. */
export interface Guest {
  readonly accountId: number
  readonly keyId: number
  readonly scopes: readonly Scope[] | undefined
  readonly requests: Tally
  /** Which part of COST_LIMIT_PER_MINUTE the account's plan gives it. */
  readonly costShare?: number | undefined
}

/** How long a bridge's proof is good, in seconds: long enough for clocks that differ a little. */
const proofSeconds = 60

/**
 * Whether a bridge in another process proves, by the shared secret, that the request it asks for was counted with its
 * first document. A client cannot make the proof, so it cannot escape the count.
 */
export function provesCounted(secret: string, proof: string, authorization: string): boolean {
  const [seconds = '', mac = ''] = proof.split('.')
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(Date.now() / 1000 - Number(seconds)) > proofSeconds) return false
  const expected = createHmac('sha256', secret).update(`${seconds}.${authorization}`).digest()
  const given = Buffer.from(mac, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Who decides who may ask, and counts; the composition root gives it. Fails with a refusal, or with a throttling. */
export type Admit = (authorization: string | undefined, isCounted?: boolean) => Promise<Guest>

/** One request too many, told with the state of the allowance. */
interface Throttling {
  readonly message: string
  readonly tally: Tally
}

/** An answer from the door itself: the status that HTTP gives it, headers, and a body in GraphQL's form. */
export interface TurnedAway {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ExecutionResult
}

/** What someone hears who is not let in, or undefined where the error is none of the door's. */
export function turnedAway(error: unknown): TurnedAway | undefined {
  if (error instanceof Refusal && error.code === 'UNAUTHORIZED') {
    return { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: bodyOf(error.message, 'UNAUTHORIZED') }
  }
  const away = unavailable(error)
  if (away) {
    const { message, retryAfterSeconds } = away
    return {
      status: 503,
      headers: { 'Retry-After': String(retryAfterSeconds) },
      body: bodyOf(message, 'UNAVAILABLE', { retryAfterSeconds }),
    }
  }
  if (isThrottling(error)) {
    const { limit, resetSeconds } = error.tally
    return {
      status: 429,
      headers: { 'Retry-After': String(resetSeconds), ...limitHeaders({ limit, remaining: 0, resetSeconds }) },
      body: {
        ...bodyOf(error.message, 'RATE_LIMITED', { retryAfterSeconds: resetSeconds }),
        extensions: { rateLimit: { limit, remaining: 0, resetSeconds } },
      },
    }
  }
  return undefined
}

/** After how many seconds a client is to ask again whose answer holds UNAVAILABLE; undefined where it holds none. */
export function retryAfter({ errors }: ExecutionResult): number | undefined {
  const found = errors?.find(({ extensions }) => extensions['code'] === ('UNAVAILABLE' satisfies ErrorCode))
  return found && Number(found.extensions['retryAfterSeconds'])
}

/** The state of the allowance as headers. */
export function limitHeaders(tally: Pick<Tally, 'limit' | 'remaining' | 'resetSeconds'>): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(tally.limit),
    'X-RateLimit-Remaining': String(tally.remaining),
    'X-RateLimit-Reset': String(tally.resetSeconds),
  }
}

/** A GraphQL answer that holds one error. */
export function bodyOf(message: string, code: ErrorCode, more: object = {}): ExecutionResult {
  return { errors: [new GraphQLError(message, { extensions: { code, ...more } })] }
}

function isThrottling(error: unknown): error is Throttling {
  return error instanceof Error && 'tally' in error
}
