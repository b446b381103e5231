import type { System } from '../db/context.ts'
import { httpRoute, privateHeaders, sendFresh } from '../kernel/http-route.ts'
import { findByToken } from './documents.ts'

/**
 * Clients write the documents, so the Content-Security-Policy puts them in a sandbox: no script runs, and the document has no
 * access to this origin.
 */
export const documentRoutes = [
  httpRoute('/d/:token', {
    summary: 'A stored document. A signed link expires, and downloads the document.',
    methods: ['GET'],
    otherMethods: 404,
    headers: { ...privateHeaders, 'Content-Security-Policy': 'sandbox', 'Cache-Control': 'no-cache' },
    limiter: 'files',
    async handle({ http, params }, { system }: { system: System }) {
      const found = await findByToken(system, params.token)
      if (!found) return
      if (found.isDownload) http.attachment(found.name)
      sendFresh(http, found.etag, found.contentType, Buffer.from(found.body))
    },
  }),
]
