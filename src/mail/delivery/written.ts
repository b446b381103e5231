import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { threadTask } from '../../kernel/thread-pool.ts'
import type { Message } from './written-message.ts'

/** How many of the messages in a folder are listed, the latest. */
const mostListed = 200

/** A message that was written to a file, in short. */
export interface Written {
  readonly name: string
  readonly writtenAt: Date
  readonly subject: string
  readonly from: string
  readonly to: string
}

/** The same with what it says. */
export interface WrittenWhole extends Written, Message {}

const readInThread = threadTask<Uint8Array, Message>({
  file: '../content/content.worker',
  base: import.meta.url,
  name: 'readMessage',
})

/** The messages of a folder, the latest first; none where the folder is not there yet. */
export async function listWritten(folder: string): Promise<Written[]> {
  const names = (await readdir(folder).catch(() => [])).filter(isName)
  const dated: { name: string; writtenAt: Date }[] = []
  for (const name of names) {
    // A file may be gone before it is looked at.
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found) dated.push({ name, writtenAt: found.mtime })
  }
  dated.sort((a, b) => b.writtenAt.getTime() - a.writtenAt.getTime() || (a.name < b.name ? -1 : 1))
  const all: Written[] = []
  // One after another: together they may be more than may wait for a thread.
  for (const { name } of dated.slice(0, mostListed)) {
    const read = await readWritten(folder, name)
    if (read) all.push(read)
  }
  return all
}

/** One message of a folder, by the name of its file; undefined where there is none. */
export async function readWritten(folder: string, name: string): Promise<WrittenWhole | undefined> {
  if (!isName(name)) return undefined
  const file = join(folder, name)
  const [source, found] = await Promise.all([readFile(file), stat(file)]).catch(() => [])
  if (!source || !found) return undefined
  return { name, writtenAt: found.mtime, ...(await readInThread(0, source, source.length)) }
}

/** A name that leads nowhere but into the folder. */
function isName(name: string): boolean {
  return /^[\w@+-][\w.@+-]{0,250}\.eml$/.test(name)
}
