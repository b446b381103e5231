// node bin/run.js main|cli [OPTION …]    runs the server or the command line from dist/, or from src/ if it has changed since
//                                        dist/ was built
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { fingerprintOf } from './sources.js'

const root = new URL('..', import.meta.url)
const { engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const [name] = process.argv.splice(2, 1)
const hasSources = existsSync(new URL('src', root))
// Written by `npm run generate`, which an installation without development packages cannot run.
const isGenerated = existsSync(new URL('prisma/generated/client/client.ts', root))
const isSource = hasSources && !(isGenerated && isBuilt())
const entry = name === 'cli' ? 'cli/cli' : name
const program = new URL(isSource ? `src/${entry}.ts` : `dist/src/${entry}.js`, root)
if (isOlder(process.versions.node, engines.node.replace('>=', ''))) {
  stop(`Campanile needs Node ${engines.node}, this is ${process.version} (${process.execPath}).`)
} else if (!existsSync(program) || (isSource && !isGenerated)) {
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

/** Whether dist/ was built from the sources as they are. */
function isBuilt() {
  const built = new URL('dist/sources', root)
  return existsSync(built) && readFileSync(built, 'utf8') === fingerprintOf(fileURLToPath(root))
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
