import { LRUCache } from 'lru-cache'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { Unavailable } from '../../kernel/errors.ts'
import { networkOf } from '../../kernel/values/address.ts'

/** Maximum number of requests of a network at a time whose body is read: while it has sent no valid signature, and after that. */
const [unverifiedAtATime, verifiedAtATime] = [4, 64]

/** Number of requests without a valid signature per minute after which no further body of a network is read in that minute. */
const failuresPerMinute = 60

/** Time for which a valid signature speaks for its network, in milliseconds. */
const verifiedTtlMs = 24 * 60 * 60 * 1_000

const maxNetworks = 10_000

/** Too many requests of a network had no valid signature. */
export class SignatureLimitError extends Error {
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super(`Too many requests without a valid signature. Try again in ${retryAfterSeconds} seconds.`)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Limits the requests that must be read before their sender is known, because the signature covers the body. */
export interface SignedSenders {
  /**
   * Reads a request of an address. `isVerified` returns whether its signature was valid. **Throws** UNAVAILABLE if too many of
   * the network are read at the moment, and SignatureLimitError if too many had no valid signature. The body is not read then.
   */
  read<Result>(ip: string, read: () => Promise<Result>, isVerified: (result: Result) => boolean): Promise<Result>
}

/** Creates the limits of a process. */
export function newSignedSenders(): SignedSenders {
  const failures = new RateLimiterMemory({ points: failuresPerMinute, duration: 60 })
  const verified = new LRUCache<string, true>({ max: maxNetworks, ttl: verifiedTtlMs })
  const present = new Map<string, number>()
  const change = (network: string, by: number) => {
    const count = (present.get(network) ?? 0) + by
    if (count === 0) present.delete(network)
    else present.set(network, count)
  }
  return {
    read: async (ip, read, isVerified) => {
      const network = networkOf(ip)
      const isKnown = verified.has(network)
      if ((present.get(network) ?? 0) >= (isKnown ? verifiedAtATime : unverifiedAtATime))
        throw new Unavailable('Too many reports of this network are being read. Send this one again in a moment.', 2)
      change(network, 1)
      try {
        const failed = isKnown ? null : await failures.get(network)
        if (failed && failed.consumedPoints >= failuresPerMinute)
          throw new SignatureLimitError(Math.ceil(failed.msBeforeNext / 1_000))
        const result = await read()
        if (isVerified(result)) verified.set(network, true)
        else await failures.penalty(network)
        return result
      } finally {
        change(network, -1)
      }
    },
  }
}
