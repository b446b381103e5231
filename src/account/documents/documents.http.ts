import type { System } from '../../db/context.ts'
import { httpRoute, privateHeaders, sendFresh } from '../../kernel/web/http-route.ts'
import { findByToken } from './documents.ts'

/**
 * Clients write the documents, so the Content-Security-Policy puts them in a sandbox: no script runs, and the document has no
 * access to this origin.
 */
export const documentRoutes = [
  httpRoute('/d/:token', {
    area: { sandbox: '' },
    summary: 'A stored document. A signed link expires, and downloads the document.',
    methods: ['GET'],
    otherMethods: 404,
    headers: { ...privateHeaders, 'Content-Security-Policy': 'sandbox', 'Cache-Control': 'no-cache' },
    limiter: 'files',
    async handle({ http, params }, { system }: { system: System }) {
      const document = await findByToken(system, params.token)
      if (!document) return
      if (document.isDownload) http.attachment(document.name)
      sendFresh(http, document.etag, document.contentType, Buffer.from(document.body))
    },
  }),
]
