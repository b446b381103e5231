import { LRUCache } from 'lru-cache'
import type { System } from '../db/context.ts'
import { refuse } from '../kernel/errors.ts'
import type { Limiter, Tally } from '../kernel/limiter.ts'
import { hashOf, holderOf, type KeyHolder } from './api-keys.ts'

/** How long a key that was read is taken as read; a hint that keys changed comes long before, as a rule. */
const rememberedMilliseconds = 5_000

/** Someone who may ask, and how many requests they have left. */
export interface Admitted extends KeyHolder {
  readonly requests: Tally
}

export interface Admission {
  /**
   * Lets a request in: its key must be good, and the account's allowance not used up. `isCounted` says that the request
   * was counted before. Fails with UNAUTHORIZED, or with a `Throttled`.
   */
  admit(authorization: string | undefined, isCounted?: boolean): Promise<Admitted>
  /** Whose key this is, without counting. Fails with UNAUTHORIZED. */
  authenticate(authorization: string | undefined): Promise<KeyHolder>
  /** Forgets all keys that were read: some have changed. */
  forget(): void
}

/** The answer to one request too many: when to come again. */
export class Throttled extends Error {
  readonly tally: Tally

  constructor(tally: Tally) {
    super(
      `Too many attempts: ${tally.limit} requests a minute are allowed. Try again in ${tally.resetSeconds} seconds.`,
    )
    this.name = 'Throttled'
    this.tally = tally
  }
}

/**
 * Decides who may ask. Keys that were read are remembered while `mayRemember` holds, that is while hints about changed
 * keys arrive.
 */
export function newAdmission(options: { system: System; requests: Limiter; mayRemember: () => boolean }): Admission {
  const { system, requests, mayRemember } = options
  const remembered = new LRUCache<string, KeyHolder>({ max: 10_000, ttl: rememberedMilliseconds })
  let generation = 0

  const authenticate = async (authorization: string | undefined): Promise<KeyHolder> => {
    const key = /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(authorization ?? '')?.[1]
    if (key === undefined) {
      throw refuse('UNAUTHORIZED', 'Send the API key in the header "Authorization: Bearer <API key>".')
    }
    const hash = hashOf(key)
    const known = mayRemember() ? remembered.get(hash) : undefined
    if (known) return known
    const readIn = generation
    const holder = await holderOf(system, key)
    if (!holder) throw refuse('UNAUTHORIZED', 'The API key is invalid or disabled.')
    // A hint that came while the key was being read may be about this key.
    if (readIn === generation) remembered.set(hash, holder)
    return holder
  }

  return {
    authenticate,
    admit: async (authorization, isCounted = false) => {
      const holder = await authenticate(authorization)
      const tally = await requests.take(holder.accountId, isCounted ? 0 : 1)
      if (tally.isExceeded && !isCounted) throw new Throttled(tally)
      return { ...holder, requests: tally }
    },
    forget: () => {
      generation += 1
      remembered.clear()
    },
  }
}
