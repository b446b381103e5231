import type { Middleware } from 'koa'
import { unavailable } from '../db/outage.ts'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'

/** Default of `Retry-After`, in seconds. */
const defaultRetryAfterSeconds = 2

/** Records the duration of each request under the route of the REST API, as it is written in the route table. */
export function recordDuration(metrics: Metrics): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now()
    await next()
    const { route } = ctx.state as { route?: { door: string; path: string } }
    const labels = { door: route?.door ?? 'http', route: route?.path ?? 'none', status: ctx.status }
    metrics.request(labels, (performance.now() - startedAt) / 1000)
  }
}

/** Responds with 503 to a request that failed because the database does not answer. Adds `Retry-After` to every 503. */
export function handleOutages(log: Log): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const outage = unavailable(error)
      if (!outage) throw error
      log.error({ err: error }, 'the database did not answer')
      ctx.status = 503
      ctx.set('Retry-After', String(outage.retryAfterSeconds))
      ctx.body = { message: outage.message }
    }
    if (ctx.status === 503 && !ctx.response.get('Retry-After')) {
      ctx.set('Retry-After', String(defaultRetryAfterSeconds))
    }
  }
}
