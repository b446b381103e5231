import { streamExport } from '../../account/index.ts'
import type { System } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { HttpProblem, httpRoute, privateHeaders } from '../../kernel/web/http-route.ts'
import { findByLink as findFailedRows } from './failed-rows.ts'
import { findByLink, receiveFile } from './imports.ts'

const problem = (status: number, message: string) => new HttpProblem(status, 'The upload failed', message)

/** The file of an upload is read as a stream. An interrupted upload can be repeated. An invalid file ends the import. */
export const importRoutes = [
  httpRoute('/i/:token', {
    area: 'server',
    summary: 'Upload of the file of an import, to a signed link.',
    methods: ['PUT'],
    headers: { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' },
    limiter: 'files',
    bodyTimeoutMs: 60 * 60 * 1_000,
    async handle({ http, params }, { system }: { system: System }) {
      const found = await findByLink(system, params.token)
      if (!found) throw problem(404, 'The import does not exist, or its upload link has expired.')
      if (http.get('content-encoding')) throw problem(415, 'The file must not be compressed.')
      const chunks = http.req.iterator({ destroyOnReturn: false })
      const { id, status, rowsTotal } = await receiveFile(found.ctx, found.importId, chunks).catch((error: unknown) => {
        // The client disconnected. This is not a server error and must not be logged as one.
        if (http.req.errored) throw problem(400, 'The upload was interrupted.')
        const isState = error instanceof Refusal && error.code !== 'VALIDATION_ERROR' && error.code !== 'UNAVAILABLE'
        throw isState ? problem(409, error.message) : error
      })
      http.body = { id, status: status.toLowerCase(), rows_total: rowsTotal }
    },
  }),
  httpRoute('/d/import-rows.:token', {
    area: { sandbox: '' },
    summary: 'Rows of an import that were not applied, from a signed link.',
    methods: ['GET'],
    otherMethods: 404,
    headers: { ...privateHeaders, 'Content-Security-Policy': 'sandbox' },
    limiter: 'files',
    async handle({ http, params }, { system }: { system: System }) {
      const file = await findFailedRows(system, params.token)
      if (!file) return
      http.attachment(file.name)
      http.set('Content-Type', 'text/csv; charset=utf-8; header=present')
      http.status = 200
      if (http.method !== 'HEAD') http.body = streamExport(file.text())
    },
  }),
]
