// node .config/build.ts    compiles the server to dist/, with the files that it reads while it runs
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { buildConsole } from './build-console.ts'

rmSync('dist', { recursive: true, force: true })

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const args = [compiler, '--project', '.config/tsconfig.build.json']
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })

// Sources of what is generated, and pages for readers, are not read by a server.
const isUnread = (path: string) => /\.(ts|graphql|md)$|^src\/(client|console)\//.test(path)
const assets = globSync('{src,rest-bridge}/**/*.*').filter((path) => !isUnread(path))
if (status === 0) for (const path of [...assets, 'prisma/migrations']) cpSync(path, `dist/${path}`, { recursive: true })
if (status === 0) await buildConsole('dist/console')
process.exitCode = status ?? 1
