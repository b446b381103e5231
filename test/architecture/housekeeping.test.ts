import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const sources = globSync('{src,rest-bridge}/**/*.ts', { exclude: ['**/generated/**'] }).sort()
const manifest: Record<string, Record<string, string>> = JSON.parse(readFileSync('package.json', 'utf8'))
const lock: { packages: Record<string, { version: string; resolved?: string }> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)

describe('source files', () => {
  it('read environment variables in src/config.ts only', () => {
    const readers = sources.filter((path) =>
      /\bprocess\.env\b|\bprocess\[['"]env|\benv\b.*from 'node:process'/.test(readFileSync(path, 'utf8')),
    )
    expect(readers.filter((path) => path !== 'src/config.ts')).toEqual([])
  })

  // This does not fail: a long file is a hint that it contains a second noun.
  it('are reported if they have more than 300 lines', () => {
    for (const path of sources) {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n').length
      if (lines > 300) console.warn(`${path} has ${lines} lines: is there a second noun in it?`)
    }
  })
})

describe('npm packages', () => {
  it('are pinned to exact versions', () => {
    const asked = Object.entries({
      ...manifest['dependencies'],
      ...manifest['devDependencies'],
      ...manifest['overrides'],
    })
    expect(asked.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))).toEqual([])
  })

  // With a second copy, errors are not recognised by instanceof, and refusals become masked internal errors.
  it('include one copy of graphql', () => {
    const copies = Object.keys(lock.packages).filter((path) => path.endsWith('node_modules/graphql'))
    expect(copies).toEqual(['node_modules/graphql'])
    expect(globSync('node_modules/{*,@*/*}/node_modules/graphql/package.json')).toEqual([])
  })

  // A URL would tie every installation to the registry of the machine that wrote the lock file.
  it('are locked without download URLs', () => {
    expect(Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})
