import type { Middleware } from 'koa'
import type { System } from '../db/context.ts'
import { Refusal } from '../kernel/errors.ts'
import { ofLink, receive } from './imports.ts'

/**
 * Takes the file of an import at `/i/<token>`, by PUT: the token is all it takes. It is read as it comes, and may come again
 * until it has come whole. What is wrong with a file is told at its line, and ends the import.
 */
export function importFiles(system: System): Middleware {
  return async (ctx, next) => {
    const token = /^\/i\/([^/]+)$/.exec(ctx.path)?.[1]
    if (token === undefined) return next()
    ctx.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' })
    const answer = (status: number, body: object) => {
      ctx.status = status
      ctx.body = body
      // The rest is read and thrown away: who is still sending would otherwise see a reset, and not our answer.
      ctx.req.resume()
    }
    if (ctx.method !== 'PUT') {
      ctx.set('Allow', 'PUT')
      return answer(405, { message: 'The file comes by PUT.' })
    }
    const found = await ofLink(system, token)
    if (!found) return answer(404, { message: 'There is no such import, or its link is no longer good.' })
    if (ctx.get('content-encoding')) return answer(415, { message: 'The file must not be compressed.' })
    try {
      const { id, status, rowsTotal } = await receive(
        found.ctx,
        found.importId,
        ctx.req.iterator({ destroyOnReturn: false }),
      )
      answer(200, { id, status: status.toLowerCase(), rows_total: rowsTotal })
    } catch (error) {
      // Whoever went away hears no answer, and it is no failure of ours.
      if (ctx.req.errored) return answer(400, { message: 'The file did not come whole.' })
      if (!(error instanceof Refusal)) throw error
      answer(error.code === 'VALIDATION_ERROR' ? 422 : 409, { message: error.message, details: error.details ?? {} })
    }
  }
}
