import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Folders whose exports others use: the published client. */
const published = /^src\/client\//

const paths = globSync('{src,rest-bridge,test,.config,.ci}/**/*.{ts,tsx,js,mjs}', {
  exclude: ['**/generated/**', '**/node_modules/**'],
}).sort()
const declaration = /^export (?:declare )?(?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm
const reexport = /^export (?:type )?(?:\{[^}]*\}|\*(?: as \w+)?) from '.*'$/gm

/** The words of each file, without those that it only exports again. */
const words = new Map<string, Set<string>>()
/** The other names under which a name is exported again. */
const aliases = new Map<string, string[]>()
for (const path of paths) {
  const text = readFileSync(path, 'utf8')
  words.set(path, new Set(text.replaceAll(reexport, '').match(/\w+/g)))
  for (const [clause] of text.matchAll(reexport))
    for (const [, name = '', alias = ''] of clause.matchAll(/(\w+) as (\w+)/g))
      aliases.set(name, [...(aliases.get(name) ?? []), alias])
}

it('every exported name occurs in another file', () => {
  const unused = paths
    .filter((path) => /^(src|rest-bridge)\//.test(path) && !published.test(path))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(declaration)].map(([, name = '']) => ({ path, name })))
    .filter(({ path, name }) => {
      const names = [name, ...(aliases.get(name) ?? [])]
      return !paths.some((other) => other !== path && names.some((each) => words.get(other)?.has(each)))
    })
    .map(({ path, name }) => `${path}: ${name}`)
  expect(unused).toEqual([])
})
