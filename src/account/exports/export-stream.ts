import { Readable } from 'node:stream'
import pLimit from 'p-limit'
import type { ExportPage } from './exports.ts'

/** Limits the page reads of exports in this process. Requests need the other database connections. */
const limitReads = pLimit(3)

/**
 * Returns the pages of an export as a stream. They are read as the client receives them, so a slow client holds two pages in
 * memory. If a read fails, the connection is closed, so that the client does not mistake a partial file for a complete one.
 * `charge` is called with the bytes of each page before it is sent.
 */
export function streamExport(
  text: AsyncGenerator<ExportPage>,
  charge: (bytes: number) => void = () => undefined,
): Readable {
  return Readable.from(bytesOf(text, charge), { objectMode: true, highWaterMark: 1 })
}

/** Reads the next page while the current one is sent. */
async function* bytesOf(text: AsyncGenerator<ExportPage>, charge: (bytes: number) => void): AsyncGenerator<Buffer> {
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
      charge(value.parts.reduce((sum, { length }) => sum + length, 0))
      yield* value.parts
    }
  } finally {
    await text.return(undefined)
  }
}
