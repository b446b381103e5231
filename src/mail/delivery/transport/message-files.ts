import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { threadTask } from '../../../kernel/work/thread-pool.ts'
import type { ParsedMessage } from '../mime/message-parser.ts'

/** Maximum number of messages in a list. */
const maxListed = 200

/** Summary of a message that the file transport wrote. */
export interface MessageFile {
  readonly name: string
  readonly writtenAt: Date
  readonly subject: string
  readonly from: string
  readonly to: string
}

/** A message that the file transport wrote, with its content. */
export interface ParsedMessageFile extends MessageFile, ParsedMessage {}

const parseInThread = threadTask<Uint8Array, ParsedMessage>({
  file: '../../content.worker',
  base: import.meta.url,
  name: 'parseMessage',
})

/** Returns the newest messages in a folder, newest first, at most 200. Empty if the folder does not exist. */
export async function listMessageFiles(folder: string): Promise<MessageFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter(isMessageName)
  const dated: { name: string; writtenAt: Date }[] = []
  for (const name of names) {
    // The file may have been deleted since it was listed.
    const fileStats = await stat(join(folder, name)).catch(() => undefined)
    if (fileStats) dated.push({ name, writtenAt: fileStats.mtime })
  }
  dated.sort((a, b) => b.writtenAt.getTime() - a.writtenAt.getTime() || (a.name < b.name ? -1 : 1))
  const messages: MessageFile[] = []
  // One after another, because the queue of the threads is limited.
  for (const { name } of dated.slice(0, maxListed)) {
    const message = await readMessageFile(folder, name)
    if (message) messages.push(message)
  }
  return messages
}

/** Reads one message by the name of its file. Undefined if there is none. */
export async function readMessageFile(folder: string, name: string): Promise<ParsedMessageFile | undefined> {
  if (!isMessageName(name)) return undefined
  const file = join(folder, name)
  const [source, fileStats] = await Promise.all([readFile(file), stat(file)]).catch(() => [])
  if (!source || !fileStats) return undefined
  return { name, writtenAt: fileStats.mtime, ...(await parseInThread(0, source, source.length)) }
}

/** Number of bytes in which the header of a message ends. */
const maxHeaderBytes = 64 * 1024

/** Deletes the messages of an account to the addresses, which are in lower case. Test messages do not name their account. */
export async function removeMessageFiles(
  folder: string,
  accountId: number,
  addresses: readonly string[],
): Promise<void> {
  for (const name of (await readdir(folder).catch(() => [])).filter(isMessageName)) {
    const [, account] = /^([1-9a-z][0-9a-z]*)\.[1-9a-z][0-9a-z]*\.[0-9a-f]{24}@/.exec(name) ?? []
    if (account !== undefined && account !== accountId.toString(36)) continue
    const to = await readRecipient(join(folder, name))
    if (addresses.some((address) => to.includes(address))) await rm(join(folder, name), { force: true })
  }
}

/** Returns the To field of a message in lower case. Empty if the file was deleted. */
async function readRecipient(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined)
  if (!handle) return ''
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0)
    const header = buffer.toString('utf8', 0, bytesRead).split('\r\n\r\n', 1)[0] ?? ''
    const [, to = ''] = /^to:(.*)$/im.exec(header.replace(/\r\n[ \t]+/g, ' ')) ?? []
    return to.toLowerCase()
  } finally {
    await handle.close()
  }
}

/** Whether a name is one of a message, and so cannot lead out of the folder. */
function isMessageName(name: string): boolean {
  return /^[\w@+-][\w.@+-]{0,250}\.eml$/.test(name)
}
