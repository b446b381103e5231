import { createHash, timingSafeEqual } from 'node:crypto'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { httpRoute } from '../../kernel/web/http-route.ts'

/** The state that the health endpoints report. */
export interface Health {
  /** Returns why the process cannot serve requests at the moment, or undefined if it can. */
  notReady(): Promise<string | undefined>
  readonly metrics: Metrics
  /** Bearer token that `/metrics` requires. */
  readonly metricsToken?: string | undefined
  /** Whether `/metrics` needs no token. Without a token, it is refused otherwise. */
  readonly areMetricsOpen: boolean
}

const probe = { methods: ['GET'], otherMethods: 404, limiter: 'none', transport: null } as const

/** What the process reports about itself, in every role. */
export const healthRoutes = [
  httpRoute('/livez', {
    area: 'server',
    ...probe,
    summary: 'Liveness: the process runs.',
    handle({ http }) {
      http.body = { status: 'ok' }
    },
  }),
  httpRoute('/readyz', {
    area: 'server',
    ...probe,
    summary: 'Readiness: the process can serve requests; 503 if not.',
    async handle({ http }, { notReady }: Health) {
      const reason = await notReady()
      http.status = reason === undefined ? 200 : 503
      http.body = reason === undefined ? { status: 'ok' } : { status: 'unavailable', reason }
    },
  }),
  httpRoute('/metrics', {
    area: 'server',
    ...probe,
    summary:
      'Metrics for Prometheus. Requires `METRICS_TOKEN` as a bearer token, unless it is not set and `HOST` is a loopback address.',
    async handle({ http }, { metrics, metricsToken, areMetricsOpen }: Health) {
      if (metricsToken === undefined && !areMetricsOpen) {
        http.status = 403
        http.body = { message: 'Set METRICS_TOKEN: this server listens on more than a loopback address.' }
        return
      }
      if (metricsToken !== undefined && !isBearer(http.get('authorization'), metricsToken)) {
        http.status = 401
        http.set('WWW-Authenticate', 'Bearer')
        http.body = { status: 'unauthorized' }
        return
      }
      http.set('Cache-Control', 'no-store')
      http.body = await metrics.text()
      http.type = metrics.contentType
    },
  }),
]

/** Returns whether an Authorization header has this token. Compares digests, so that the duration reveals nothing. */
function isBearer(header: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header.replace(/^Bearer +/i, '')), digest(token)) && /^Bearer /i.test(header)
}
