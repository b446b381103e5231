import { createHash, timingSafeEqual } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Metrics } from '../kernel/metrics.ts'

/** The state that the health endpoints report. */
interface Health {
  /** Returns why the process cannot serve requests at the moment, or undefined if it can. */
  notReady(): Promise<string | undefined>
  readonly metrics: Metrics
  /** Bearer token that `/metrics` requires. If unset, `/metrics` is public. */
  readonly metricsToken?: string | undefined
}

/** `/livez` (the process runs), `/readyz` (it can serve), `/metrics` (Prometheus). */
export function health({ notReady, metrics, metricsToken }: Health): Middleware {
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
        if (metricsToken !== undefined && !isBearer(ctx.get('authorization'), metricsToken)) {
          ctx.status = 401
          ctx.set('WWW-Authenticate', 'Bearer')
          ctx.body = { status: 'unauthorized' }
          return
        }
        ctx.set('Cache-Control', 'no-store')
        ctx.body = await metrics.text()
        ctx.type = metrics.contentType
        return
      default:
        return next()
    }
  }
}

/** Returns whether an Authorization header has this token. Compares digests, so that the duration reveals nothing. */
function isBearer(header: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header.replace(/^Bearer +/i, '')), digest(token)) && /^Bearer /i.test(header)
}
