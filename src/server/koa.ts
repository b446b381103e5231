import Koa from 'koa'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { dispatch, type RouteTable } from './dispatch.ts'

/** Creates the Koa app that serves a route table. */
export function newKoa<Services>(
  table: RouteTable<Services>,
  options: {
    baseUrl?: string | undefined
    /** Number of proxies in front whose `X-Forwarded-For` is trusted. */
    trustProxy: number
    metrics: Metrics
    log: Log
  },
): Koa {
  const { baseUrl, trustProxy, metrics, log } = options
  const koa = new Koa({ proxy: trustProxy > 0, maxIpsCount: trustProxy })
  // A proxy in front uses HTTPS with clients, but may use HTTP with this server.
  if (baseUrl?.startsWith('https:')) Object.defineProperty(koa.request, 'secure', { value: true })
  koa.on('error', (error: unknown) => log.error({ err: error }, 'a request failed'))
  return koa.use(dispatch(table, { metrics, log }))
}
