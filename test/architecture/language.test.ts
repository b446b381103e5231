import { globSync, readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'

/** Phrases that text must not use, with replacements. */
const phrases: [RegExp, string][] = [
  [/\bwho(m)?ever\b|\b(some|every)body\b/i, 'a client, a contact, all …'],
  [/\bhand(s|ed|ing)?[ -]over\b/i, 'send, delivery attempt'],
  [/\bgives? (it |them )?back\b/i, 'release, refund'],
  [/\b(is|are) gone\b/i, 'was deleted'],
  [/\bas good as\b|\bfor ever\b/i, 'a plain statement'],
  [/\bsince ever\b/i, 'all time'],
  [/\bwhat `\w+` (takes|answers)\b/i, 'Input of …, Result of …'],
  [/^(which way|when|how far it is)\.$/i, 'a full phrase'],
  [/\bunless told\b|\bis told (of|to)\b/i, 'Defaults to …, receives'],
  [/\bcomes by (PUT|POST)\b/i, 'Upload the file with …'],
  [/(?<!case |capital )\bletters?\b(?!,| and digits)/i, 'e-mail, message'],
  [/\bwhere (there is|it is|that is|nothing)\b/i, 'if'],
]

/** Facts that many descriptions of the schema state, with the phrases that state them otherwise. */
const facts: [string, RegExp][] = [
  [
    'Global ID or integer ID of …',
    /\b(?:global|database|integer) ids?,? (?:or|and) (?!integer IDs? of )|\bby (?:global|integer) id\b(?!\.)/i,
  ],
  ['Needs the scope `X`', /\brequires? (?:the |its |an? )?(?:read |write )?(?:scopes?\b|`[A-Z]+_(?:READ|WRITE)`)/i],
  ['Needs the scopes `X` and `Y`', /(?<!\bscopes? |\bscopes `\w+` and )`[A-Z]+_(?:READ|WRITE)`/],
  ['the order of the list and its default', /^(?:Sort order of the elements|Field to sort by)\.$/],
]

/** Texts with their places: descriptions, lines of pages, error messages, and titles and comments of tests. */
function allTexts(): [string, string][] {
  return [
    ...schemaTexts(),
    ...openApiTexts(JSON.parse(readFileSync('rest-bridge/openapi.json', 'utf8')), ''),
    ...pageTexts(),
    ...errorTexts(),
    ...testTexts(),
  ]
}

function schemaTexts(): [string, string][] {
  const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
  return types.flatMap((type): [string, string][] => {
    const own: [string, string][] = [[type.name, type.description ?? '']]
    if (isEnumType(type)) own.push(...type.getValues().map(describedBy(type.name)))
    if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
      const fields = Object.values(type.getFields())
      own.push(...fields.map(describedBy(type.name)))
      for (const field of fields) {
        if ('args' in field) own.push(...field.args.map(describedBy(`${type.name}.${field.name}`)))
      }
    }
    return own
  })
}

const describedBy =
  (parent: string) =>
  ({ name, description }: { name: string; description?: string | null | undefined }): [string, string] => [
    `${parent}.${name}`,
    description ?? '',
  ]

function openApiTexts(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]): [string, string][] =>
    (key === 'description' || key === 'summary') && typeof inner === 'string'
      ? [[`${path}/${key}`, inner]]
      : openApiTexts(inner, `${path}/${key}`),
  )
}

/** Lines of the README, the changelog and the documentation, without code and quoted test titles. */
function pageTexts(): [string, string][] {
  const docs = globSync('src/docs/*.md')
  return ['README.md', 'CHANGELOG.md', ...docs].flatMap((path) =>
    readFileSync(path, 'utf8')
      .replace(/^```.*?^```$/gms, (block) => block.replace(/[^\n]/g, ''))
      .replace(/“[^”]*”|`[^`\n]*`/g, (quoted) => quoted.replace(/[^\n]/g, 'x'))
      .split('\n')
      .map((line, index): [string, string] => [`${path}:${index + 1}`, line]),
  )
}

/** Messages of refused requests. */
function errorTexts(): [string, string][] {
  return globSync('{src,rest-bridge}/**/*.{ts,tsx}').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\brefuse\(\s*'\w+',\s*(?:'([^']*)'|`([^`]*)`)/g)].map(
      ([, plain, template]): [string, string] => [path, plain ?? template ?? ''],
    ),
  )
}

