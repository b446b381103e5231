import { Readable } from 'node:stream'
import type { Middleware } from 'koa'
import type { System } from '../db/context.ts'
import { type Exports, ofLink, type Stretch } from './exports.ts'

/** How many pages of exports are read at a time in this process: the connections are there for requests too. */
const mostAtOnce = 3

/**
 * Serves exports at `/d/<token>`: the token is all it takes. What is written goes out as fast as it is taken; whoever takes
 * it slowly, or goes away, holds a page of text and nothing else. An export that breaks off ends its connection, so that half
 * a file is not taken for a whole one.
 */
export function exportFiles(system: System, exports: Exports): Middleware {
  const turns = newTurns(mostAtOnce)
  return async (ctx, next) => {
    const token = /^\/d\/(export\.[^/]+)$/.exec(ctx.path)?.[1]
    if (token === undefined || !['GET', 'HEAD'].includes(ctx.method)) return next()
    const found = await ofLink(system, exports, token)
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
    ctx.body = Readable.from(bytesOf(found.text(), turns), { objectMode: true, highWaterMark: 1 })
  }
}

async function* bytesOf(text: AsyncGenerator<Stretch>, turns: Turns): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const { done, value } = await turns(() => text.next())
      if (done) return
      yield Buffer.from(value.text)
    }
  } finally {
    await text.return(undefined)
  }
}

type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Lets so much work go on at a time; the rest waits in line. */
function newTurns(most: number): Turns {
  let busy = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy += 1
    try {
      return await work()
    } finally {
      const following = waiting.shift()
      if (following) following()
      else busy -= 1
    }
  }
}
