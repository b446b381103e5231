import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codegen } from '@graphql-codegen/core'
import * as documents from '@graphql-codegen/typed-document-node'
import * as operations from '@graphql-codegen/typescript-operations'
import { type DocumentNode, parse } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { iterate } from '../../src/client/index.ts'
import { newWorld } from '../support/world.ts'
import { type InstalledPackage, installPackage, run } from './installed-package.ts'

const text = `subscription Created($after: String, $filter: EventFilterInput!) {
  events(after: $after, filter: $filter) { __typename cursor ...OfContact }
}`
const fragment = 'fragment OfContact on ContactEvent { contact { email } }'

/** The module of a document, as GraphQL Code Generator writes it. */
async function generate(schema: DocumentNode, documentMode: string): Promise<string> {
  return codegen({
    filename: 'documents.ts',
    schema,
    documents: [{ location: 'created.graphql', document: parse(`${text} ${fragment}`) }],
    config: { documentMode, enumType: 'string-literal', useTypeImports: true, gqlImport: '@apollo/client#gql' },
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations, documents },
  })
}

/** The module of a document of gql.tada, whose types are inferred from the schema. */
const ofTada = `
import { initGraphQLTada } from 'gql.tada'
import type { introspection } from './graphql-env.d.ts'

const graphql = initGraphQLTada<{ introspection: introspection; disableMasking: true }>()
export const CreatedDocument = graphql(${JSON.stringify(text)}, [graphql(${JSON.stringify(fragment)})])
`

const program = (path: string, print: string) => `
import { print } from 'graphql'
import { createClient, iterate } from 'campanile/client'
import { CreatedDocument } from './${path}'

const { URL: url = '', KEY: key = '', AFTER: after } = process.env
const options = { url, key, ${print} }
const variables = { filter: { types: ['CONTACT_CREATED' as const] } }
const client = createClient(options)

client.subscribe({
  query: CreatedDocument,
  variables,
  after,
  onEvent: ({ event }) => {
    // @ts-expect-error an event has no such field
    event.nothing
  },
}).close()
for await (const { event } of iterate({ ...options, query: CreatedDocument, variables, after })) {
  const cursor: string = event.cursor
  const email: string | undefined = event.__typename === 'ContactEvent' ? event.contact?.email : undefined
  console.log(typeof cursor, email)
  break
}
// Compiled only: what a document requires.
export const wrong = () => [
  // @ts-expect-error \`filter\` is required
  client.iterate({ query: CreatedDocument }),
  // @ts-expect-error there is no such event type
  client.iterate({ query: CreatedDocument, variables: { filter: { types: ['CONTACT_VANISHED'] } } }),
  // @ts-expect-error there is no such variable
  iterate({ ...options, query: CreatedDocument, variables: { filter: {}, first: 1 } }),
]
`

/** The compiler is slow on a busy machine. */
const compileTimeoutMs = 120_000

describe('a typed document', () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installPackage()
    const sdl = await readFile('schema.graphql', 'utf8')
    const schema = parse(sdl)
    await installed.write('schema.graphql', sdl)
    for (const mode of ['string', 'documentNode', 'graphQLTag'])
      await installed.write(`${mode}.ts`, await generate(schema, mode))
    const plugins = [
      { name: 'gql.tada/ts-plugin', schema: './schema.graphql', tadaOutputLocation: './graphql-env.d.ts' },
    ]
    await writeFile(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { plugins } }))
    await run(join(process.cwd(), 'node_modules/.bin/gql.tada'), ['generate-output'], { cwd: installed.folder })
    await installed.write('tada.ts', ofTada)
  }, compileTimeoutMs)

  it.each([
    ['string', '', 'GraphQL Code Generator as text'],
    ['documentNode', 'print', 'GraphQL Code Generator, parsed'],
    ['graphQLTag', '', 'graphql-tag'],
    ['tada', 'print', 'gql.tada'],
  ])(
    'gives events and variables their types: %s %s (%s)',
    async (name, print) => {
      const world = await newWorld()
      const { eventCursor } = await world.run('{ eventCursor }')
      const { email } = await world.contact()
      const script = await installed.write(`use-${name}.ts`, program(`${name}.ts`, print))
      const options = { module: 'nodenext', lib: ['es2022'], types: ['node'], skipLibCheck: true }
      expect(await installed.check([`use-${name}.ts`], options)).toBe('')
      const env = { ...process.env, URL: `${world.server.url}/graphql`, KEY: world.mainKey, AFTER: eventCursor }
      expect((await run(process.execPath, [script], { env })).stdout).toBe(`string ${email}\n`)
    },
    compileTimeoutMs,
  )

  it('that was parsed without its text needs `print`', () => {
    const query = parse('subscription ($after: String) { events(after: $after) { cursor } }', { noLocation: true })
    expect(() => iterate({ url: 'http://127.0.0.1:1', key: 'k', query })).toThrow(
      /pass `print` of the package `graphql`/,
    )
  })
})