/** Titles of tests, which are strings before a function, and lines of comments in the sources and the tests. */
function testTexts(): [string, string][] {
  const title = /(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:\{[^{}]*\},\s*)?(?:async )?\(/g
  const comment = /^\s*(?:\/\/|\/?\*\*?) (.*)$/gm
  return sources('{src,rest-bridge,test}/**/*.{ts,tsx}').flatMap(([path, source]) => {
    const titles = path.startsWith('test/') ? [...source.matchAll(title)] : []
    return [
      ...titles.map(([, , text = '']): [string, string] => [path, text]),
      ...[...source.matchAll(comment)].map(([, text = '']): [string, string] => [path, text]),
    ]
  })
}

/** Files that a pattern selects, with their text. Generated files repeat texts of their sources. */
function sources(pattern: string): [string, string][] {
  return globSync(pattern, { exclude: ['**/node_modules/**', '**/generated/**'] }).map((path) => [
    path,
    readFileSync(path, 'utf8'),
  ])
}

/** Names of types that consist of one participle. The driver of the database is not checked. */
const participle =
  /^(?:export )?(?:type|interface|(?:abstract )?class) ((?!(?:Feed|Need)\b)[A-Z][a-z]+ed|Found|Given|Held|Hidden|Kept|Left|Lost|Made|Sent|Taken|Told|Written)\b/gm

describe('text', () => {
  const texts = allTexts()

  it('is found in the schema, the OpenAPI document, the pages and the tests', () => {
    const has = (pattern: RegExp) => texts.some(([place]) => pattern.test(place))
    expect([has(/^Contact\.email$/), has(/\/v1\/contacts/), has(/^README\.md:/)]).toEqual([true, true, true])
    expect(texts).toContainEqual([expect.stringMatching(/language\.test\.ts$/), 'does not contain %s, but %s'])
  })

  it.each(phrases)('does not contain %s, but %s', (pattern) => {
    expect(texts.filter(([, text]) => pattern.test(text))).toEqual([])
  })
})

describe('descriptions of the schema', () => {
  it.each(facts)('state a fact in one phrase: %s', (_phrase, others) => {
    expect(schemaTexts().filter(([, text]) => others.test(text))).toEqual([])
  })

  it('say which IDs an input accepts, at the input or at its type', () => {
    const ids = /\bGlobal IDs? or integer IDs? of\b|\bglobal IDs?\b|\bID of the session\b/i
    const isSilent = (input: { type: GraphQLInputType; description?: string | null | undefined }, of: string) =>
      getNamedType(input.type).name === 'ID' && !ids.test(`${input.description} ${of}`)
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
    const silent = Object.values(schema.getTypeMap()).flatMap((type) => {
      if (!isInputObjectType(type) && !isObjectType(type)) return []
      const fields = Object.values<GraphQLInputField | GraphQLField<unknown, unknown>>(type.getFields())
      return fields.flatMap((field) => {
        const inputs = 'args' in field ? field.args : [field]
        return inputs
          .filter((input) => isSilent(input, `${type.description}`))
          .map(({ name }) => `${type.name}.${field.name}(${name})`)
      })
    })
    expect(silent).toEqual([])
  })
})

describe('names of types', () => {
  it('are nouns, not participles', () => {
    const files = sources('{src,rest-bridge}/**/*.{ts,tsx}').filter(([path]) => !path.startsWith('src/db/driver/'))
    expect(files.flatMap(([path, text]) => [...text.matchAll(participle)].map(([, name]) => [path, name]))).toEqual([])
  })
})
