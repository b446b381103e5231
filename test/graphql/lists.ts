import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { schema } from '../../src/server/schema.ts'
import type { World } from '../support/world.ts'

/** Returns the document of such a path. */
export function documentOf(steps: readonly string[]): string {
  const [leaf = '', ...outwards] = steps.toReversed()
  const body = outwards.reduce((inner, step) => (inner === '' ? step : `${step} { ${inner} }`), leaf)
  const variables = [body.includes('$n') && '$n: Int', body.includes('$ids') && '$ids: [ID!]!'].filter(Boolean)
  return `query ${variables.length > 0 ? `(${variables.join(', ')})` : ''} { ${body} }`
}

/** The tables of types with global IDs. */
export const tables = {
  Contact: 'contact',
  Tag: 'tag',
  Segment: 'segment',
  ContactImport: 'contact_import',
  BulkJob: 'bulk_job',
  CustomField: 'custom_field',
  Topic: 'topic',
  Media: 'media',
  ReusableBlock: 'reusable_block',
  EmailTemplate: 'email_template',
  Sequence: 'sequence',
  SequenceStage: 'sequence_stage',
  Enrolment: 'enrolment',
  Campaign: 'campaign',
  Funnel: 'funnel',
  FunnelStep: 'funnel_step',
  Email: 'email',
  Customer: 'customer',
  Order: '"order"',
  Transaction: 'transaction',
  Invoice: 'invoice',
  CreditNote: 'credit_note',
  BillingSubscription: 'billing_subscription',
  Form: 'form',
  Question: 'question',
  Outcome: 'outcome',
  Submission: 'submission',
  Webhook: 'webhook',
  Answer: 'answer',
  Consent: 'contact_consent',
  ContactImportError: 'contact_import_error',
  BulkJobError: 'bulk_job_error',
  Recipient: 'mail_recipient',
  Suppression: 'suppression',
  SenderProblem: 'sender_problem',
  WebhookDelivery: 'webhook_delivery',
  AuditEntry: 'audit_entry',
  User: '"user"',
}

/** Returns global IDs of an account's objects, as many per type as there are up to a limit, and at most 100. */
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

/** Returns the variables of the document of such a path. IDs are read only for a path that takes them. */
export async function variablesOf(steps: readonly string[], world: World, n: number): Promise<object> {
  return { n, ...(steps.some((step) => step.includes('$ids')) && { ids: await globalIds(world, n) }) }
}

/** Returns the items at the end of such a path in a response. */
export function itemsOf(data: unknown, steps: readonly string[]): unknown[] {
  let found = [data]
  for (const step of steps.slice(0, -1)) {
    const name = step.replace(/\(.*/, '')
    found = found.flatMap((each) => (each as Record<string, unknown>)[name] ?? [])
  }
  return found
}

/** Lists that are read with their parent, or that no query returns. */
const withoutStatements: readonly string[] = [
  // The entries of an event are loaded by id, as the selection of Query.events does.
  ...['ContactEvent.changes', 'ContactFieldEvent.changes', 'ContactTagEvent.changes'],
  // The lists of the queries of the same names.
  ...['ContactListChange.contacts', 'CampaignListChange.campaigns', 'OrderListChange.orders'],
  'SubmissionListChange.submissions',
  // It is part of the product.
  'Query.shippedTemplates',
  ...['ContactExportPayload.omittedParts', 'ContactExportPayload.parts', 'VisitEntry.attribution'],
  ...['CampaignTestPayload.results', 'SequenceStageTestPayload.results'],
  ...['FormConfirmationTestPayload.results', 'FunnelConfirmationTestPayload.results'],
]

/** Returns every field of an object type that is a list or a connection. */
export function listFields(): string[] {
  const objects = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  )
  return objects.flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => isList(field.type) || isConnection(getNamedType(field.type)))
      .map((field) => `${type.name}.${field.name}`)
      .filter((name) => !withoutStatements.includes(name)),
  )
}

/** Returns whether a type is a list. */
export function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type)
}

/** Returns whether a type is a page of a list. */
export function isConnection(type: GraphQLNamedType): type is GraphQLObjectType {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}
