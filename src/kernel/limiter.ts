import { setTimeout as sleep } from 'node:timers/promises'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Log } from './log.ts'

/** How much of a minute's allowance is left. */
export interface Tally {
  readonly limit: number
  readonly remaining: number
  /** Until the minute is over and the allowance is whole again. */
  readonly resetSeconds: number
  readonly isExceeded: boolean
}

/** An allowance per minute for each who has a name of its own: an account, by its id, or an address within one. */
export interface Limiter {
  readonly limit: number
  /** Takes points from the allowance and says what is left. */
  take(holder: number | string, points: number): Promise<Tally>
  /** Gives points back that were taken and not needed; a negative number is taken on top, whatever is left. */
  giveBack(holder: number | string, points: number): void
}

export interface Limiters {
  /** Requests: each counts one. */
  readonly requests: Limiter
  /** Cost points of GraphQL documents. */
  readonly cost: Limiter
  /** What visitors post: from one address to the pages of one account, and to one form. */
  readonly posts: { readonly perAddress: Limiter; readonly perForm: Limiter }
  /** Whether the limits are shared with other processes at this moment. */
  isShared(): boolean
  close(): Promise<void>
}

/** How long a start waits for Redis. */
const patienceMilliseconds = 1_000

/** Cost points an account may spend a minute. */
export const costPerMinute = 600_000

/** What visitors may post a minute, where the configuration says nothing else. */
const usualPosts = { perAddress: 120, perForm: 6_000 }

/**
 * The allowances of every account: in memory, or in Redis where several processes share them. When Redis is away each
 * process counts by itself: too generous for a moment, but nobody is turned away for our fault.
 */
export async function newLimiters(options: {
  requestsPerMinute: number
  postsPerMinute?: { perAddress: number; perForm: number } | undefined
  redisUrl?: string | undefined
  log: Log
}): Promise<Limiters> {
  const { requestsPerMinute, postsPerMinute: posts = usualPosts, redisUrl, log } = options
  if (redisUrl === undefined) {
    const memory = (points: number) => limiterOf(new RateLimiterMemory({ points, duration: 60 }), points)
    return {
      requests: memory(requestsPerMinute),
      cost: memory(costPerMinute),
      posts: { perAddress: memory(posts.perAddress), perForm: memory(posts.perForm) },
      isShared: () => false,
      close: async () => undefined,
    }
  }
  // A start that needs no Redis does not load its client.
  const { createClient } = await import('redis')
  const client = createClient({
    url: redisUrl,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: (tries: number) => Math.min(tries * 100, 2_000) },
  })
  client.on('error', (error: unknown) =>
    log.warn({ err: error }, 'Redis cannot be reached; limits are counted by each process'),
  )
  // It goes on trying by itself; a server starts without it too.
  await Promise.race([client.connect().catch(() => undefined), sleep(patienceMilliseconds, undefined, { ref: false })])
  const shared = (keyPrefix: string, points: number) =>
    limiterOf(
      new RateLimiterRedis({
        storeClient: client,
        useRedisPackage: true,
        keyPrefix,
        points,
        duration: 60,
        insuranceLimiter: new RateLimiterMemory({ points, duration: 60 }),
      }),
      points,
    )
  return {
    requests: shared('campanile:requests', requestsPerMinute),
    cost: shared('campanile:cost', costPerMinute),
    posts: {
      perAddress: shared('campanile:posts:address', posts.perAddress),
      perForm: shared('campanile:posts:form', posts.perForm),
    },
    isShared: () => client.isReady,
    close: async () => {
      if (client.isOpen) client.destroy()
    },
  }
}

function limiterOf(limiter: RateLimiterMemory | RateLimiterRedis, limit: number): Limiter {
  const tally = (result: RateLimiterRes, isExceeded: boolean): Tally => ({
    limit,
    remaining: Math.max(result.remainingPoints, 0),
    resetSeconds: Math.max(Math.ceil(result.msBeforeNext / 1000), 1),
    isExceeded,
  })
  return {
    limit,
    take: async (holder, points) => {
      try {
        return tally(await limiter.consume(String(holder), points), false)
      } catch (result) {
        if (result instanceof Error) throw result
        return tally(result as RateLimiterRes, true)
      }
    },
    giveBack: (holder, points) => {
      const key = String(holder)
      const settled = points < 0 ? limiter.penalty(key, -points) : limiter.reward(key, points)
      settled.catch(() => undefined)
    },
  }
}
