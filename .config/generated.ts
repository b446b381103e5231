import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { baseline, baselineSql } from './baseline.ts'
import { introspectionOf, typedDocuments } from './documents.ts'
import { releasedSchemas, schemaChangesPage, versionOfSchema } from './schema-changes.ts'

interface GeneratedFile {
  path: string
  text(): Promise<string>
}

/**
 * The files that are made of others, in the order in which they depend on each other. What is made of `src/` is
 * committed; typed documents are not, and are made of `schema.graphql` alone, so that a fresh checkout can make them.
 */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: `prisma/migrations/${baseline}/migration.sql`, text: baselineSql },
  {
    path: 'schema.graphql',
    async text() {
      const [{ schema }, { printSortedSchema }] = await Promise.all([
        import('../src/server/schema.ts'),
        import('../src/graphql/print-schema.ts'),
      ])
      return printSortedSchema(schema)
    },
  },
  {
    path: 'src/server/api/schema-version.ts',
    async text() {
      const version = versionOfSchema(readFileSync('schema.graphql', 'utf8'))
      return `/** Version of \`schema.graphql\`, of which \`npm run schema:print\` makes it. */\nexport const schemaVersion = '${version}'\n`
    },
  },
  {
    path: 'src/docs/schema-changes.md',
    async text() {
      return schemaChangesPage(releasedSchemas(), readFileSync('schema.graphql', 'utf8'))
    },
  },
  {
    path: 'src/client/event-kinds.ts',
    async text() {
      await import('../src/server/ports.ts')
      const [{ declarationOf, eventTypes }, { payloads, restData }] = await Promise.all([
        import('../src/events/index.ts'),
        import('../rest-bridge/events/payloads.ts'),
      ])
      const declared = eventTypes().map((type) => ({ type, ...declarationOf(type) }))
      const members = declared.map(({ type, kind }) => `  '${type}': '${kind}'\n`)
      const samples = new Map(declared.map(({ kind, sample }) => [kind as string, sample]))
      const data = [...samples].sort().flatMap(([kind, sample]) => {
        if (kind in payloads) return []
        const fields = Object.entries(restData({ ...sample })).map(
          ([name, value]) => `${name}: ${value === null ? 'number | null' : typeof value}`,
        )
        return `  ${kind}: { ${fields.join('; ')} }\n`
      })
      return [
        '// Generated from the `events.ts` of all modules by `npm run schema:print`: change those.\n',
        `/** Kind of each event type: the GraphQL type of its events. */\nexport interface EventKinds {\n${members.join('')}}\n`,
        `/** \`data\` of webhook messages that have the data of the event. */\nexport interface EventDataOfKind {\n${data.join('')}}\n`,
      ].join('\n')
    },
  },
  {
    path: 'src/console/fragments/contact-texts.graphql',
    async text() {
      const { textFields } = await import('../src/contacts/record/fields.ts')
      const keys = Object.values(textFields).map(({ key }) => `  ${key}\n`)
      const heading = '# Made of src/contacts/record/fields.ts by `npm run schema:print`.'
      return `${heading}\nfragment ContactTexts on Contact {\n${keys.join('')}}\n`
    },
  },
  { path: 'rest-bridge/generated/documents.ts', text: () => typedDocuments('rest-bridge') },
  {
    path: 'rest-bridge/generated/names.documents.ts',
    async text() {
      const [{ attributionKeys }, { importFields }] = await Promise.all([
        import('../src/contacts/record/attribution.ts'),
        import('../src/contacts/imports/rows/columns.ts'),
      ])
      const listOf = (name: string, values: readonly string[]) =>
        `export const ${name} = [${values.map((value) => `'${value.toLowerCase()}'`).join(', ')}] as const\n`
      return `// Made of src/contacts by \`npm run generate\`.\n${listOf('attributionKeys', attributionKeys)}${listOf('importFields', importFields)}`
    },
  },
  { path: 'test/generated/documents.ts', text: () => typedDocuments('test') },
  // A module for each screen, so that a screen loads its own documents only.
  ...[...new Set(globSync('src/console/*/*.graphql').map(dirname))]
    .filter((folder) => basename(folder) !== 'fragments')
    .map((folder) => ({
      path: `src/console/generated/${basename(folder)}.documents.ts`,
      text: () => typedDocuments(folder, 'src/console/fragments'),
    })),
  { path: 'src/console/generated/introspection.documents.ts', text: () => introspectionOf('schema.graphql') },
  {
    path: 'src/console/generated/default-zone.documents.ts',
    async text() {
      const { defaultZone } = await import('../src/kernel/values/period.ts')
      return `// Made of src/kernel/values/period.ts by \`npm run generate\`.\nexport const defaultZone = '${defaultZone}'\n`
    },
  },
  {
    path: 'src/console/generated/text-fields.documents.ts',
    async text() {
      const { textFields } = await import('../src/contacts/record/fields.ts')
      const texts = Object.entries(textFields).map(([field, { key, label, autocomplete, mergeField, isSorted }]) => {
        const type = ['tel', 'email'].includes(autocomplete) ? autocomplete : 'text'
        const values = JSON.stringify({ field, name: key, type, mergeField, isSorted })
        // Screens have many columns and fields, so they call it by a short word.
        return values.replace(/\}$/, `, get label() { return t\`${field === 'EMAIL' ? 'E-mail' : label}\` }}`)
      })
      const heading = '// Made of src/contacts/record/fields.ts by `npm run generate`: the texts of a contact.'
      return `${heading}\nimport { t } from '@lingui/core/macro'\nexport const contactTexts = [\n${texts.join(',\n')}] as const\n`
    },
  },
  {
    path: 'src/console/generated/event-names.documents.ts',
    async text() {
      const names = readFileSync('src/client/event-kinds.ts', 'utf8').match(/'[a-z_]+[.][a-z_]+'/g) ?? []
      return `// Made of src/client/event-kinds.ts by \`npm run generate\`.\nexport const eventNames = [${names.join(', ')}] as const\n`
    },
  },
  {
    path: 'src/console/generated/currency-codes.documents.ts',
    async text() {
      const { currencies } = await import('../src/kernel/values/currencies.ts')
      return `// Made of src/kernel/values/currencies.ts by \`npm run generate\`.\nexport const currencyCodes = '${currencies.join(' ')}'.split(' ')\n`
    },
  },
  // The catalogue of each language, with the texts of the code that has those of the typed documents.
  ...globSync('src/console/texts/*.po').map((path) => ({
    path,
    async text() {
      const { catalogueText } = await import('./texts.ts')
      return catalogueText(basename(path, '.po'))
    },
  })),
  {
    path: 'src/funnels/content/page.schema.json',
    async text() {
      const { pageSchema } = await import('../src/funnels/content/page-document.ts')
      return `${JSON.stringify(pageSchema, null, 2)}\n`
    },
  },
  {
    path: 'rest-bridge/openapi.json',
    async text() {
      const { openApi } = await import('../rest-bridge/openapi.ts')
      return `${JSON.stringify(openApi(), null, 2)}\n`
    },
  },
  {
    path: 'src/client/error-codes.ts',
    async text() {
      const { errorCodes, fieldCodes } = await import('../src/kernel/errors.ts')
      const typeOf = (name: string, codes: object, description: string) =>
        `/** ${description}: the enum \`${name}\` of the schema. */\nexport type ${name} =\n${Object.keys(codes)
          .map((code) => `  | '${code}'\n`)
          .join('')}`
      return [
        typeOf('ErrorCode', errorCodes, 'Values of `extensions.code` of an error'),
        typeOf('FieldErrorCode', fieldCodes, 'Values of `code` in `extensions.fields` of a VALIDATION_ERROR'),
      ].join('\n')
    },
  },
  {
    path: 'src/docs/rest-to-graphql.md',
    async text() {
      const [{ upgradePage }, { v1Routes, legacyRoutes }] = await Promise.all([
        import('./upgrade.ts'),
        import('../rest-bridge/routes.ts'),
      ])
      return upgradePage({ v1: v1Routes, legacy: legacyRoutes })
    },
  },
  {
    path: 'src/docs/http.md',
    async text() {
      const [{ httpPage }, { apiRoutes }] = await Promise.all([
        import('./reference.ts'),
        import('../src/server/routes.ts'),
      ])
      return httpPage(apiRoutes)
    },
  },
  {
    path: 'src/docs/configuration.md',
    async text() {
      const [{ configurationPage }, { variables }] = await Promise.all([
        import('./reference.ts'),
        import('../src/config/variables.ts'),
      ])
      return configurationPage(variables)
    },
  },
]

/** Says of each file of `paths` whose text on disk is not what its sources make now. */
export async function stale(files: readonly GeneratedFile[] = generatedFiles): Promise<string[]> {
  const paths: string[] = []
  for (const file of files) {
    const current = existsSync(file.path) ? readFileSync(file.path, 'utf8') : undefined
    if (current !== (await file.text())) paths.push(file.path)
  }
  return paths
}

/** Writes each file that is stale. One after the other: a later one may be made of an earlier one. */
export async function write(files: readonly GeneratedFile[]): Promise<void> {
  for (const file of files) {
    const text = await file.text()
    if (existsSync(file.path) && readFileSync(file.path, 'utf8') === text) continue
    mkdirSync(dirname(file.path), { recursive: true })
    writeFileSync(file.path, text)
  }
}
