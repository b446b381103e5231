import type { Middleware } from 'koa'
import type { System } from '../db/context.ts'
import { Refusal } from '../kernel/errors.ts'
import { findByLink, receiveFile } from './imports.ts'

/**
 * Serves `PUT /i/<token>`, which uploads the file of an import. The token authenticates the request. The file is read as a
 * stream. An interrupted upload can be repeated. An invalid file ends the import.
 */
export function importFiles(system: System): Middleware {
  return async (ctx, next) => {
    const token = /^\/i\/([^/]+)$/.exec(ctx.path)?.[1]
    if (token === undefined) return next()
    ctx.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' })
    const respond = (status: number, body: object) => {
      ctx.status = status
      ctx.body = body
      // The rest of the body is discarded. Otherwise a client that still sends would see a reset instead of the response.
      ctx.req.resume()
    }
    if (ctx.method !== 'PUT') {
      ctx.set('Allow', 'PUT')
      return respond(405, { message: 'Upload the file with PUT.' })
    }
    const found = await findByLink(system, token)
    if (!found) return respond(404, { message: 'The import does not exist, or its upload link has expired.' })
    if (ctx.get('content-encoding')) return respond(415, { message: 'The file must not be compressed.' })
    try {
      const { id, status, rowsTotal } = await receiveFile(
        found.ctx,
        found.importId,
        ctx.req.iterator({ destroyOnReturn: false }),
      )
      respond(200, { id, status: status.toLowerCase(), rows_total: rowsTotal })
    } catch (error) {
      // The client disconnected. This is not a server error and must not be logged as one.
      if (ctx.req.errored) return respond(400, { message: 'The upload was interrupted.' })
      if (!(error instanceof Refusal)) throw error
      respond(error.code === 'VALIDATION_ERROR' ? 422 : 409, { message: error.message, details: error.details ?? {} })
    }
  }
}
