import type { Middleware } from 'koa'
import type { Metrics } from './kernel/metrics.ts'

/** What an orchestrator asks of a process. */
export interface Health {
  /** Why no requests should come here now, or undefined where all is well. */
  notReady(): Promise<string | undefined>
  readonly metrics: Metrics
}

/** `/livez` (the process runs), `/readyz` (it can serve), `/metrics` (Prometheus). */
export function health({ notReady, metrics }: Health): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
    switch (ctx.path) {
      case '/livez':
        ctx.body = { status: 'ok' }
        return
      case '/readyz': {
        const reason = await notReady()
        ctx.status = reason === undefined ? 200 : 503
        ctx.body = reason === undefined ? { status: 'ok' } : { status: 'unavailable', reason }
        return
      }
      case '/metrics':
        ctx.body = await metrics.text()
        ctx.type = metrics.contentType
        return
      default:
        return next()
    }
  }
}
