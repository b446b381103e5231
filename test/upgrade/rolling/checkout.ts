import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Returns a folder with the sources and packages of a git revision. A folder that exists is used as it is. */
export async function checkoutOf(revision: string): Promise<{ folder: string; isTemporary: boolean }> {
  if (existsSync(join(revision, 'package.json'))) return { folder: resolve(revision), isTemporary: false }
  const folder = await mkdtemp(join(tmpdir(), 'campanile-old-'))
  const shell = (command: string, cwd: string) => run('sh', ['-c', command], { cwd, maxBuffer: 2 ** 26 })
  await shell(`git archive --format=tar '${revision.replaceAll("'", '')}' | tar -x -C '${folder}'`, process.cwd())
  console.log(`installing the packages of ${revision} in ${folder}`)
  await shell('npm ci --ignore-scripts --omit=optional --prefer-offline && npm run -s generate', folder)
  return { folder, isTemporary: true }
}
