import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The folders from which the server is built, with pages for readers and the console, which it does not contain. */
const folders = ['src', 'rest-bridge', 'prisma/generated', 'prisma/migrations']
const isOther = /[.]md$|^src[/]console[/]/

/**
 * Returns a fingerprint of the sources of the server in a checkout: names, sizes and times of all files. A build keeps it, so that a
 * later change of a source is noticed. Takes about 20 ms.
 */
export function fingerprintOf(root) {
  const hash = createHash('sha256')
  for (const folder of folders) {
    const paths = readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path))
    for (const path of paths.filter((each) => !isOther.test(each)).sort()) {
      const file = statSync(join(root, path))
      if (file.isFile()) hash.update(`${path} ${file.size} ${file.mtimeMs}\n`)
    }
  }
  return hash.digest('hex')
}
