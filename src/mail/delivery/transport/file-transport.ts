import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeMessageFiles } from './message-files.ts'
import type { Transport } from './transport.ts'

/**
 * Returns a transport that writes messages to files named after their Message-ID, for processes without a mail server. Only
 * the user of this process can read them.
 */
export function fileTransport(folder: string): Transport {
  return {
    name: 'files',
    send: async ({ messageId, raw }) => {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const file = join(folder, `${messageId.replace(/[^\w.@+-]/g, '')}.eml`)
        // Renamed when complete, so that readers of the folder never see half a message.
        await writeFile(`${file}.part`, raw, { mode: 0o600 })
        await rename(`${file}.part`, file)
        return { verdict: 'accepted', answer: `250 written to ${file}` }
      } catch (error) {
        return { verdict: 'unreachable', answer: (error as Error).message }
      }
    },
    forget: (accountId, addresses) => removeMessageFiles(folder, accountId, addresses),
    close: () => undefined,
  }
}
