// node bin/run.js main|cli [OPTION …]    runs the server or the command line from src/, or from dist/ if there is no src/
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

const root = new URL('..', import.meta.url)
const { engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const [name] = process.argv.splice(2, 1)
const isSource = existsSync(new URL('src', root))
const entry = name === 'cli' ? 'cli/cli' : name
const program = new URL(isSource ? `src/${entry}.ts` : `dist/src/${entry}.js`, root)
// Written by `npm run generate`, which an installation without development packages cannot run.
const generated = new URL(
  isSource ? 'prisma/generated/client/client.ts' : 'dist/prisma/generated/client/client.js',
  root,
)

if (isOlder(process.versions.node, engines.node.replace('>=', ''))) {
  stop(`Campanile needs Node ${engines.node}, this is ${process.version} (${process.execPath}).`)
} else if (!existsSync(program) || !existsSync(generated)) {
  stop(
    isSource
      ? 'The generated files are missing: run npm ci with development packages.'
      : 'dist/ is missing: run npm run build in a source checkout and copy dist/ here.',
  )
} else {
  // Caches compiled code. Enabled before the first TypeScript file, since then Node need not load its parser of TypeScript.
  enableCompileCache()
  await import(program.href)
}

/** Whether a version is lower than the minimum. */
function isOlder(version, minimum) {
  const [a, b] = [version, minimum].map((each) => each.split('.').map(Number))
  const place = a.findIndex((number, index) => number !== b[index])
  return place >= 0 && a[place] < b[place]
}

function stop(line) {
  process.stderr.write(`${line}\n`)
  process.exitCode = 1
}
