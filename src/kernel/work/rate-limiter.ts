import { randomUUID } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Log } from '../telemetry/log.ts'
import { openRedis, type Redis, type RedisClient } from './redis.ts'

/** State of an allowance in the current minute. */
export interface Tally {
  readonly limit: number
  readonly remaining: number
  /** Seconds until the minute ends and the allowance is complete again. */
  readonly resetSeconds: number
  readonly isExceeded: boolean
}

/** An allowance per minute for each holder: an account by its ID, or an address within an account. */
export interface Limiter {
  readonly limit: number
  /** Takes points from the allowance and returns its state. */
  take(holder: number | string, points: number): Promise<Tally>
  /** Returns points that were not needed to the allowance. A negative number takes points even if none are left. */
  release(holder: number | string, points: number): void
}

export interface Limiters {
  /** Requests. Each request takes one point. */
  readonly requests: Limiter
  /** Cost points of GraphQL documents. */
  readonly cost: Limiter
  /** Submissions of visitors. */
  readonly posts: PostLimiters
  /** Returns whether the limits are shared with other processes at this moment. */
  isShared(): boolean
  /** Returns the number of processes that share the limits, as of the last count. */
  processes(): number
  close(): Promise<void>
}

/** Limiters of the submissions to the pages of an account. The holder is the account with what the name of the limiter says. */
interface PostLimiters {
  /** Posts from one IP address or network. */
  readonly perAddress: Limiter
  /** Posts to one form. */
  readonly perForm: Limiter
  /** Posts with one e-mail address. */
  readonly perEmail: Limiter
  /** Sign-ups. One that exceeds the limit starts a flood, during which all further ones exceed it. */
  readonly flood: { readonly perAddress: Limiter; readonly perForm: Limiter }
}

/** Points per minute of the limiters of submissions. */
export interface PostLimits {
  readonly perAddress: number
  readonly perForm: number
  readonly perEmail: number
  readonly flood: { readonly perAddress: number; readonly perForm: number }
}

/** Interval of the heartbeat in Redis, and time without one after which a process is not counted, in milliseconds. */
const [heartbeatIntervalMs, heartbeatTimeoutMs] = [1_000, 10_000]

/** Default for the cost points of an account per minute. */
const defaultCostPerMinute = 600_000

/** Defaults for the submissions of visitors per minute. */
const defaultPosts: PostLimits = {
  ...{ perAddress: 120, perForm: 6_000, perEmail: 20 },
  flood: { perAddress: 20, perForm: 120 },
}

/** Time that a flood lasts, in seconds. */
const floodSeconds = 600

/**
 * Creates the rate limits, in memory, or in Redis if several processes share them. While Redis is unavailable, each
 * process counts separately. Its limit is then the configured limit divided by the last number of processes.
 */
export async function newLimiters(options: {
  requestsPerMinute: number
  costPerMinute?: number | undefined
  postsPerMinute?: PostLimits | undefined
  redisUrl?: string | undefined
  log: Log
}): Promise<Limiters> {
  const { requestsPerMinute, costPerMinute = defaultCostPerMinute, redisUrl, log } = options
  const { postsPerMinute: posts = defaultPosts } = options
  const redis =
    redisUrl === undefined
      ? undefined
      : await openRedis({ url: redisUrl, consequence: 'each process applies its share of the limits separately', log })
  const processes = redis && (await newProcesses(redis))
  const newLimiter = (name: string, points: number, blockSeconds = 0): Limiter => {
    const rate = { points, duration: windowSeconds, blockDuration: blockSeconds }
    return redis && processes
      ? sharedLimiter(redis, name, rate, processes.count)
      : limiterOf(new RateLimiterMemory(rate), points)
  }
  return {
    requests: newLimiter('requests', requestsPerMinute),
    cost: newLimiter('cost', costPerMinute),
    posts: {
      perAddress: newLimiter('posts:address', posts.perAddress),
      perForm: newLimiter('posts:form', posts.perForm),
      perEmail: newLimiter('posts:email', posts.perEmail),
      flood: {
        perAddress: newLimiter('flood:address', posts.flood.perAddress, floodSeconds),
        perForm: newLimiter('flood:form', posts.flood.perForm, floodSeconds),
      },
    },
    isShared: () => redis?.isUp() ?? false,
    processes: () => processes?.count() ?? 1,
    close: async () => {
      await processes?.leave()
      redis?.close()
    },
  }
}

/** Time in which points are counted, in seconds. */
const windowSeconds = 60

/** Points in a window, and how long the holder is blocked that takes more, in seconds. 0 means the rest of the window. */
interface Rate {
  readonly points: number
  readonly duration: number
  readonly blockDuration: number
}

/** Counts in Redis, or in memory while Redis is unavailable. */
function sharedLimiter(redis: Redis, name: string, rate: Rate, processes: () => number): Limiter {
  const { points } = rate
  const memory = new RateLimiterMemory(rate)
  const own = limiterOf(memory, points)
  const shared = (client: RedisClient) => {
    const store = { storeClient: client, useRedisPackage: true, keyPrefix: `campanile:${name}` }
    return limiterOf(new RateLimiterRedis({ ...store, ...rate }), points)
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
    release: (holder, given) => (redis.isUp() && all ? all : own).release(holder, given),
  }
}

/** Counts the processes that share a Redis. This process registers itself with a heartbeat. */
async function newProcesses(redis: Redis): Promise<{ count(): number; leave(): Promise<void> }> {
  const id = randomUUID()
  let count = 1
  const sendHeartbeat = async () => {
    const seen = await redis.run((client) =>
      client.eval(heartbeatScript, { keys: [processesKey], arguments: [id, String(heartbeatTimeoutMs)] }),
    )
    if (typeof seen === 'number') count = Math.max(seen, 1)
  }
  await sendHeartbeat()
  const timer = setInterval(sendHeartbeat, heartbeatIntervalMs).unref()
  return {
    count: () => count,
    leave: async () => {
      clearInterval(timer)
      await redis.run((client) => client.zRem(processesKey, id))
    },
  }
}

const processesKey = 'campanile:processes'

/**
 * Stores the heartbeat of a process, removes processes without a recent one, and returns the number of processes. All
 * times are those of Redis.
 */
const heartbeatScript = `
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
    release: (holder, points) => {
      const key = String(holder)
      const settled = points < 0 ? limiter.penalty(key, -points) : limiter.reward(key, points)
      settled.catch(() => undefined)
    },
  }
}
