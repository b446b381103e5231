import type { Middleware } from 'koa'
import type { System } from '../db/context.ts'
import { findByToken } from './documents.ts'

/**
 * Serves stored documents at `/d/<token>`. The token is the only credential. A signed link expires, and serves the document
 * as an attachment. Clients write the documents, so the Content-Security-Policy puts them in a sandbox: no script runs, and
 * the document has no access to this origin.
 */
export function documents(system: System): Middleware {
  return async (ctx, next) => {
    const token = /^\/d\/([^/]+)$/.exec(ctx.path)?.[1]
    if (token === undefined || !['GET', 'HEAD'].includes(ctx.method)) return next()
    const found = await findByToken(system, token)
    if (!found) return next()
    ctx.set({
      'Content-Security-Policy': 'sandbox',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
      'Cache-Control': 'no-cache',
    })
    if (found.isDownload) ctx.attachment(found.name)
    ctx.etag = found.etag
    ctx.status = 200
    if (ctx.fresh) {
      ctx.status = 304
      return
    }
    ctx.type = found.contentType
    ctx.body = Buffer.from(found.body)
  }
}
