import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rooms } from '../../.config/rooms.ts'

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

describe('lines', () => {
  const maxLength = 130
  const options = { exclude: ['**/node_modules/**', '**/generated/**'] }
  const tooLong = (path: string, lines: readonly string[]) =>
    lines.filter((line) => line.length > maxLength && !/https?:\S{60}/.test(line)).map((line) => `${path}: ${line}`)

  it('of comments have at most 130 characters', () => {
    const files = globSync('{src,rest-bridge,test,.config}/**/*.{ts,tsx}', options)
    const lines = files.flatMap((path) => {
      const comments = /^ *(?:\/\/|\/?\*)(?!.*\bbiome-ignore\b).*$/gm
      return tooLong(path, readFileSync(path, 'utf8').match(comments) ?? [])
    })
    expect(lines).toEqual([])
  })

  // Tables and code have the lengths that they need.
  it('of prose in documents have at most 130 characters', () => {
    const files = globSync('{*.md,.github/*.md,{src,rest-bridge,test}/**/*.md}', options)
    const lines = files.flatMap((path) => {
      const prose = readFileSync(path, 'utf8').replace(/^ *```.*?^ *```$/gms, '')
      return tooLong(path, prose.match(/^(?! *\|).*$/gm) ?? [])
    })
    expect(lines).toEqual([])
  })
})

/** The files of each folder of the sources. The documents of users and the decisions are lists of files. */
const folders = Map.groupBy(
  globSync('{src,rest-bridge}/**/*.*', { exclude: ['**/generated/**', 'src/docs/**', 'src/decisions/**'] }),
  (path) => dirname(path),
)

describe('folders', () => {
  it('show their contents at a glance: at most 15 files, besides a README', () => {
    const sizes = [...folders].map(([folder, files]) => [
      folder,
      files.filter((path) => !/README.md$/.test(path)).length,
    ])
    expect(sizes.filter(([, size]) => Number(size) > 15)).toEqual([])
  })

  it.each(Object.entries(rooms))('%s and its rooms have a README', (folder, { rooms: names }) => {
    const lacking = [folder, ...names.map((name) => join(folder, name))].filter(
      (room) => !/generated$/.test(room) && !existsSync(join(room, 'README.md')),
    )
    expect(lacking).toEqual([])
  })
})

describe('the READMEs of folders', () => {
  const files = globSync('{src,rest-bridge,test,.config}/**/*.*', { exclude: ['**/node_modules/**'] })

  it.each(globSync('{src,rest-bridge}/**/README.md', { exclude: ['src/docs/**'] }))(
    '%s names files that exist',
    (readme) => {
      const named = [...readFileSync(readme, 'utf8').matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => name)
      const lacking = named.filter(
        (name) => !/^(?:\W|nouns?\b|noun-)/.test(name) && !files.some((path) => `/${path}`.endsWith(`/${name}`)),
      )
      expect(lacking).toEqual([])
    },
  )
})

describe('decisions', () => {
  const index = readFileSync('src/decisions/README.md', 'utf8')
  const files = globSync('{src,rest-bridge,test,.config,.ci}/**/*.*', { exclude: ['**/node_modules/**'] })
  const decisions = globSync('src/decisions/[0-9]*.md').map((path) => basename(path))

  it('are in the index once, with their number and their title', () => {
    const entries = [...index.matchAll(/^\| (\d+) \| \[(.+)\]\((.+)\) \| .+ \|$/gm)].map(
      ([, number, title, file]) => `${file}: # ${number}. ${title}`,
    )
    const heads = decisions.map((file) => `${file}: ${readFileSync(`src/decisions/${file}`, 'utf8').split('\n')[0]}`)
    expect(entries.sort()).toEqual(heads.sort())
  })

  it('are linked and cited by names and numbers that exist', () => {
    const numbers = new Set(decisions.map((file) => Number.parseInt(file, 10)))
    const pages = globSync('{src,rest-bridge,test,.config,.github}/**/*.{ts,tsx,md}', {
      exclude: ['**/node_modules/**', '**/generated/**'],
    })
    const lacking = pages.flatMap((path) => {
      const text = readFileSync(path, 'utf8')
      const cited = [...text.matchAll(/\bADR (\d+)(?:(?:,| and) (\d+))*/g)].flatMap(
        ([words]) => words.match(/\d+/g) ?? [],
      )
      const linked = [...text.matchAll(/\]\(([\w./-]*\d{4}-[\w-]+\.md)\)/g)].map(([, file = '']) => file)
      return [
        ...cited.filter((number) => !numbers.has(Number(number))).map((number) => `${path}: ADR ${number}`),
        ...linked.filter((file) => !existsSync(join(dirname(path), file))).map((file) => `${path}: ${file}`),
      ]
    })
    expect(lacking).toEqual([])
  })

  it.each(decisions)('%s names files that exist', (file) => {
    const named = [...readFileSync(`src/decisions/${file}`, 'utf8').matchAll(/`([\w./-]+\.tsx?)`/g)]
    const lacking = named
      .map(([, name = '']) => name)
      .filter((name) => !files.some((path) => `/${path}`.endsWith(`/${name}`)))
    expect(lacking).toEqual([])
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
