import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { listNames } from '../../src/campaigns/audience-filter.ts'
import { schema } from '../../src/schema.ts'
import type { World } from '../support/world.ts'

/**
 * How each list field of the schema is reached from the root, step by step; `$n` is how many rows are asked for. Steps end
 * at the list; the last one names what to read of each item.
 */
export const waysTo: Readonly<Record<string, readonly string[]>> = {
  'Query.nodes': [
    'nodes(ids: $ids)',
    `id databaseId ... on Contact { email stats { sent } } ... on Tag { name } ... on Sequence { name activeContacts }
      ... on SequenceStage { name figures: stats { sent } } ... on Enrolment { state anchorDate }
      ... on Campaign { name figures: stats { sent } } ... on Email { subject htmlUrl }`,
  ],
  'Query.apiKeys': ['apiKeys(first: $n)', 'nodes', 'id name'],
  'Query.contacts': ['contacts(first: $n)', 'nodes', 'id email account { name } stats { sent opened clickRate }'],
  'Query.tags': ['tags(first: $n)', 'nodes', 'id name audience { total optIn }'],
  'Query.customFields': ['customFields', 'id name values'],
  'Query.sequences': [
    'sequences(first: $n)',
    'nodes',
    'id name activeContacts stagesCount stats { sent } audience { total }',
  ],
  'Query.campaigns': [
    'campaigns(first: $n)',
    'nodes',
    'id name subject scheduledForLocal stats { sent } email { html text htmlUrl textUrl } audience { total optIn }',
  ],
  'Account.campaigns': ['account', 'campaigns(first: $n)', 'nodes', 'id name'],
  'Account.contacts': ['account', 'contacts(first: $n)', 'nodes', 'id email'],
  'Account.tags': ['account', 'tags(first: $n)', 'nodes', 'id name'],
  'Account.customFields': ['account', 'customFields', 'id name'],
  'Account.sequences': [
    'account',
    'sequences(first: $n)',
    'nodes',
    'id name audience { contacts(first: 2) { totalCount } }',
  ],
  'Contact.tags': ['contacts(first: $n)', 'nodes', 'tags', 'id name'],
  'Contact.customFields': ['contacts(first: $n)', 'nodes', 'customFields', 'label value customField { name values }'],
  'Contact.sequences': ['contacts(first: $n)', 'nodes', 'sequences', 'name stagesCount activeContacts'],
  'Contact.enrolments': [
    'contacts(first: $n)',
    'nodes',
    'enrolments(first: 10)',
    'nodes',
    'id state sequence { name } lastStage { name } nextStage { name email { subject } }',
  ],
  'Contact.messages': [
    'contacts(first: $n)',
    'nodes',
    'messages(first: 10)',
    'nodes',
    'id state campaign { name email { subject } stats { sent } }',
  ],
  'Contact.consents': ['contacts(first: $n)', 'nodes', 'consents(first: $n)', 'nodes', 'id kind'],
  'Tag.contacts': ['tags(first: $n)', 'nodes', 'contacts(first: $n)', 'nodes', 'id email'],
  'Sequence.stages': [
    'sequences(first: $n)',
    'nodes',
    'stages',
    'id name stats { sent } email { subject html } action { kind tag { name } sequence { name } } sequence { name }',
  ],
  'Sequence.contacts': ['sequences(first: $n)', 'nodes', 'contacts(first: 10)', 'nodes', 'id email stats { sent }'],
  'Sequence.enrolments': [
    'sequences(first: $n)',
    'nodes',
    'enrolments(first: 10)',
    'nodes',
    'id contact { email stats { sent } } lastStage { name } nextStage { name stats { sent } }',
  ],
  'Campaign.recipients': [
    'campaigns(first: $n)',
    'nodes',
    'recipients(first: 10)',
    'nodes',
    'id state contact { email stats { sent } } campaign { name }',
  ],
  'Audience.contacts': ['campaigns(first: $n)', 'nodes', 'audience', 'contacts(first: 5)', 'nodes', 'id tags { name }'],
  ...Object.fromEntries(
    listNames.map((name) => [
      `AudienceCriteria.${name}`,
      ['campaigns(first: $n)', 'nodes', 'audience', 'criteria', name, ''],
    ]),
  ),
  'CustomField.values': ['customFields', 'values', ''],
  'ApiKey.scopes': ['apiKeys(first: $n)', 'nodes', 'scopes', ''],
  'Viewer.scopes': ['viewer', 'scopes', ''],
  'ApiKeyConnection.nodes': ['apiKeys(first: $n)', 'nodes', 'id'],
  'ApiKeyConnection.edges': ['apiKeys(first: $n)', 'edges', 'cursor node { id }'],
  'ContactConnection.nodes': ['tags(first: $n)', 'nodes', 'contacts(first: 5)', 'nodes', 'tags { name }'],
  'ContactConnection.edges': ['contacts(first: $n)', 'edges', 'cursor node { id tags { name } }'],
  'TagConnection.nodes': ['tags(first: $n)', 'nodes', 'contacts(first: 2) { totalCount }'],
  'TagConnection.edges': ['tags(first: $n)', 'edges', 'cursor node { id }'],
  'SequenceConnection.nodes': ['sequences(first: $n)', 'nodes', 'contacts(first: 2) { totalCount }'],
  'SequenceConnection.edges': ['sequences(first: $n)', 'edges', 'cursor node { id stages { name } }'],
  'EnrolmentConnection.nodes': ['sequences(first: $n)', 'nodes', 'enrolments(first: 2) { totalCount }'],
  'EnrolmentConnection.edges': [
    'contacts(first: $n)',
    'nodes',
    'enrolments(last: 5)',
    'edges',
    'cursor node { id sequence { name stagesCount } }',
  ],
  'CampaignConnection.nodes': ['campaigns(first: $n)', 'nodes', 'recipients(first: 2) { totalCount }'],
  'CampaignConnection.edges': ['campaigns(first: $n)', 'edges', 'cursor node { id email { text } }'],
  'RecipientConnection.nodes': ['contacts(first: $n)', 'nodes', 'messages(first: 2) { totalCount }'],
  'RecipientConnection.edges': [
    'campaigns(first: $n)',
    'nodes',
    'recipients(last: 5)',
    'edges',
    'cursor node { id contact { email } }',
  ],
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

/** The tables of what has a global id, by type. */
export const tables = {
  Contact: 'contact',
  Tag: 'tag',
  CustomField: 'custom_field',
  Sequence: 'sequence',
  SequenceStage: 'sequence_stage',
  Enrolment: 'enrolment',
  Campaign: 'campaign',
  Email: 'email',
}

/** The global ids of what an account has, of each type as many as there are, up to a number: 100 in all at most. */
export async function globalIds({ accountId, rows }: World, most: number): Promise<string[]> {
  const each = Math.min(most, Math.floor(100 / Object.keys(tables).length))
  const ids = Object.entries(tables).map(async ([type, table]) => {
    const found = await rows<{ id: number }>(`SELECT id FROM ${table} WHERE account_id = $1 ORDER BY id LIMIT $2`, [
      accountId,
      each,
    ])
    return found.map(({ id }) => Buffer.from(`${type}:${id}`).toString('base64url'))
  })
  return (await Promise.all(ids)).flat()
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
