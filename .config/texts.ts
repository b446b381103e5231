import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type PluginObj, transformAsync, type Visitor } from '@babel/core'
import macros from '@lingui/babel-plugin-lingui-macro'
import { getCatalogs } from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { lingui } from '@lingui/vite-plugin'
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  parse,
  typeFromAST,
  visit,
} from 'graphql'
import type { PluginOption } from 'vite'
import { actionWords } from '../src/console/settings/audit-words.ts'
import { fieldName, fieldTextId } from '../src/console/texts/field-words.ts'
import { plainWords } from '../src/console/texts/plain-words.ts'

const configPath = fileURLToPath(new URL('lingui.config.ts', import.meta.url))

/** Compiles the messages of a module, after their macros were transformed, so that browsers need no compiler. */
const compiledMessages = ({ types }: typeof import('@babel/core')): PluginObj => {
  const compiled: Visitor = {
    ObjectExpression: ({ node }) => {
      if (!node.leadingComments?.some(({ value }) => /^\W*i18n\W*$/.test(value))) return
      for (const property of node.properties) {
        if (!types.isObjectProperty(property) || !types.isIdentifier(property.key, { name: 'message' })) continue
        if (!types.isStringLiteral(property.value)) continue
        const parts = compileMessage(property.value.value)
        property.value = types.valueToNode(parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : parts)
      }
    },
  }
  return { visitor: { Program: { exit: (path) => path.traverse(compiled) } } }
}

/**
 * Transforms the macros of the console. The English texts stay in the code, compiled, so that a screen loads its own texts only
 * and no catalogue; that of another language is a chunk. Babel does it, because npm installs the native transformer of Lingui
 * on the newest versions of Node.js only.
 */
export const textPlugins = (): PluginOption[] => [
  lingui({ configPath, failOnMissing: true, failOnCompileError: true }),
  {
    name: 'texts',
    enforce: 'pre',
    transform: {
      filter: { id: /[.]tsx?$/, code: /from '@lingui[/][a-z]+[/]macro'/ },
      handler: async (code, filename) => {
        const result = await transformAsync(code, {
          filename,
          configFile: false,
          babelrc: false,
          parserOpts: { plugins: filename.endsWith('x') ? ['typescript', 'jsx'] : ['typescript'] },
          plugins: [
            [macros, { descriptorFields: 'message', linguiConfig: getConfig({ configPath }) }],
            compiledMessages,
          ],
        })
        return { code: result?.code ?? code, map: null }
      },
    },
  },
]

/** Enums whose values the console shows in words. */
const shownEnums = [
  ...['BillingSubscriptionStatus', 'Bucket', 'CampaignErrorCode', 'CampaignStatus', 'ConsentKind', 'ContactField'],
  ...[
    'ContactChangeField',
    'DelayReason',
    'EnrolmentState',
    'FailureCause',
    'FormStatus',
    'FormType',
    'FunnelType',
    'ImportStatus',
  ],
  ...[
    'InvoiceStatus',
    'OrderStatus',
    'QuestionType',
    'SenderDomainStatus',
    'SkipReason',
    'StageActionKind',
    'SubmissionStatus',
  ],
  ...['TimelineEntryType', 'UserRole', 'WebhookDeliveryStatus', 'WebhookDisabledReason'],
]

/** Returns the names of all fields of the inputs of the console's mutations: a refusal can name each of them. */
export function inputFieldNames(schema: GraphQLSchema): string[] {
  const names = new Set<string>()
  const types = new Set<GraphQLNamedType>()
  const walk = (type: GraphQLNamedType) => {
    if (!isInputObjectType(type) || types.has(type) || type.name.endsWith('FilterInput')) return
    types.add(type)
    for (const field of Object.values(type.getFields())) {
      names.add(field.name)
      walk(getNamedType(field.type))
    }
  }
  for (const path of globSync('src/console/**/*.graphql'))
    visit(parse(readFileSync(path, 'utf8')), {
      OperationDefinition({ operation, variableDefinitions = [] }) {
        if (operation !== 'mutation') return
        for (const { type } of variableDefinitions)
          walk(getNamedType(typeFromAST(schema, type as never)) as GraphQLNamedType)
      },
    })
  return [...names].sort()
}

/** Returns the texts that the console makes of names of the graph: of values, of fields, and of changes in the audit log. */
function namesOfGraph(): Map<string, string> {
  const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
  const values = shownEnums
    .map((name) => schema.getType(name))
    .flatMap((type) => (isEnumType(type) ? type.getValues().map(({ name }) => name) : []))
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
  return new Map([
    ...['ARCHIVED', ...values].map((name) => [name, plainWords(name)] as const),
    ...mutations.map((name) => [name, actionWords(name)] as const),
    ...inputFieldNames(schema).map((name) => [fieldTextId(name), fieldName(name)] as const),
  ])
}

/** Returns the catalogue of a language: all texts of the code, with the translations that the present one has. */
export async function catalogueText(language: string): Promise<string> {
  const config = getConfig({ configPath })
  const [catalog] = await getCatalogs(config)
  if (!catalog) throw new Error('There is no catalogue.')
  const found = (await catalog.collect()) ?? {}
  const extra = { origin: [], comments: [], placeholders: {} }
  for (const [name, message] of namesOfGraph()) found[name] = { message, ...extra }
  const present = { [language]: (await catalog.read(language)) ?? {} }
  const merged = catalog.merge(present, found, { overwrite: language === config.sourceLocale })[language] ?? {}
  const entries = Object.entries(merged).filter(([, { obsolete }]) => !obsolete)
  const order = ([id, { message = '', context = '' }]: (typeof entries)[number]) => `${message} ${context} ${id}`
  entries.sort((one, other) => (order(one) < order(other) ? -1 : 1))
  const { format, sourceLocale = 'en' } = config
  if (!format) throw new Error('There is no format.')
  const existing = `msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n`
  return format.serialize(Object.fromEntries(entries), {
    locale: language,
    sourceLocale,
    filename: '',
    existing,
  })
}
