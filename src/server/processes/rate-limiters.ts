import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { type Limiters, newLimiters, type PostLimits } from '../../kernel/work/rate-limiter.ts'
import type { Parts } from './parts.ts'

interface RateLimitSettings {
  readonly rateLimitPerMinute: number
  readonly costLimitPerMinute: number
  readonly postsPerMinute: PostLimits
  readonly redisUrl?: string | undefined
}

/** Opens the rate limiters, which several processes share through Redis, with their metric. */
export async function openRateLimiters(options: {
  settings: RateLimitSettings
  /** Limiters to use instead of new ones; for tests. */
  existing: Limiters | undefined
  log: Log
  metrics: Metrics
  parts: Parts
}): Promise<Limiters> {
  const { settings, log, metrics, parts } = options
  const { rateLimitPerMinute: requestsPerMinute, costLimitPerMinute: costPerMinute } = settings
  const { postsPerMinute, redisUrl } = settings
  const limiters =
    options.existing ?? (await newLimiters({ requestsPerMinute, costPerMinute, postsPerMinute, redisUrl, log }))
  parts.add(() => limiters.close())
  const help = 'Processes that share the rate limits, by the last count in Redis. 1 without Redis.'
  metrics.watch('campanile_processes', help, [], () => [{ labels: {}, value: limiters.processes() }])
  return limiters
}
