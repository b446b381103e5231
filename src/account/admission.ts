import { LRUCache } from 'lru-cache'
import type { System } from '../db/context.ts'
import { refuse } from '../kernel/errors.ts'
import type { Limiter, Tally } from '../kernel/limiter.ts'
import { may } from '../kernel/scopes.ts'
import { findHolder, hashOf, type KeyHolder } from './api-keys.ts'
import { read } from './stream-tokens.ts'

/** Time to live of cached keys. Usually a notification about changed keys clears the cache before. */
const cacheTtlMs = 5_000

/** The holder of a valid key, and the state of its request limit. */
interface AdmittedKey extends KeyHolder {
  readonly requests: Tally
}

export interface Admission {
  /**
   * Authenticates a request and counts it against the request limit of the account. `isCounted` means that the request was
   * counted before.
   *
   * **Throws** UNAUTHORIZED, and `RateLimitError` if the limit is exceeded.
   */
  admit(authorization: string | undefined, isCounted?: boolean): Promise<AdmittedKey>
  /**
   * Authenticates and counts a subscription by its stream token. Returns the holder of the key with the scopes of the token,
   * and the milliseconds until the token expires.
   *
   * **Throws** UNAUTHORIZED, and `RateLimitError` if the limit is exceeded.
   */
  admitStreamToken(token: string): Promise<AdmittedKey & { readonly expiresInMs: number }>
  /** Authenticates a request without counting it. **Throws** UNAUTHORIZED. */
  authenticate(authorization: string | undefined): Promise<KeyHolder>
  /** Clears the cache of keys. */
  clearCache(): void
}

/** The request limit of the account is exceeded. */
export class RateLimitError extends Error {
  readonly tally: Tally

  constructor(tally: Tally) {
    super(
      `Too many attempts: the limit is ${tally.limit} requests per minute. Try again in ${tally.resetSeconds} seconds.`,
    )
    this.name = 'RateLimitError'
    this.tally = tally
  }
}

/**
 * Authenticates requests by API key and applies the request limit. Keys are cached only while `canCache` returns true, that
 * is while the process receives notifications about changed keys.
 */
export function newAdmission(options: { system: System; requests: Limiter; canCache: () => boolean }): Admission {
  const { system, requests, canCache } = options
  const cache = new LRUCache<string, KeyHolder>({ max: 10_000, ttl: cacheTtlMs })
  let generation = 0

  /** Finds the holder of a key. `id` identifies the key in the cache. */
  const findCached = async (id: string, key: Parameters<typeof findHolder>[1]): Promise<KeyHolder> => {
    const cached = canCache() ? cache.get(id) : undefined
    if (cached) return cached
    const startGeneration = generation
    const holder = await findHolder(system, key)
    if (!holder) throw refuse('UNAUTHORIZED', 'The API key is invalid or disabled.')
    // A notification that arrived during the query may be about this key.
    if (startGeneration === generation) cache.set(id, holder)
    return holder
  }

  const authenticate = async (authorization: string | undefined): Promise<KeyHolder> => {
    const key = /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(authorization ?? '')?.[1]
    if (key === undefined) {
      throw refuse('UNAUTHORIZED', 'Send the API key in the header "Authorization: Bearer <API key>".')
    }
    return findCached(hashOf(key), key)
  }

  const count = async (holder: KeyHolder, isCounted = false): Promise<AdmittedKey> => {
    const tally = await requests.take(holder.accountId, isCounted ? 0 : 1)
    if (tally.isExceeded && !isCounted) throw new RateLimitError(tally)
    return { ...holder, requests: tally }
  }

  return {
    authenticate,
    admit: async (authorization, isCounted) => count(await authenticate(authorization), isCounted),
    admitStreamToken: async (text) => {
      const token = read(system, text)
      if (!token) throw refuse('UNAUTHORIZED', 'The stream token is invalid or has expired.')
      const holder = await findCached(`id ${token.keyId}`, token)
      const scopes = token.scopes.filter((scope) => may(holder, scope))
      const expiresInMs = token.expiresAt - system.clock.now().getTime()
      return { ...(await count({ ...holder, scopes })), expiresInMs }
    },
    clearCache: () => {
      generation += 1
      cache.clear()
    },
  }
}
