import type { System } from '../../db/context.ts'
import { httpRoute, privateHeaders } from '../../kernel/web/http-route.ts'
import { streamExport } from './export-stream.ts'
import { type Exports, findByLink } from './exports.ts'

/** Routes of exports. */
export const exportRoutes = [
  httpRoute('/d/export.:token', {
    area: { sandbox: '' },
    summary: 'An exported list, from a signed link.',
    methods: ['GET'],
    otherMethods: 404,
    headers: { ...privateHeaders, 'Content-Security-Policy': 'sandbox' },
    limiter: 'files',
    async handle({ http, params }, { system, exports }: { system: System; exports: Exports }) {
      const link = await findByLink(system, exports, `export.${params.token}`)
      if (!link) return
      http.attachment(link.name)
      http.set('Content-Type', link.contentType)
      http.status = 200
      if (http.method === 'HEAD') return
      http.body = streamExport(link.text())
    },
  }),
]
