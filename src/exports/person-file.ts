import { Readable } from 'node:stream'
import pLimit from 'p-limit'
import { ZipFile } from 'yazl'
import { csvText } from '../db/lists/export.ts'
import { columnsOfPart, type PartRow, readPart } from '../db/persons/person-parts.ts'
import type { PersonFile } from './person-exports.ts'

/** Limits the page reads of exports in this process. Requests need the other database connections. */
const limitReads = pLimit(3)

/**
 * Returns a ZIP file as a stream: `person.json` with all parts, and a CSV file for each part. Each file is read page by page as
 * the client receives it, so that one page is in memory. A failed read destroys the stream.
 */
export function zipOf(file: PersonFile): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  let source: Readable | undefined
  output.on('close', () => source?.destroy())
  const add = (name: string, text: AsyncGenerator<string>) =>
    zip.addReadStreamLazy(name, { mtime: file.ctx.clock.now() }, (open) => {
      source = Readable.from(limited(text), { objectMode: false, highWaterMark: 64 * 1024 })
      source.on('error', (error) => output.destroy(error))
      open(null, source)
    })
  add('person.json', jsonOf(file))
  for (const name of Object.keys(file.parts)) add(`${name}.csv`, csvOf(file, name))
  zip.end()
  return output
}

async function* limited(text: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const { done, value } = await limitReads(() => text.next())
      if (done) return
      if (value !== '') yield Buffer.from(value)
    }
  } finally {
    await text.return(undefined)
  }
}

/** Writes the JSON document: the time, the parts that are left out, and an array for each part. */
async function* jsonOf({ ctx, person, parts, omittedParts }: PersonFile): AsyncGenerator<string> {
  const head = JSON.stringify({ exported_at: ctx.clock.now(), omitted_parts: omittedParts })
  yield head.slice(0, -1)
  for (const [name, part] of Object.entries(parts)) {
    yield `,\n${JSON.stringify(name)}: [`
    let separator = '\n'
    for await (const rows of readPart(ctx, part, person)) {
      yield `${separator}${rows.map((row) => JSON.stringify(row)).join(',\n')}`
      separator = ',\n'
    }
    yield ']'
  }
  yield '}\n'
}

async function* csvOf({ ctx, person, parts }: PersonFile, name: string): AsyncGenerator<string> {
  const part = parts[name]
  if (!part) return
  const columns = await columnsOfPart(ctx, part, person)
  yield `${columns.map(csvText).join(',')}\r\n`
  for await (const rows of readPart(ctx, part, person)) yield rows.map((row) => `${csvLine(columns, row)}\r\n`).join('')
}

function csvLine(columns: readonly string[], row: PartRow): string {
  return columns
    .map((column) => {
      const value = row[column]
      if (value === null || value === undefined) return ''
      return typeof value === 'number'
        ? String(value)
        : csvText(typeof value === 'object' ? JSON.stringify(value) : String(value))
    })
    .join(',')
}
