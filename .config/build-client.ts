// node .config/build-client.ts [--clean]    builds the package of the client in src/client for `npm pack`; with --clean removes
//                                           what it built
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = `${root}/src/client`
for (const path of ['dist', 'README.md', 'LICENSE']) rmSync(`${folder}/${path}`, { recursive: true, force: true })

if (!process.argv.includes('--clean')) {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const args = [compiler, '--project', `${root}/.config/tsconfig.client.json`]
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  cpSync(`${root}/src/docs/client.md`, `${folder}/README.md`)
  cpSync(`${root}/LICENSE`, `${folder}/LICENSE`)
  process.exitCode = status ?? 1
}
