import { Readable } from 'node:stream'
import type { System } from '../db/context.ts'
import { newConcurrencyLimit } from '../kernel/concurrency-limit.ts'
import { httpRoute, privateHeaders } from '../kernel/http-route.ts'
import { type Exports, findByLink, type Stretch } from './exports.ts'

/** Limits the page reads of exports in this process. Requests need the other database connections. */
const limitReads = newConcurrencyLimit(3)

/**
 * The list is read page by page as the client receives it, so a slow client holds two pages in memory. If a read fails, the
 * connection is closed, so that the client does not mistake a partial file for a complete one.
 */
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
      http.body = Readable.from(bytesOf(link.text()), { objectMode: true, highWaterMark: 1 })
    },
  }),
]

/** Reads the next page while the current one is sent. */
async function* bytesOf(text: AsyncGenerator<Stretch>): AsyncGenerator<Buffer> {
  const read = () => {
    const page = limitReads(() => text.next())
    page.catch(() => undefined)
    return page
  }
  try {
    for (let next = read(); ; ) {
      const { done, value } = await next
      if (done) return
      next = read()
      yield* value.parts
    }
  } finally {
    await text.return(undefined)
  }
}
