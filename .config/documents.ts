import { existsSync, globSync, readFileSync } from 'node:fs'
import { codegen } from '@graphql-codegen/core'
import * as documentNodes from '@graphql-codegen/typed-document-node'
import * as operations from '@graphql-codegen/typescript-operations'
import { minifyIntrospectionQuery } from '@urql/introspection'
import { buildSchema, introspectionFromSchema, parse, Source } from 'graphql'

/** What a scalar is in JSON. An id is read as the opaque string and taken as that or as the integer that REST shows. */
const scalars = {
  ID: { input: 'string | number', output: 'string' },
  String: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  Cursor: 'string',
  Date: 'string',
  DateTime: 'string',
  CurrencyCode: 'string',
  Decimal: 'string',
  JSON: 'unknown',
}

const heading = '// Generated from the .graphql files beside it by `npm run generate`: change those.\n'

/**
 * Gives the module that holds every operation of the `.graphql` files under `folders` as a typed document, named
 * `<OperationName>Document`. Where there is no schema or no document yet, the module is empty.
 *
 * Fails where a document does not hold against the schema, two operations share a name, or a scalar has no type above.
 */
export async function typedDocuments(...folders: string[]): Promise<string> {
  const files = folders.flatMap((folder) =>
    globSync(`${folder}/**/*.graphql`, { exclude: ['**/node_modules/**'] }).sort(),
  )
  if (files.length === 0 || !existsSync('schema.graphql')) return `${heading}export {}\n`
  const config = {
    strictScalars: true,
    scalars,
    enumType: 'string-literal',
    useTypeImports: true,
    skipTypename: true,
    immutableTypes: true,
    dedupeFragments: true,
    inlineFragmentTypes: 'inline',
    avoidOptionals: { field: true, inputValue: false, object: true, defaultValue: false },
    dedupeOperationSuffix: true,
  }
  const sdl = readFileSync('schema.graphql', 'utf8')
  const text = await codegen({
    filename: 'documents.ts',
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: files.map((file) => ({ location: file, document: parse(new Source(readFileSync(file, 'utf8'), file)) })),
    config,
    plugins: [{ operations: {} }, { documentNodes: {} }],
    pluginMap: { operations, documentNodes },
  })
  return `${heading}${text}`
}

/** Gives the module that holds what a normalised cache needs of the schema: types, their fields, and what may be null. */
export async function introspectionOf(schemaPath: string): Promise<string> {
  const schema = introspectionFromSchema(buildSchema(readFileSync(schemaPath, 'utf8')), { descriptions: false })
  const minified = minifyIntrospectionQuery(schema, {
    includeScalars: false,
    includeEnums: false,
    includeInputs: false,
  })
  return `// Made of schema.graphql by \`npm run generate\`.\nexport const introspection = ${JSON.stringify(minified)} as const\n`
}
