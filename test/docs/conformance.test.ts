import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { endpoints, errorCodes } from '../rest/specification.ts'

const page = readFileSync(new URL('../../src/docs/conformance.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => /^\|(?! what|---)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

interface Reference {
  file: string
  ids: string[]
  titles: string[]
}

/** Returns the references of a cell such as `rest/tags` TAG-LIST/success; `mail/stats` “of a contact count”. */
function referencesIn(cell: string): Reference[] {
  return [...cell.matchAll(/`([^`]+)`([^`]*)/g)].map(([, file = '', rest = '']) => ({
    file: `test/${file}.test.ts`,
    titles: [...rest.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
    ids: [...rest.replace(/“[^”]+”/g, '').matchAll(/(?:\*|[A-Z]+(?:-[A-Z]+)*)(?:\/[\w-]+)?/g)].map(([id]) => id),
  }))
}

const sources = new Map<string, string>()
/**
 * Returns the text of a test file, and that of the module with the tests that it shares with a long one. Empty if there is no
 * such file.
 */
function sourceOf(file: string): string {
  const parts = existsSync(file) ? [file, file.replace('.test.ts', '.ts')].filter((part) => existsSync(part)) : []
  const source = sources.get(file) ?? parts.map((part) => readFileSync(part, 'utf8')).join('\n')
  sources.set(file, source)
  return source
}

/** Whether a file has a check with this ID: literally, or composed from the ID of a route in a loop over routes. */
function hasCheck(source: string, id: string): boolean {
  const [route = '', what] = id.split('/')
  const madeInLoop = [`\`\${id}/${what}\``, `\`\${route.id}/${what}\``].some((created) => source.includes(created))
  return source.includes(`'${id}'`) || (madeInLoop && (route === '*' || source.includes(`'${route}'`)))
}

describe('conformance.md', () => {
  it('names existing files, checks and test titles', () => {
    const missing = rows.flatMap(([, statement, cell = '']) => {
      const references = referencesIn(cell)
      if (references.length === 0) return [`${statement}: nothing holds it`]
      return references.flatMap(({ file, ids, titles }) => {
        const source = sourceOf(file)
        return [
          ...(source === '' ? [file] : []),
          ...ids.filter((id) => !hasCheck(source, id)).map((id) => `${file} ${id}`),
          ...titles.filter((title) => !source.includes(title)).map((title) => `${file} ${title}`),
        ]
      })
    })
    expect(rows.length).toBeGreaterThan(100)
    expect(missing).toEqual([])
  })

  it('covers every endpoint and every error code', () => {
    const statements = rows.map(([, statement]) => statement).join('\n')
    const paths = Object.values(endpoints).flatMap((group) => Object.keys(group))
    expect(paths.filter((path) => !statements.includes(`\`${path}\``))).toEqual([])
    const codes = errorCodes.map((code) => code.replace(/-400$/, ''))
    expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(statements))).toEqual([])
  })
})
