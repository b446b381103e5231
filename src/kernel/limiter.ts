import { randomUUID } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Log } from './log.ts'
import { openRedis, type Redis, type RedisClient } from './redis.ts'

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
  /** How many processes share the limits, as they were last counted. */
  processes(): number
  close(): Promise<void>
}

/** How often a process shows in Redis that it is there, and after how long without that it is not. */
const [beatMilliseconds, deadMilliseconds] = [1_000, 10_000]

/** Cost points an account may spend a minute, where the configuration says nothing else. */
const usualCostPerMinute = 600_000

/** What visitors may post a minute, where the configuration says nothing else. */
const usualPosts = { perAddress: 120, perForm: 6_000 }

/**
 * The allowances of every account: in memory, or in Redis where several processes share them. While Redis is away each
 * process counts by itself, and allows the part of the limit that is its own: the limit divided by the processes that were
 * last seen there.
 */
export async function newLimiters(options: {
  requestsPerMinute: number
  costPerMinute?: number | undefined
  postsPerMinute?: { perAddress: number; perForm: number } | undefined
  redisUrl?: string | undefined
  log: Log
}): Promise<Limiters> {
  const { requestsPerMinute, costPerMinute = usualCostPerMinute, redisUrl, log } = options
  const { postsPerMinute: posts = usualPosts } = options
  const redis =
    redisUrl === undefined
      ? undefined
      : await openRedis({ url: redisUrl, consequence: 'each process counts its part of the limits by itself', log })
  const processes = redis && (await newProcesses(redis))
  const newLimiter = (name: string, points: number): Limiter =>
    redis && processes ? sharedLimiter(redis, name, points, processes.count) : limiterOf(memoryOf(points), points)
  return {
    requests: newLimiter('requests', requestsPerMinute),
    cost: newLimiter('cost', costPerMinute),
    posts: {
      perAddress: newLimiter('posts:address', posts.perAddress),
      perForm: newLimiter('posts:form', posts.perForm),
    },
    isShared: () => redis?.isUp() ?? false,
    processes: () => processes?.count() ?? 1,
    close: async () => {
      await processes?.leave()
      redis?.close()
    },
  }
}

function memoryOf(points: number): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration: 60 })
}

/** Counts in Redis, or here while that is away. */
function sharedLimiter(redis: Redis, name: string, points: number, processes: () => number): Limiter {
  const memory = memoryOf(points)
  const own = limiterOf(memory, points)
  const shared = (client: RedisClient) => {
    const store = { storeClient: client, useRedisPackage: true, keyPrefix: `campanile:${name}` }
    return limiterOf(new RateLimiterRedis({ ...store, points, duration: 60 }), points)
  }
  let all: Limiter | undefined
  const inRedis = (client: RedisClient) => {
    all ??= shared(client)
    return all
  }
  return {
    limit: points,
    take: async (holder, taken) => {
      const tally = await redis.run((client) => inRedis(client).take(holder, taken))
      if (tally) return tally
      memory.points = Math.max(Math.floor(points / processes()), 1)
      return own.take(holder, taken)
    },
    giveBack: (holder, given) => (redis.isUp() && all ? all : own).giveBack(holder, given),
  }
}

/** The processes that share a Redis, as they were last counted; this one shows itself among them. */
async function newProcesses(redis: Redis): Promise<{ count(): number; leave(): Promise<void> }> {
  const id = randomUUID()
  let count = 1
  const beat = async () => {
    const seen = await redis.run((client) =>
      client.eval(beatScript, { keys: [processesKey], arguments: [id, String(deadMilliseconds)] }),
    )
    if (typeof seen === 'number') count = Math.max(seen, 1)
  }
  await beat()
  const timer = setInterval(beat, beatMilliseconds).unref()
  return {
    count: () => count,
    leave: async () => {
      clearInterval(timer)
      await redis.run((client) => client.zRem(processesKey, id))
    },
  }
}

const processesKey = 'campanile:processes'

/** Notes that a process is there, forgets those that are not, and counts the rest, all by the clock of Redis. */
const beatScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return redis.call('ZCARD', KEYS[1])`

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
