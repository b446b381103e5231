import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { schema } from '../../src/schema.ts'

/**
 * How each list field of the schema is reached from the root, step by step; `$n` is how many rows are asked for. Steps end
 * at the list; the last one names what to read of each item.
 */
export const waysTo: Readonly<Record<string, readonly string[]>> = {
  'Query.nodes': ['nodes(ids: $ids)', 'id databaseId ... on Contact { email } ... on Tag { name }'],
  'Query.apiKeys': ['apiKeys(first: $n)', 'nodes', 'id name'],
  'Query.contacts': ['contacts(first: $n)', 'nodes', 'id email account { name }'],
  'Query.tags': ['tags(first: $n)', 'nodes', 'id name'],
  'Query.customFields': ['customFields', 'id name values'],
  'Account.contacts': ['account', 'contacts(first: $n)', 'nodes', 'id email'],
  'Account.tags': ['account', 'tags(first: $n)', 'nodes', 'id name'],
  'Account.customFields': ['account', 'customFields', 'id name'],
  'Contact.tags': ['contacts(first: $n)', 'nodes', 'tags', 'id name'],
  'Contact.customFields': ['contacts(first: $n)', 'nodes', 'customFields', 'label value customField { name values }'],
  'Contact.consents': ['contacts(first: $n)', 'nodes', 'consents(first: $n)', 'nodes', 'id kind'],
  'Tag.contacts': ['tags(first: $n)', 'nodes', 'contacts(first: $n)', 'nodes', 'id email'],
  'CustomField.values': ['customFields', 'values', ''],
  'ApiKey.scopes': ['apiKeys(first: $n)', 'nodes', 'scopes', ''],
  'Viewer.scopes': ['viewer', 'scopes', ''],
  'ApiKeyConnection.nodes': ['apiKeys(first: $n)', 'nodes', 'id'],
  'ApiKeyConnection.edges': ['apiKeys(first: $n)', 'edges', 'cursor node { id }'],
  'ContactConnection.nodes': ['tags(first: $n)', 'nodes', 'contacts(first: 5)', 'nodes', 'tags { name }'],
  'ContactConnection.edges': ['contacts(first: $n)', 'edges', 'cursor node { id tags { name } }'],
  'TagConnection.nodes': ['tags(first: $n)', 'nodes', 'contacts(first: 2) { totalCount }'],
  'TagConnection.edges': ['tags(first: $n)', 'edges', 'cursor node { id }'],
  'ConsentConnection.nodes': ['contacts(first: $n)', 'nodes', 'consents(first: 5)', 'nodes', 'id'],
  'ConsentConnection.edges': ['contacts(first: $n)', 'nodes', 'consents(last: 5)', 'edges', 'cursor node { id }'],
}

/** The document that walks such a way. */
export function documentOf(steps: readonly string[]): string {
  const [leaf = '', ...outwards] = steps.toReversed()
  const body = outwards.reduce((inner, step) => (inner === '' ? step : `${step} { ${inner} }`), leaf)
  const variables = [body.includes('$n') && '$n: Int', body.includes('$ids') && '$ids: [ID!]!'].filter(Boolean)
  return `query ${variables.length > 0 ? `(${variables.join(', ')})` : ''} { ${body} }`
}

/** The items that stand at the end of such a way in an answer. */
export function itemsOf(data: unknown, steps: readonly string[]): unknown[] {
  let found = [data]
  for (const step of steps.slice(0, -1)) {
    const name = step.replace(/\(.*/, '')
    found = found.flatMap((each) => (each as Record<string, unknown>)[name] ?? [])
  }
  return found
}

/** Every field of every object type that holds many of something: lists, and connections. */
export function listFields(): string[] {
  const objects = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  )
  return objects.flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => isList(field.type) || isConnection(getNamedType(field.type)))
      .map((field) => `${type.name}.${field.name}`),
  )
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type)
}

function isConnection(type: GraphQLNamedType): boolean {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}
