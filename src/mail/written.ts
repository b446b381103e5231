import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'

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
export interface WrittenWhole extends Written {
  readonly headers: readonly string[]
  readonly html: string
  readonly text: string
}

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
  const all = await Promise.all(dated.slice(0, mostListed).map(({ name }) => readWritten(folder, name)))
  return all.filter((each) => each !== undefined)
}

/** One message of a folder, by the name of its file; undefined where there is none. */
export async function readWritten(folder: string, name: string): Promise<WrittenWhole | undefined> {
  if (!isName(name)) return undefined
  const file = join(folder, name)
  const [source, found] = await Promise.all([readFile(file), stat(file)]).catch(() => [])
  if (!source || !found) return undefined
  const mail = await simpleParser(source, { skipTextToHtml: true, skipImageLinks: true })
  const to = mail.to === undefined ? [] : [mail.to].flat()
  return {
    name,
    writtenAt: found.mtime,
    subject: mail.subject ?? '',
    from: mail.from?.text ?? '',
    to: to.map(({ text }) => text).join(', '),
    headers: mail.headerLines.map(({ line }) => line),
    html: mail.html || '',
    text: mail.text ?? '',
  }
}

/** A name that leads nowhere but into the folder. */
function isName(name: string): boolean {
  return /^[\w@+-][\w.@+-]{0,250}\.eml$/.test(name)
}
