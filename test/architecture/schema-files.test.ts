import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const entry = join('src', 'server', 'schema.ts')

it('reaches every *.schema.ts file from src/server/schema.ts', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.schema.ts'))
    .map((path) => join('src', path))
  expect(files.length).toBeGreaterThan(0)
  const reached = reachableFrom(entry)
  expect(files.filter((file) => !reached.has(file))).toEqual([])
})

/** Returns the files that a file imports at runtime, directly or indirectly. */
function reachableFrom(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached
  reached.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, path] of text.matchAll(/^(?:import|export)(?! type)[^'"]*?['"](\.[^'"]+\.ts)['"]/gm)) {
    const imported = relative('.', join(dirname(file), path as string))
    if (imported.startsWith('src')) reachableFrom(imported, reached)
  }
  return reached
}
