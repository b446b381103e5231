import { Readable } from 'node:stream'
import type { Middleware } from 'koa'
import type { System } from '../db/context.ts'
import { type Exports, findByLink, type Stretch } from './exports.ts'

/** Maximum number of concurrent page reads of exports in this process. Requests need the other database connections. */
const maxConcurrentReads = 3

/**
 * Serves exports at `/d/<token>`. The token is the only credential. The list is read page by page as the client receives it,
 * so a slow client holds one page in memory. If a read fails, the connection is closed, so that the client does not mistake a
 * partial file for a complete one.
 */
export function exportFiles(system: System, exports: Exports): Middleware {
  const limit = newConcurrencyLimit(maxConcurrentReads)
  return async (ctx, next) => {
    const token = /^\/d\/(export\.[^/]+)$/.exec(ctx.path)?.[1]
    if (token === undefined || !['GET', 'HEAD'].includes(ctx.method)) return next()
    const found = await findByLink(system, exports, token)
    if (!found) return next()
    ctx.set({
      'Content-Security-Policy': 'sandbox',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
      'Cache-Control': 'no-store',
    })
    ctx.attachment(found.name)
    ctx.set('Content-Type', found.contentType)
    ctx.status = 200
    if (ctx.method === 'HEAD') return
    ctx.body = Readable.from(bytesOf(found.text(), limit), { objectMode: true, highWaterMark: 1 })
  }
}

async function* bytesOf(text: AsyncGenerator<Stretch>, limit: ConcurrencyLimit): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const { done, value } = await limit(() => text.next())
      if (done) return
      yield Buffer.from(value.text)
    }
  } finally {
    await text.return(undefined)
  }
}

type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Runs at most `max` tasks at the same time. The others wait in a queue. */
function newConcurrencyLimit(max: number): ConcurrencyLimit {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
