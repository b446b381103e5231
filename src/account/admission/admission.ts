import { LRUCache } from 'lru-cache'
import type { System } from '../../db/context.ts'
import { Refusal, refuse } from '../../kernel/errors.ts'
import { may } from '../../kernel/scopes.ts'
import { hashOf, isAccessToken } from '../../kernel/web/tokens.ts'
import type { Limiter, Tally } from '../../kernel/work/rate-limiter.ts'
import type { RefusalPace } from '../../kernel/work/refusal-pace.ts'
import { read } from '../api-keys/access-tokens.ts'
import { findHolder as findKey } from '../api-keys/api-keys.ts'
import { findSession } from '../sign-in/sessions.ts'
import { findHolder, type Holder } from './holders.ts'
import { newUnknownKeys } from './unknown-keys.ts'

/** Time to live of cached callers. Usually a notification about changed keys and users clears the cache before. */
const cacheTtlMs = 5_000

/** Least number of lookups of unknown keys per minute for a network. */
const leastUnknownPerMinute = 60

/** The holder of a valid key or session, and the state of the request limit. */
type AdmittedHolder = Holder & { readonly requests: Tally; readonly token?: TokenLimits | undefined }

/** What an access token allows, beside its scopes. */
interface TokenLimits {
  /** The documents that it executes (`shortHash`). Without them, it executes all subscriptions and no queries. */
  readonly documents?: readonly string[] | undefined
  readonly expiresInMs: number
}

/** What a request is authenticated by. The header wins: with one, the session is ignored. */
interface Credentials {
  /** The header `Authorization`. */
  readonly authorization?: string | undefined
  /** Token of a session, from a request that a page of this server sent. */
  readonly session?: string | undefined
  /** IP address of the client. */
  readonly address: string
  /** Whether an access token may stand in the place of a key. The caller then applies its limits. */
  readonly acceptsTokens?: boolean | undefined
}

export interface Admission {
  /**
   * Authenticates a request by API key, session or access token, and counts it against the request limit of the account.
   * `isCounted` means that the request was counted before. The holder of a token is that of its key, with its own scopes.
   *
   * **Throws** UNAUTHORIZED (`ExpiredToken` if a token has expired), and `RateLimitError` if the limit is exceeded, or if too
   * many requests with unknown keys came from the network of the client: a tenth of the requests of an account, at least
   * `leastUnknownPerMinute`.
   */
  admit(credentials: Credentials, isCounted?: boolean): Promise<AdmittedHolder>
  /** Clears the cache of keys and sessions. */
  clearCache(): void
}

/** The request limit of the account, or that of unknown keys, is exceeded. */
export class RateLimitError extends Error {
  readonly tally: Tally

  constructor(tally: Tally, requests = 'requests') {
    super(
      `Too many attempts: the limit is ${tally.limit} ${requests} per minute. Try again in ${tally.resetSeconds} seconds.`,
    )
    this.name = 'RateLimitError'
    this.tally = tally
  }
}

/**
 * Authenticates requests by API key or session and applies the request limit. Callers are cached only while `canCache` returns
 * true, that is while the process receives notifications about changed keys and users.
 */
export function newAdmission(options: {
  system: System
  requests: Limiter
  canCache: () => boolean
  /** Delays the refusals of a network that has very many. */
  pace: RefusalPace
}): Admission {
  const { system, requests, canCache, pace } = options
  // With its default resolution, the cache sets a timer for nearly every request.
  const cache = new LRUCache<string, Holder>({ max: 10_000, ttl: cacheTtlMs, ttlResolution: 100 })
  const unknownPerMinute = Math.max(Math.ceil(requests.limit / 10), leastUnknownPerMinute)
  const unknown = newUnknownKeys(unknownPerMinute, canCache)
  const exceeded = (resetSeconds: number): Tally => ({
    ...{ limit: unknownPerMinute, remaining: 0, resetSeconds, isExceeded: true },
  })
  let generation = 0

  /**
   * Finds a holder. `id` identifies it in the caches. Without an address, the caller has proven that the server knows the holder.
   */
  const findCached = async (
    id: string,
    find: () => Promise<Holder | undefined>,
    { address, refusal = 'The API key is invalid or disabled.' }: { address?: string; refusal?: string } = {},
  ): Promise<Holder> => {
    const cached = canCache() ? cache.get(id) : undefined
    if (cached && !isStale(cached)) return cached
    if (unknown.isAbsent(id)) throw refuse('UNAUTHORIZED', refusal)
    const startGeneration = generation
    const holder = address === undefined ? await find() : await unknown.lookUp(id, address, find)
    if (holder && 'waitSeconds' in holder)
      throw new RateLimitError(exceeded(holder.waitSeconds), 'requests with unknown keys')
    if (!holder) throw refuse('UNAUTHORIZED', refusal)
    // A notification that arrived during the query may be about this holder.
    if (startGeneration === generation) cache.set(id, holder)
    return holder
  }

  const isStale = (holder: Holder) => 'cacheUntil' in holder && holder.cacheUntil <= system.clock.now().getTime()

  const findSigned = async (token: Parameters<typeof findHolder>[1]) => {
    const found = await findHolder(system, token)
    return found && 'scopes' in found ? found : undefined
  }

  const findHolderOfToken = async (text: string) => {
    const token = read(system, text)
    if (!token) throw refuse('UNAUTHORIZED', 'The access token is invalid.')
    const holder = await findCached(`id ${token.holder}`, () => findSigned(token))
    const scopes = token.scopes.filter((scope) => may(holder, scope))
    const expiresInMs = token.expiresAt - system.clock.now().getTime()
    return { ...holder, scopes, token: { documents: token.documents, expiresInMs } }
  }

  const authenticate = async (credentials: Credentials): Promise<Omit<AdmittedHolder, 'requests'> & Holder> => {
    const { authorization, session, address, acceptsTokens = false } = credentials
    if (authorization === undefined && session !== undefined) {
      const refusal = 'The session has ended.'
      return findCached(`session ${hashOf(session)}`, () => findSession(system, session), { address, refusal })
    }
    const key = /^Bearer +([\x21-\x7e]{1,6000}) *$/i.exec(authorization ?? '')?.[1]
    if (key === undefined) {
      throw refuse('UNAUTHORIZED', 'Send the API key in the header "Authorization: Bearer <API key>".')
    }
    if (acceptsTokens && isAccessToken(key)) return findHolderOfToken(key)
    return findCached(hashOf(key), () => findKey(system, key), { address })
  }

  const authenticateInPace = async (credentials: Credentials) =>
    authenticate(credentials).catch(async (error: unknown) => {
      if (error instanceof Refusal || error instanceof RateLimitError) await pace.wait(credentials.address)
      throw error
    })

  const count = async (holder: Holder, isCounted = false): Promise<AdmittedHolder> => {
    const tally = await requests.take(holder.accountId, isCounted ? 0 : 1)
    if (tally.isExceeded && !isCounted) throw new RateLimitError(tally)
    return { ...holder, requests: tally }
  }

  return {
    admit: async (credentials, isCounted) => count(await authenticateInPace(credentials), isCounted),
    clearCache: () => {
      generation += 1
      cache.clear()
      unknown.clear()
    },
  }
}
