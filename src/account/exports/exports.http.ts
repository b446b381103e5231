import type { System } from '../../db/context.ts'
import { HttpProblem, httpRoute, privateHeaders } from '../../kernel/web/http-route.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import { streamExport } from './export-stream.ts'
import { type Exports, findByLink } from './exports.ts'

/** Number of bytes of an export that cost one point, as in a response of the GraphQL API. */
const bytesPerPoint = 1_000

interface ExportServices {
  readonly system: System
  readonly exports: Exports
  readonly limiters: Pick<Limiters, 'cost'>
}

/** Routes of exports. An export costs points by its bytes, and begins only while the account has points of the minute left. */
export const exportRoutes = [
  httpRoute('/d/export.:token', {
    area: { sandbox: '' },
    summary: 'An exported list, from a signed link.',
    methods: ['GET'],
    otherMethods: 404,
    headers: { ...privateHeaders, 'Content-Security-Policy': 'sandbox' },
    limiter: 'files',
    async handle({ http, params }, { system, exports, limiters: { cost } }: ExportServices) {
      const link = await findByLink(system, exports, `export.${params.token}`)
      if (!link) return
      http.attachment(link.name)
      http.set('Content-Type', link.contentType)
      http.status = 200
      if (http.method === 'HEAD') return
      const { accountId, costShare } = link
      const { limit, remaining, resetSeconds } = await cost.take(accountId, 0)
      if (limit - remaining >= limit * costShare) {
        http.remove('Content-Disposition')
        http.set('Retry-After', String(resetSeconds))
        const message = `The cost points of this minute are used up. Try again in ${resetSeconds} seconds.`
        throw new HttpProblem(429, 'Too many requests', message)
      }
      // A file that has begun is completed, and what it costs is missing from the next requests.
      http.body = streamExport(link.text(), (bytes) => cost.release(accountId, -Math.ceil(bytes / bytesPerPoint)))
    },
  }),
]
