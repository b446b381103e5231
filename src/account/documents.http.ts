import type { Middleware } from 'koa'
import type { System } from '../db/context.ts'
import { read } from './documents.ts'

/**
 * Serves stored documents at `/d/<token>`: the token is all it takes. A signed link is good for its time, and gives the
 * document as a file. What is stored was written by our clients, so a browser shows it in a sandbox: no script runs, and
 * nothing in it acts in the name of this address.
 */
export function documents(system: System): Middleware {
  return async (ctx, next) => {
    const token = /^\/d\/([^/]+)$/.exec(ctx.path)?.[1]
    if (token === undefined || !['GET', 'HEAD'].includes(ctx.method)) return next()
    const found = await read(system, token)
    if (!found) return next()
    ctx.set({
      'Content-Security-Policy': 'sandbox',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
      'Cache-Control': 'no-cache',
    })
    if (found.isDownload) ctx.attachment(found.name)
    ctx.etag = found.tag
    ctx.status = 200
    if (ctx.fresh) {
      ctx.status = 304
      return
    }
    ctx.type = found.contentType
    ctx.body = Buffer.from(found.body)
  }
}
