import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { schema } from '../../src/server/schema.ts'

/** An error of a response, as the client reads it. */
interface ResponseError {
  readonly message: string
  readonly path?: readonly (string | number)[] | undefined
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** Arguments of the fields of a document, by the path of the field in the response, without indexes of lists. */
type ArgumentsByPath = ReadonlyMap<string, readonly GraphQLArgument[]>

/**
 * Throws if an error names a path that is no argument or input field of the field that failed, or of the root field above
 * it. An error without a response path can name an argument of any field.
 */
export function requireArgumentPaths(query: unknown, errors: readonly ResponseError[] | undefined): void {
  const named = (errors ?? []).filter(({ extensions }) => extensions?.['fields'] || extensions?.['details'])
  if (named.length === 0 || typeof query !== 'string' || query === '') return
  const byPath = argumentsOf(parse(query))
  for (const { path, extensions, message } of named) {
    const steps = path?.filter((step) => typeof step === 'string')
    const candidates = steps
      ? [...(byPath.get(steps.join('.')) ?? []), ...(byPath.get(String(steps[0])) ?? [])]
      : [...byPath.values()].flat()
    const { fields = [], details = {} } = extensions as { fields?: { path: string }[]; details?: object }
    const paths = fields.map((field) => field.path)
    const keys = Object.keys(details)
    if (keys.length === 0 || keys.some((key) => !paths.includes(key)) || paths.some((each) => !keys.includes(each)))
      throw new Error(`The details ${keys} differ from the fields ${paths}: ${message}`)
    for (const each of paths) {
      if (!candidates.some(({ name, type }) => leadsTo(type, each.split('.'), name)))
        throw new Error(`${each} is no path of an argument of ${path?.join('.') ?? 'the document'}: ${message}`)
    }
  }
}

/** Returns whether the steps lead from an argument to one of its parts. The content of JSON has no input fields. */
function leadsTo(argumentType: GraphQLInputType, [first, ...steps]: readonly string[], name: string): boolean {
  if (first !== name) return false
  let type: GraphQLInputType | undefined = argumentType
  for (const step of steps) {
    const nullable: GraphQLInputType | undefined = type && (getNullableType(type) as GraphQLInputType)
    if (isListType(nullable) && /^\d+$/.test(step)) type = nullable.ofType
    else if (isInputObjectType(nullable)) type = nullable.getFields()[step]?.type
    else if (nullable && getNamedType(nullable).name === 'JSON') return true
    else return false
  }
  return type !== undefined
}

function argumentsOf(document: DocumentNode): ArgumentsByPath {
  const found = new Map<string, GraphQLArgument[]>()
  const info = new TypeInfo(schema)
  const path: string[] = []
  // Fragments are inlined, so that the path of a field is the path in the response.
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === 'FragmentDefinition' ? [[each.name.value, each]] : [])),
  )
  const inlined = visit(document, {
    FragmentDefinition: () => null,
    FragmentSpread: ({ name }) => {
      const fragment = fragments.get(name.value)
      return fragment && { ...fragment, kind: 'InlineFragment' as never, name: undefined }
    },
  })
  visit(
    inlined,
    visitWithTypeInfo(info, {
      Field: {
        enter: ({ alias, name }) => {
          path.push((alias ?? name).value)
          const key = path.join('.')
          found.set(key, [...(found.get(key) ?? []), ...(info.getFieldDef()?.args ?? [])])
        },
        leave: () => {
          path.pop()
        },
      },
    }),
  )
  return found
}
