import Koa from 'koa'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { limitDuration } from './concurrency-limits.ts'
import { health } from './health.ts'
import type { Shutdown } from './lifecycle.ts'
import { handleOutages } from './middleware.ts'

/** Creates the Koa app with the handlers that every process has: health, time limits and outages. */
export function newKoa(options: {
  config: { readonly baseUrl?: string | undefined; readonly metricsToken?: string | undefined }
  log: Log
  metrics: Metrics
  shutdown: Shutdown
  /** Returns why the process cannot serve requests at the moment, or undefined if it can. */
  notReady: () => Promise<string | undefined>
  /** Number of proxies in front whose `X-Forwarded-For` is trusted. */
  trustProxy: number
}): Koa {
  const { config, log, metrics, shutdown, notReady, trustProxy } = options
  const koa = new Koa({ proxy: trustProxy > 0, maxIpsCount: trustProxy })
  // A proxy in front uses HTTPS with clients, but may use HTTP with this server.
  if (config.baseUrl?.startsWith('https:')) Object.defineProperty(koa.request, 'secure', { value: true })
  koa.on('error', (error: unknown) => log.error({ err: error }, 'a request failed'))
  const { metricsToken } = config
  koa.use(health({ metrics, metricsToken, notReady: async () => (shutdown.isStopping ? 'stopping' : notReady()) }))
  koa.use(limitDuration())
  koa.use(handleOutages(log))
  return koa
}
